import { count } from '../core/text/count.js';
import {
  OBJECTS_PREFIX,
  objectKey,
  parseObjectKey,
  parseReleaseKey,
  parseStatementKey,
  POINTER_KEY,
  RELEASES_PREFIX,
  statementKey,
} from '../../schemas/paths.js';
import type { ListedObject, ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import type { Progress } from '../run/progress.js';
import {
  listedFilesOf,
  readDayFiles,
  readPointer,
  readReleases,
  recordKeysOf,
  retainedReleases,
  type StoredRelease,
} from '../state/published-state.js';
import { damaged } from '../state/stored-json.js';
import { verifyStore } from '../verify/verify-store.js';
import { deleteGarbage } from './delete-garbage.js';

/** Options for `gcStore`. */
export type GcStoreOptions = {
  /** True to delete the garbage; false to only count it. */
  readonly apply: boolean;
  /** Minimum age of an object that is deleted, by the clock of the store. */
  readonly graceMs: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Returns milliseconds from any origin, and does not stop while the machine sleeps. */
  readonly clock: () => number;
};

/** The report of a garbage collection. */
export type GcResult = {
  readonly outcome: 'deleted' | 'dry-run' | 'interrupted';
  readonly revision: string;
  /** Objects that no retained release reaches, and release records (with their statements) to which the current release does not lead. Deleted unless it was a dry run. */
  readonly garbage: { readonly objects: number; readonly releases: number; readonly bytes: number };
  /** Number of unreachable objects that are younger than the grace period. */
  readonly young: number;
};

/**
 * Deletes objects that no retained release reaches and that are older than the grace period. Keeps every release record
 * of the chain, every day file that a retained manifest names, and everything listed by the last 30 releases and those
 * of the last 30 days.
 * @throws GeneratorError 'damaged' if verification finds a fault, 'conflict' if a release is published in the meantime.
 */
export async function gcStore(store: ObjectStore, options: GcStoreOptions): Promise<GcResult> {
  const { apply, graceMs, progress, signal } = options;
  await assertSound(store, options);
  const pointer = await readPointer(store);
  const head = await store.head(POINTER_KEY);
  if (pointer === undefined || head === undefined) throw damaged(POINTER_KEY, 'is missing');
  progress.begin('gc');
  const releases = await readReleases(store, pointer.value);
  const { candidates, young } = await findCandidates(store, releases, head.answeredAtMs, graceMs);
  const garbage = { objects: 0, releases: 0, bytes: 0 };
  const addToGarbage = ({ key, sizeBytes }: ListedObject): void => {
    garbage[parseObjectKey(key) === undefined ? 'releases' : 'objects'] += 1;
    garbage.bytes += sizeBytes;
  };
  const { revision } = pointer.value;
  if (!apply) {
    candidates.forEach(addToGarbage);
    progress.end(`${count(candidates.length, 'object')} could be deleted`);
    return { outcome: 'dry-run', revision, garbage, young };
  }
  await deleteGarbage(store, {
    ...{ candidates, graceMs, signal, clock: options.clock, writing: 'Publishing' },
    assertUnchanged: () => assertCurrent(store, pointer.value.sha256),
    onDeleted: addToGarbage,
    describe: () =>
      `${count(garbage.objects, 'object')} and ${count(garbage.releases, 'record')} were deleted`,
  });
  progress.end(`${count(garbage.objects, 'object')}, ${count(garbage.releases, 'record')}`);
  return { outcome: signal.aborted ? 'interrupted' : 'deleted', revision, garbage, young };
}

/** Passes for a store without faults. In a damaged one, an object may look like garbage because a manifest is missing. */
async function assertSound(store: ObjectStore, { progress, signal }: GcStoreOptions): Promise<void> {
  const { faults } = await verifyStore(store, { deep: false, progress, signal });
  const [first] = faults;
  if (first === undefined) return;
  if (first.key === POINTER_KEY && (await isNeverPublished(store))) {
    throw new GeneratorError(
      'damaged',
      `Nothing was ever published to ${store.address}. Run publish again, which uses the files that are there, or delete the store if no publish is running.`,
      { fault: first, next: ['publish', '--input', 'DIR', '--store', store.address] },
    );
  }
  throw new GeneratorError(
    'damaged',
    `Nothing was deleted, because the store has ${count(faults.length, 'fault')}. First fault: ${first.key}: ${first.message}. Run "generator verify", then "generator repair".`,
    { fault: first },
  );
}

/** Returns whether the store has neither a pointer nor a release record, such as after a first release that failed. */
async function isNeverPublished(store: ObjectStore): Promise<boolean> {
  if ((await store.head(POINTER_KEY)) !== undefined) return false;
  for await (const { key } of store.list(RELEASES_PREFIX))
    if (parseReleaseKey(key) !== undefined) return false;
  return true;
}

async function findCandidates(
  store: ObjectStore,
  releases: readonly StoredRelease[],
  nowMs: number,
  graceMs: number,
): Promise<{ candidates: ListedObject[]; young: number }> {
  const retained = retainedReleases(releases, nowMs);
  const reachable = recordKeysOf(releases);
  for (const { record, sha256 } of releases) reachable.add(statementKey(record.revision, sha256));
  for (const digest of (await readDayFiles(store, retained)).keys()) reachable.add(objectKey(digest));
  for (const { record } of retained)
    for (const { sha256 } of listedFilesOf(record)) reachable.add(objectKey(sha256));
  const candidates: ListedObject[] = [];
  let young = 0;
  for (const prefix of [OBJECTS_PREFIX, RELEASES_PREFIX]) {
    for await (const found of store.list(prefix)) {
      if (!isCollected(found.key) || reachable.has(found.key)) continue;
      if (nowMs - found.modifiedAtMs > graceMs) candidates.push(found);
      else young += 1;
    }
  }
  return { candidates, young };
}

/** Returns whether garbage collection may delete a key that nothing reaches: of an artifact, a record, or its statement. */
function isCollected(key: string): boolean {
  return (parseObjectKey(key) ?? parseReleaseKey(key) ?? parseStatementKey(key)) !== undefined;
}

/** Passes while a release is in force. @throws GeneratorError 'conflict' otherwise. */
async function assertCurrent(store: ObjectStore, release: string): Promise<void> {
  if ((await readPointer(store))?.value.sha256 === release) return;
  throw new GeneratorError(
    'conflict',
    'Another release was published during this run, so the remaining objects were not deleted. Run gc again.',
  );
}
