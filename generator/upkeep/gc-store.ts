import { count } from '../../schemas/words.js';
import {
  COLLECTED_PREFIX,
  collectedKey,
  COLLECTION_KEY,
  objectKey,
  OBJECTS_PREFIX,
  parseObjectKey,
  parseReleaseKey,
  parseStatementKey,
  POINTER_KEY,
  RELEASES_PREFIX,
  statementKey,
  STORE_KEY,
} from '../../schemas/paths.js';
import { type ListedObject, type ObjectStore, StoreError } from '../../infra/store/object-store.js';
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
import { listBounded } from '../state/bounded-list.js';
import { damaged, readStoredJson } from '../state/stored-json.js';
import { verifyStore } from '../verify/verify-store.js';
import { acquireGcLease, type GcLease } from '../state/gc-lease.js';
import type { CollectedFile, CollectionPointer } from '../../schemas/types.generated.js';
import { type Collection, readCollection } from '../collect/collection-store.js';

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
    candidates,
    graceMs,
    signal,
    clock: options.clock,
    writing: 'Publishing',
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
  for await (const { key } of listBounded(store, RELEASES_PREFIX))
    if (parseReleaseKey(key) !== undefined) return false;
  return true;
}

/** Maximum number of objects that a run deletes, so that the memory stays bounded. Later runs delete the others. */
const MAX_CANDIDATES = 500_000;

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
    for await (const found of listBounded(store, prefix)) {
      if (!isCollected(found.key) || reachable.has(found.key)) continue;
      if (nowMs - found.modifiedAtMs <= graceMs) young += 1;
      else if (candidates.length < MAX_CANDIDATES) candidates.push(found);
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

/** Number of objects deleted at a time. */
const BATCH = 16;

/** Options for `deleteGarbage`. */
type DeleteOptions = {
  readonly candidates: readonly ListedObject[];
  /** Minimum age of an object that is deleted, by the clock of the store. */
  readonly graceMs: number;
  readonly signal: AbortSignal;
  /** Returns milliseconds from any origin, and does not stop while the machine sleeps. */
  readonly clock: () => number;
  /** Passes while the pointer by which the candidates are garbage is in force. @throws GeneratorError 'conflict' otherwise. */
  readonly assertUnchanged: () => Promise<void>;
  readonly onDeleted: (object: ListedObject) => void;
  /** Returns what was deleted so far, as the beginning of a sentence. */
  readonly describe: () => string;
  /** The commands that exit 6 while the lease of an interrupted run lasts. */
  readonly writing: 'Publishing' | 'Collecting';
};

/**
 * Deletes objects that are still old, under the lease of garbage collection, until `signal` is aborted.
 * @throws GeneratorError 'conflict' if another garbage collection is running, or the pointer moved.
 */
async function deleteGarbage(store: ObjectStore, options: DeleteOptions): Promise<void> {
  const { candidates, signal, clock } = options;
  const lease = await acquireGcLease(store, clock);
  try {
    for (let i = 0; i < candidates.length && !signal.aborted; i += BATCH) {
      await lease.renew();
      await settleAll(candidates.slice(i, i + BATCH), async (candidate) => {
        if (await deleteIfGarbage(store, candidate, options)) options.onDeleted(candidate);
      });
    }
    await lease.end();
  } catch (error) {
    throw await endEarly(lease, error, options);
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
async function endEarly(
  lease: GcLease,
  error: unknown,
  { describe: describeDeleted, writing }: DeleteOptions,
): Promise<unknown> {
  const deleted = describeDeleted();
  if (error instanceof GeneratorError) {
    await lease.end().catch(() => undefined); // the lease was lost, or the store fails: the first error is what matters
    return new GeneratorError(error.exit, `${deleted}, all of them garbage. ${error.message}`, {
      cause: error,
      next: error.next,
    });
  }
  const describe = (end: string): string =>
    `${deleted}, all of them garbage, before ${end}. ${writing} exits 6 for an hour; then run gc again`;
  if (error instanceof StoreError)
    return new StoreError(error.code, `${describe('the store failed')}: ${error.message}`, { cause: error });
  const isAbort =
    typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
  if (!isAbort) return error;
  const message = `interrupted: ${describe('this run stopped waiting for the store')}.`;
  return new GeneratorError('interrupted', message, { cause: error });
}

/**
 * Deletes an object that is still old, and returns whether it did. Its age is read before the pointer, so that an object
 * that a new release or collection relies on is either young or protected by the conflict.
 */
async function deleteIfGarbage(
  store: ObjectStore,
  { key }: ListedObject,
  { graceMs, assertUnchanged }: DeleteOptions,
): Promise<boolean> {
  const head = await store.head(key);
  if (head === undefined || head.answeredAtMs - head.modifiedAtMs <= graceMs) return false;
  await assertUnchanged();
  await store.delete(key);
  return true;
}

/** Age of the pointer at which no publish reads the files of the collection before any more. */
const READING_MS = 3_600_000;

/** The report of a garbage collection of a collection. */
export type CollectionGcResult = {
  readonly outcome: 'deleted' | 'dry-run' | 'interrupted';
  /** Number of the collection in force. */
  readonly sequence: number;
  /**
   * Files older than the grace period that neither the pointer nor a line of a ledger names: those to delete in a dry run,
   * and those that were deleted otherwise.
   */
  readonly garbage: { readonly objects: number; readonly bytes: number };
  /** Number of files without a name that are younger. */
  readonly young: number;
};

/** Returns whether an address has a collection, and is no release store. */
export async function isCollection(store: ObjectStore): Promise<boolean> {
  return (await store.head(STORE_KEY)) === undefined && (await store.head(COLLECTION_KEY)) !== undefined;
}

/**
 * Deletes the files of earlier collections that are older than the grace period. Keeps all that the pointer names, and the
 * lineage of every line of the ledgers.
 * @throws GeneratorError 'damaged' if a document is missing or not what it should be; 'conflict' if there is
 * something to delete and the pointer moved less than an hour ago, or moves in the meantime.
 */
export async function gcCollection(
  store: ObjectStore,
  { apply, graceMs, progress, signal, clock }: GcStoreOptions,
): Promise<CollectionGcResult> {
  const head = await store.head(COLLECTION_KEY);
  const pointer = await readStoredJson(store, COLLECTION_KEY, 'collection');
  const collection = await readCollection(store);
  if (head === undefined || pointer === undefined || collection.etag !== pointer.etag) throw moved();
  progress.begin('gc');
  const { sequence } = collection;
  const needed = keysOf(pointer.value, collection);
  const { candidates, young } = await findCollectionCandidates(store, needed, head.answeredAtMs, graceMs);
  const garbage = { objects: 0, bytes: 0 };
  const addToGarbage = ({ sizeBytes }: ListedObject): void => {
    garbage.objects += 1;
    garbage.bytes += sizeBytes;
  };
  if (!apply) {
    candidates.forEach(addToGarbage);
    progress.end(`${count(candidates.length, 'file')} could be deleted`);
    return { outcome: 'dry-run', sequence, garbage, young };
  }
  if (candidates.length > 0 && head.answeredAtMs - head.modifiedAtMs < READING_MS) throw justChanged(store);
  await deleteGarbage(store, {
    candidates,
    graceMs,
    signal,
    clock,
    writing: 'Collecting',
    onDeleted: addToGarbage,
    async assertUnchanged() {
      if ((await store.head(COLLECTION_KEY))?.etag !== pointer.etag) throw moved();
    },
    describe: () => `${count(garbage.objects, 'file')} were deleted`,
  });
  progress.end(count(garbage.objects, 'file'));
  return { outcome: signal.aborted ? 'interrupted' : 'deleted', sequence, garbage, young };
}

function justChanged({ address }: ObjectStore): GeneratorError {
  const message = `The collection at ${address} changed less than an hour ago, and a publish may still read the files of the one before. Nothing was deleted. Run gc again later.`;
  return new GeneratorError('conflict', message);
}

function moved(): GeneratorError {
  const message =
    'Another collection was committed during this run, so the remaining files were not deleted. Run gc again.';
  return new GeneratorError('conflict', message);
}

/** Returns the keys that a collection needs. */
function keysOf({ ledgers, files, changes, state }: CollectionPointer, collection: Collection): Set<string> {
  const named = [ledgers, files].flatMap((each) => Object.values(each) as CollectedFile[]); // values loses the type
  const lines = [...collection.ledgers.values()].flat();
  const digests = [
    ...[...named, changes, state].map(({ sha256 }) => sha256),
    ...lines.map(({ lineage }) => lineage),
  ];
  return new Set(digests.map(collectedKey));
}

async function findCollectionCandidates(
  store: ObjectStore,
  needed: ReadonlySet<string>,
  nowMs: number,
  graceMs: number,
): Promise<{ candidates: ListedObject[]; young: number }> {
  const candidates: ListedObject[] = [];
  let young = 0;
  for await (const found of store.list(COLLECTED_PREFIX)) {
    const digest = found.key.slice(COLLECTED_PREFIX.length);
    if (needed.has(found.key) || !/^[0-9a-f]{64}$/.test(digest)) continue; // another name is not the program's
    if (nowMs - found.modifiedAtMs > graceMs) candidates.push(found);
    else young += 1;
  }
  return { candidates, young };
}
