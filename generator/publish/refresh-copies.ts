import pMap from 'p-map';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import {
  ALIASES_KEY,
  pathOfPublicKey,
  POINTER_KEY,
  PUBLIC_PATHS,
  publicKey,
  weeklyArchivePath,
} from '../../schemas/paths.js';
import { isAssetPath, publicPathsOf, SAMPLE_PATHS, weeklyArchivesIn } from '../../schemas/release-paths.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';
import { type Progress, SILENT } from '../run/progress.js';
import { listBounded } from '../state/bounded-list.js';
import { readPointer, readRecord } from '../state/published-state.js';
import { retryWrite } from '../state/retry-write.js';
import { damaged, metaOf, readArtifact, readStoredJson } from '../state/stored-json.js';

/** Number and size of the objects or public copies that a run wrote. */
export type Written = { objects: number; bytes: number };

/** Number of copies updated at a time, and the maximum size of one, in bytes: together they bound the memory. */
const COPY_CONCURRENCY = 8;
const MAX_COPY_BYTES = 16_000_000;

/**
 * Updates every public copy to the release that the pointer names, and then sets aliases.json to its
 * sequence. The list of files comes first, so that readers who compare others with it notice the refresh; then scripts and
 * style sheets, before the pages that need them; the status comes last. Several runs may refresh at the same time: each
 * copy is read before the pointer, so an older release never overwrites a newer one.
 */
export async function refreshCopies(
  store: ObjectStore,
  progress: Progress = SILENT,
  signal?: AbortSignal,
): Promise<Written> {
  const current = createCurrentRelease(store);
  const first = await current();
  const total = { objects: 0, bytes: 0 };
  const paths = Object.keys(first.public).sort();
  progress.begin('aliases', paths.length);
  const refresh = async (path: string): Promise<void> => {
    signal?.throwIfAborted();
    const bytes = await refreshCopy(store, path, current);
    total.objects += bytes > 0 ? 1 : 0;
    total.bytes += bytes;
    progress.advance();
  };
  const { release: list, status } = PUBLIC_PATHS;
  if (list in first.public) await refresh(list);
  const assets = paths.filter(isAssetPath);
  const others = paths.filter((path) => path !== list && path !== status && !isAssetPath(path));
  for (const group of [assets, others]) await pMap(group, refresh, { concurrency: COPY_CONCURRENCY });
  for (const chain of CHAIN_IDS) {
    for (const path of publicPathsOf(chain)) await deleteUnlisted(store, path, current);
    // The current release does not say which years of the archive earlier ones listed.
    for await (const { key } of listBounded(store, publicKey(weeklyArchivePath(chain, '')))) {
      const path = pathOfPublicKey(key);
      if (weeklyArchivesIn([path], chain).length > 0) await deleteUnlisted(store, path, current);
    }
  }
  for (const path of SAMPLE_PATHS.filter((each) => !(each in first.public)))
    await deleteUnlisted(store, path, current);
  if (status in first.public) await refresh(status);
  await raiseSequence(store, first.sequence);
  progress.end(`sequence ${first.sequence}`);
  return total;
}

/** Returns a function that reads the release that the pointer names now. Reads each record once. */
function createCurrentRelease(store: ObjectStore): () => Promise<ReleaseRecord> {
  let cached: { sha256: string; record: ReleaseRecord } | undefined;
  return async () => {
    const pointer = await readPointer(store);
    if (pointer === undefined) throw damaged(POINTER_KEY, 'is missing');
    if (cached?.sha256 !== pointer.value.sha256) {
      cached = { sha256: pointer.value.sha256, record: await readRecord(store, pointer.value) };
    }
    return cached.record;
  };
}

/** Updates one copy. Returns the number of bytes written; 0 if the copy was up to date or is no longer listed. */
function refreshCopy(
  store: ObjectStore,
  path: string,
  current: () => Promise<ReleaseRecord>,
): Promise<number> {
  const key = publicKey(path);
  return retryWrite(store, key, async () => {
    const head = await store.head(key);
    const entry = (await current()).public[path];
    if (entry === undefined || head?.sha256 === entry.sha256) return 0;
    const body = await readArtifact(store, entry.sha256, Math.min(entry.bytes, MAX_COPY_BYTES));
    const meta = metaOf(key, entry.type, path);
    const swapped = await store.compareAndSwap(key, body, head?.etag ?? null, meta);
    return swapped === 'conflict' ? undefined : body.length;
  });
}

/** Deletes the copy of a file that the release no longer lists, because a rollback withdrew all of its chain. */
async function deleteUnlisted(
  store: ObjectStore,
  path: string,
  current: () => Promise<ReleaseRecord>,
): Promise<void> {
  const key = publicKey(path);
  if (path in (await current()).public || (await store.head(key)) === undefined) return;
  // The copy found may be of a release that was published after the first look at the pointer.
  if (path in (await current()).public) return;
  await store.delete(key);
  // A release published in the meantime may list the file again, and its copy may be the one just deleted.
  await refreshCopy(store, path, current);
}

/** Sets aliases.json to `sequence`, unless it already names a later sequence that the pointer has reached. */
async function raiseSequence(store: ObjectStore, sequence: number): Promise<void> {
  const body = Buffer.from(canonicalJson({ schema: 'aliases/1', sequence }));
  await retryWrite(store, ALIASES_KEY, async () => {
    const aliases = await readStoredJson(store, ALIASES_KEY, 'aliases');
    const latest = (await readPointer(store))?.value.sequence ?? sequence;
    if (aliases !== undefined && aliases.value.sequence >= sequence && aliases.value.sequence <= latest)
      return true;
    const etag = aliases?.etag ?? null;
    const swapped = await store.compareAndSwap(ALIASES_KEY, body, etag, metaOf(ALIASES_KEY));
    return swapped === 'conflict' ? undefined : true;
  });
}
