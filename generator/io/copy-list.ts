import { objectKey, releaseKey } from '../../schemas/paths.js';
import type { ObjectMeta, ObjectStore } from '../../infra/store/object-store.js';
import { RETAINED_RELEASES } from './collection-terms.js';
import { metaOf } from './object-meta.js';
import {
  isRetained,
  listedFilesOf,
  readDayFiles,
  type ChainRelease,
  type NamedFile,
} from './reachable-objects.js';

/** An object that a copy of a store must hold. */
export type CopyItem = {
  readonly key: string;
  readonly sha256: string;
  /** Its size as a release says it; no release says the size of a record. */
  readonly bytes?: number;
  readonly meta: ObjectMeta;
  /** The newest release that lists it; absent of day files and records, which no collector takes. */
  readonly listedBy?: ChainRelease;
  /** Whether a collector at the target could take it, although the copied release needs it. */
  readonly exposed: boolean;
};

/** What a copy of a release must hold. Records come last, the oldest first. */
export type CopyList = { readonly files: readonly CopyItem[]; readonly records: readonly CopyItem[] };

/** What is to be copied, and what the target has of it. */
export type CopyListTerms = {
  /** From the release to copy to the first one. */
  readonly chain: readonly ChainRelease[];
  /** Place in the chain of the release that the target's pointer names; -1 when it names none. */
  readonly held: number;
  /** Now, by the clock of the source. */
  readonly nowMs: number;
};

/**
 * Lists what a release reaches: every record of its chain, every file that one of them lists, and every day file that
 * its manifests name.
 * @throws GeneratorError 'damaged' when a manifest cannot be read.
 */
export async function listCopyItems(from: ObjectStore, terms: CopyListTerms): Promise<CopyList> {
  const { chain, held, nowMs } = terms;
  const kept = held < 0 ? new Set<string>() : await keptDigests(from, chain.slice(held));
  const items = new Map<string, CopyItem>();
  chain.forEach((release, i) => {
    const retained = isRetained(release, i, nowMs);
    for (const file of listedFilesOf(release.record)) {
      if (!items.has(file.sha256))
        items.set(file.sha256, {
          ...toItem(file, retained && !kept.has(file.sha256)),
          listedBy: release,
        });
    }
  });
  const [current] = chain;
  if (current !== undefined) {
    for (const [digest, file] of await readDayFiles(from, [current]))
      items.set(digest, toItem(file, !kept.has(digest)));
  }
  const records = chain.map((release, i): CopyItem => {
    const key = releaseKey(release.record.revision, release.sha256);
    return { key, sha256: release.sha256, meta: metaOf(key), exposed: held < 0 || i < held };
  });
  return { files: [...items.values()], records: records.reverse() };
}

/** What no collector takes from a store whose pointer names the first of these releases, whatever its clock says. */
async function keptDigests(from: ObjectStore, chain: readonly ChainRelease[]): Promise<Set<string>> {
  const kept = new Set((await readDayFiles(from, chain.slice(0, 1))).keys());
  for (const { record } of chain.slice(0, RETAINED_RELEASES))
    for (const { sha256 } of listedFilesOf(record)) kept.add(sha256);
  return kept;
}

function toItem({ path, sha256, bytes, type }: NamedFile, exposed: boolean): CopyItem {
  const key = objectKey(sha256);
  return { key, sha256, bytes, meta: metaOf(key, type, path), exposed };
}
