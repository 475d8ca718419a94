import pMap from 'p-map';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { ALIASES_KEY, POINTER_KEY, publicKey, PUBLIC_PATHS } from '../../schemas/paths.js';
import { isAssetPath } from '../../schemas/release-paths.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { publicPathsOf } from '../core/draft/chain-state.js';
import { metaOf } from '../state/object-meta.js';
import { SILENT, type Progress } from '../run/progress.js';
import { readPointer, readRecord } from '../state/published-state.js';
import { damaged, readArtifact, readStoredJson } from '../state/stored-json.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';

const CONCURRENCY = 8;

/** Number and size of the public copies that were written. */
export type RefreshResult = { readonly objects: number; readonly bytes: number };

/**
 * Updates every public copy, also called alias, to the release that the pointer names, and then sets aliases.json to its
 * sequence. The list of files comes first, so that readers who compare others with it notice the refresh; then scripts and
 * style sheets, before the pages that need them; the status comes last. Several runs may refresh at the same time: each
 * copy is read before the pointer, so an older release never overwrites a newer one.
 */
export async function refreshAliases(
  store: ObjectStore,
  progress: Progress = SILENT,
  signal?: AbortSignal,
): Promise<RefreshResult> {
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
  const { release, status } = PUBLIC_PATHS;
  if (release in first.public) await refresh(release);
  const assets = paths.filter(isAssetPath);
  const others = paths.filter((path) => path !== release && path !== status && !isAssetPath(path));
  for (const group of [assets, others]) await pMap(group, refresh, { concurrency: CONCURRENCY });
  for (const path of CHAIN_IDS.flatMap(publicPathsOf)) await deleteUnlisted(store, path, current);
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
async function refreshCopy(
  store: ObjectStore,
  path: string,
  current: () => Promise<ReleaseRecord>,
): Promise<number> {
  const key = publicKey(path);
  for (;;) {
    const head = await store.head(key);
    const entry = (await current()).public[path];
    if (entry === undefined || head?.sha256 === entry.sha256) return 0;
    const body = await readArtifact(store, entry.sha256);
    const meta = metaOf(key, entry.type, path);
    if ((await store.compareAndSwap(key, body, head?.etag ?? null, meta)) !== 'conflict') return body.length;
  }
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
  for (;;) {
    const aliases = await readStoredJson(store, ALIASES_KEY, 'aliases');
    const latest = (await readPointer(store))?.value.sequence ?? sequence;
    if (aliases !== undefined && aliases.value.sequence >= sequence && aliases.value.sequence <= latest)
      return;
    if (
      (await store.compareAndSwap(ALIASES_KEY, body, aliases?.etag ?? null, metaOf(ALIASES_KEY))) !==
      'conflict'
    )
      return;
  }
}
