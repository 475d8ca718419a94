import {
  OBJECTS_PREFIX,
  objectKey,
  parseObjectKey,
  parseReleaseKey,
  POINTER_KEY,
  RELEASES_PREFIX,
} from '../../schemas/paths.js';
import { isOutOfSpace, SPARE_SPACE } from '../../infra/store/directory/spare-space.js';
import { StoreError, type ListedObject, type ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { count } from '../core/text/count.js';
import type { Progress } from '../run/progress.js';
import { acquireGcLease, type GcLease } from '../state/gc-lease.js';
import { readPointer } from '../state/published-state.js';
import {
  listedFilesOf,
  readDayFiles,
  readReleases,
  recordKeysOf,
  retainedReleases,
  type StoredRelease,
} from '../state/reachable-objects.js';
import { restoreSpareSpace, withSpareSpace } from '../state/spare-space.js';
import { damaged } from '../state/stored-json.js';
import { verifyStore } from '../verify/verify-store.js';

/** Number of objects deleted at a time. */
const BATCH = 16;

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
  /** Objects that no retained release reaches, and release records to which the current release does not lead. Deleted unless it was a dry run. */
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
  const lease = await acquireLease(store, options.clock);
  try {
    for (let i = 0; i < candidates.length && !signal.aborted; i += BATCH) {
      await lease.renew();
      await settleAll(candidates.slice(i, i + BATCH), async (candidate) => {
        if (await deleteIfGarbage(store, candidate, pointer.value.sha256, graceMs)) addToGarbage(candidate);
      });
    }
    await lease.end();
  } catch (error) {
    const { objects, releases } = garbage;
    const deleted = `${count(objects, 'object')} and ${count(releases, 'record')} were deleted`;
    throw await endEarly(lease, error, deleted);
  } finally {
    await restoreSpareSpace(store);
  }
  progress.end(`${count(garbage.objects, 'object')}, ${count(garbage.releases, 'record')}`);
  return { outcome: signal.aborted ? 'interrupted' : 'deleted', revision, garbage, young };
}

/** Acquires the lease, on a full disk by means of the spare space. */
async function acquireLease(store: ObjectStore, clock: () => number): Promise<GcLease> {
  try {
    return await withSpareSpace(store, () => acquireGcLease(store, clock));
  } catch (error) {
    if (!isOutOfSpace(error)) throw error;
    const message = `The disk of ${store.address} is full. gc needs ${Math.floor(SPARE_SPACE.bytes / 1_024)} kB for its lease: free that much by hand, then run gc again. Nothing was deleted.`;
    throw new StoreError('unavailable', message, { cause: error });
  }
}

/**
 * Works on all of a batch, even if some of it fails, so that no request is still in progress afterwards.
 * @throws the first error of the store, after which the lease must not be ended; otherwise the first GeneratorError.
 */
async function settleAll(
  batch: readonly ListedObject[],
  work: (candidate: ListedObject) => Promise<void>,
): Promise<void> {
  const settled = await Promise.allSettled(batch.map(work));
  const failures = settled.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  if (failures.length > 0)
    throw failures.find((failure) => !(failure instanceof GeneratorError)) ?? failures[0];
}

/**
 * Returns the error for a garbage collection that ends early. After a failed request the lease is left to time out: the
 * store may still carry out a deletion, and until then no writer may rely on the object.
 */
async function endEarly(lease: GcLease, error: unknown, deleted: string): Promise<unknown> {
  if (error instanceof GeneratorError) {
    await lease.end().catch(() => undefined); // the lease was lost, or the store fails: the first error is what matters
    return new GeneratorError(error.exit, `${deleted}, all of them garbage. ${error.message}`, {
      cause: error,
    });
  }
  const describe = (end: string): string =>
    `${deleted}, all of them garbage, before ${end}. Publishing exits 6 for an hour; then run gc again`;
  if (error instanceof StoreError)
    return new StoreError(error.code, `${describe('the store failed')}: ${error.message}`, { cause: error });
  const isAbort =
    typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
  if (!isAbort) return error;
  const message = `interrupted: ${describe('this run stopped waiting for the store')}.`;
  return new GeneratorError('interrupted', message, { cause: error });
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
      { fault: first },
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
  for (const digest of (await readDayFiles(store, retained)).keys()) reachable.add(objectKey(digest));
  for (const { record } of retained)
    for (const { sha256 } of listedFilesOf(record)) reachable.add(objectKey(sha256));
  const candidates: ListedObject[] = [];
  let young = 0;
  for (const prefix of [OBJECTS_PREFIX, RELEASES_PREFIX]) {
    for await (const found of store.list(prefix)) {
      const parsedKey = parseObjectKey(found.key) ?? parseReleaseKey(found.key);
      if (parsedKey === undefined || reachable.has(found.key)) continue;
      if (nowMs - found.modifiedAtMs > graceMs) candidates.push(found);
      else young += 1;
    }
  }
  return { candidates, young };
}

/**
 * Deletes an object that is still old, and returns whether it did. Its age is read before the pointer, so that an object
 * that a new release relies on is either young or protected by the conflict.
 * @throws GeneratorError 'conflict' if another release was published.
 */
async function deleteIfGarbage(
  store: ObjectStore,
  { key }: ListedObject,
  release: string,
  graceMs: number,
): Promise<boolean> {
  const head = await store.head(key);
  if (head === undefined || head.answeredAtMs - head.modifiedAtMs <= graceMs) return false;
  const pointer = await readPointer(store);
  if (pointer?.value.sha256 !== release) {
    throw new GeneratorError(
      'conflict',
      'Another release was published during this run, so the remaining objects were not deleted. Run gc again.',
    );
  }
  await store.delete(key);
  return true;
}
