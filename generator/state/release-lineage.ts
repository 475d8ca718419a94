import type { ObjectStore } from '../../infra/store/object-store.js';
import { readRecord } from './published-state.js';

/** A release by its record, as a pointer names it. */
export type NamedRelease = {
  readonly revision: string;
  readonly sequence: number;
  /** Digest of the release record. */
  readonly sha256: string;
};

/**
 * Returns whether `release` is `ancestor`, or the chain of `previous` from it contains `ancestor`.
 * @throws GeneratorError 'damaged' if a record between them is missing or does not match its digest.
 */
export async function descendsFrom(
  store: ObjectStore,
  release: NamedRelease,
  ancestor: NamedRelease,
): Promise<boolean> {
  let { sequence } = release;
  let link: Pick<NamedRelease, 'revision' | 'sha256'> | null = release;
  for (; link !== null && sequence > ancestor.sequence; sequence -= 1)
    ({ previous: link } = await readRecord(store, link));
  return link?.sha256 === ancestor.sha256;
}
