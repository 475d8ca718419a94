import pMap from 'p-map';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { ALIASES_KEY, POINTER_KEY, publicKey, PUBLIC_PATHS } from '../../schemas/paths.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { publicPathsOf } from '../core/release/chain-state.js';
import { metaOf } from './object-meta.js';
import { SILENT, type Progress } from './progress.js';
import { readPointer, readRecord } from './published-state.js';
import { damaged, readArtifact, readStoredJson } from './stored-json.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';

const CONCURRENCY = 8;

/** How many public copies were written, and how many bytes. */
export type RefreshResult = { readonly objects: number; readonly bytes: number };

/**
 * Brings every public copy to what the pointer's release names, status last, and then raises the mark. Safe beside
 * other publishers: each copy is looked at before the pointer is read, so that an older release never overwrites a
 * newer one.
 */
export async function refreshAliases(
  store: ObjectStore,
  progress: Progress = SILENT,
  signal?: AbortSignal,
): Promise<RefreshResult> {
  const target = createTarget(store);
  const first = await target();
  const total = { objects: 0, bytes: 0 };
  const paths = Object.keys(first.public).sort();
  progress.begin('aliases', paths.length);
  const refresh = async (path: string): Promise<void> => {
    signal?.throwIfAborted();
    const bytes = await refreshOne(store, path, target);
    total.objects += bytes > 0 ? 1 : 0;
    total.bytes += bytes;
    progress.advance();
  };
  await pMap(
    paths.filter((path) => path !== PUBLIC_PATHS.status),
    refresh,
    { concurrency: CONCURRENCY },
  );
  for (const path of CHAIN_IDS.flatMap(publicPathsOf)) await takeBack(store, path, target);
  if (PUBLIC_PATHS.status in first.public) await refresh(PUBLIC_PATHS.status);
  await raiseMark(store, first.sequence);
  progress.end(`sequence ${first.sequence}`);
  return total;
}

/** Reads the release that the pointer names now; a record is read once. */
function createTarget(store: ObjectStore): () => Promise<ReleaseRecord> {
  let known: { sha256: string; record: ReleaseRecord } | undefined;
  return async () => {
    const pointer = await readPointer(store);
    if (pointer === undefined) throw damaged(POINTER_KEY, 'is missing');
    if (known?.sha256 !== pointer.value.sha256) {
      known = { sha256: pointer.value.sha256, record: await readRecord(store, pointer.value) };
    }
    return known.record;
  };
}

/** Refreshes one copy; resolves the bytes written, 0 when it was as it should be. */
async function refreshOne(
  store: ObjectStore,
  path: string,
  target: () => Promise<ReleaseRecord>,
): Promise<number> {
  const key = publicKey(path);
  for (;;) {
    const head = await store.head(key);
    const entry = (await target()).public[path];
    if (entry === undefined || head?.sha256 === entry.sha256) return 0;
    const body = await readArtifact(store, entry.sha256);
    const meta = metaOf(key, entry.type, path);
    if ((await store.compareAndSwap(key, body, head?.etag ?? null, meta)) !== 'conflict') return body.length;
  }
}

/** Deletes the copy of a file that the release names no more: a rollback withdrew all that it tells of. */
async function takeBack(
  store: ObjectStore,
  path: string,
  target: () => Promise<ReleaseRecord>,
): Promise<void> {
  const key = publicKey(path);
  if (path in (await target()).public || (await store.head(key)) === undefined) return;
  if (path in (await target()).public) return;
  await store.delete(key);
  // A release may have been published since, and its copy be the one that was deleted.
  await refreshOne(store, path, target);
}

/** Sets the mark to `sequence`, unless it names a later release up to the pointer's own. */
async function raiseMark(store: ObjectStore, sequence: number): Promise<void> {
  const body = Buffer.from(canonicalJson({ schema: 'aliases/1', sequence }));
  for (;;) {
    const mark = await readStoredJson(store, ALIASES_KEY, 'aliases');
    const latest = (await readPointer(store))?.value.sequence ?? sequence;
    if (mark !== undefined && mark.value.sequence >= sequence && mark.value.sequence <= latest) return;
    if (
      (await store.compareAndSwap(ALIASES_KEY, body, mark?.etag ?? null, metaOf(ALIASES_KEY))) !== 'conflict'
    )
      return;
  }
}
