import type { ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { readRecord } from './published-state.js';

/** What names a release, and how far it stands from the first one. */
export type NamedRelease = {
  readonly revision: string;
  readonly sequence: number;
  readonly sha256: string;
};

/**
 * Whether the chain of `previous` from one release of the store holds the other one, or is it.
 * @throws GeneratorError 'damaged' when a record between them cannot be read.
 */
export async function descendsFrom(
  store: ObjectStore,
  release: NamedRelease,
  ancestor: NamedRelease,
): Promise<boolean> {
  let link: { readonly revision: string; readonly sha256: string } | null = release;
  let { sequence } = release;
  while (link !== null && sequence >= ancestor.sequence) {
    if (link.sha256 === ancestor.sha256) return true;
    const record: ReleaseRecord = await readRecord(store, link);
    link = record.previous;
    sequence -= 1;
  }
  return false;
}
