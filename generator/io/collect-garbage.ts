import {
  OBJECTS_PREFIX,
  objectKey,
  parseObjectKey,
  parseReleaseKey,
  POINTER_KEY,
  RELEASES_PREFIX,
} from '../../schemas/paths.js';
import { StoreError, type ListedObject, type ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { announceCollection, type CollectionMark } from './collection-mark.js';
import type { Progress } from './progress.js';
import { readPointer } from './published-state.js';
import {
  listedFilesOf,
  readDayFiles,
  readReleaseChain,
  recordKeysOf,
  retainedOf,
  type ChainRelease,
} from './reachable-objects.js';
import { damaged } from './stored-json.js';
import { verifyStore } from './verify-store.js';

const BATCH = 16;

/** How to collect. */
export type CollectTerms = {
  /** Delete; otherwise only say what would be deleted. */
  readonly apply: boolean;
  /** Least age of what is deleted, by the store's own clock. */
  readonly graceMs: number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Milliseconds from any origin, also while the machine sleeps. */
  readonly clock: () => number;
};

/** What was collected, or would be: objects that no retained release reaches, and records outside the chain. */
export type Collection = {
  readonly outcome: 'collected' | 'dry-run' | 'interrupted';
  readonly revision: string;
  readonly collected: { readonly objects: number; readonly releases: number; readonly bytes: number };
  /** What nothing reaches either, but is too young. */
  readonly young: number;
};

/**
 * Deletes what no retained release reaches and is older than the grace. Kept are every record of the chain, every day
 * file that a retained manifest names, and all that the last 30 releases and those of the last 30 days list.
 * @throws GeneratorError 'damaged' when verification finds a fault, 'conflict' when a release is published meanwhile.
 */
export async function collectGarbage(store: ObjectStore, terms: CollectTerms): Promise<Collection> {
  const { apply, graceMs, progress, signal } = terms;
  await assertSound(store, terms);
  const pointer = await readPointer(store);
  const head = await store.head(POINTER_KEY);
  if (pointer === undefined || head === undefined) throw damaged(POINTER_KEY, 'is missing');
  progress.begin('collect');
  const chain = await readReleaseChain(store, pointer.value);
  const { candidates, young } = await findCandidates(store, chain, head.answeredAtMs, graceMs);
  const collected = { objects: 0, releases: 0, bytes: 0 };
  const count = ({ key, sizeBytes }: ListedObject): void => {
    collected[parseObjectKey(key) === undefined ? 'releases' : 'objects'] += 1;
    collected.bytes += sizeBytes;
  };
  const { revision } = pointer.value;
  if (!apply) {
    candidates.forEach(count);
    progress.end(`${candidates.length} objects could be collected`);
    return { outcome: 'dry-run', revision, collected, young };
  }
  const mark = await announceCollection(store, terms.clock);
  for (let i = 0; i < candidates.length && !signal.aborted; i += BATCH) {
    try {
      await mark.beat();
      await deleteAll(candidates.slice(i, i + BATCH), async (candidate) => {
        if (await deleteIfStill(store, candidate, pointer.value.sha256, graceMs)) count(candidate);
      });
    } catch (error) {
      const { objects, releases } = collected;
      throw await endEarly(mark, error, `${objects} objects and ${releases} records were deleted`);
    }
  }
  await mark.release();
  progress.end(`${collected.objects} objects, ${collected.releases} records`);
  return { outcome: signal.aborted ? 'interrupted' : 'collected', revision, collected, young };
}

/** Works through a batch to its end, whatever fails on the way. @throws what was met first and says most. */
async function deleteAll(
  batch: readonly ListedObject[],
  work: (candidate: ListedObject) => Promise<void>,
): Promise<void> {
  const settled = await Promise.allSettled(batch.map(work));
  const failures = settled.flatMap((each): unknown[] => (each.status === 'rejected' ? [each.reason] : []));
  if (failures.length > 0) throw failures.find((failure) => !isOurs(failure)) ?? failures[0];
}

/** Whether a failure is a finding of ours, and not one of a request that may yet be done. */
function isOurs(error: unknown): boolean {
  return error instanceof GeneratorError;
}

/**
 * What to say of a collection that ends early. After a request that failed the mark is left standing: a deletion may
 * still be on its way, and no writer shall rely on what it takes.
 */
async function endEarly(mark: CollectionMark, error: unknown, deleted: string): Promise<unknown> {
  if (error instanceof GeneratorError) {
    await mark.release().catch(() => undefined); // another collector has the mark, or the store fails: the finding counts
    return new GeneratorError(error.exit, `${deleted}, all of it garbage; ${error.message}`, {
      cause: error,
    });
  }
  const waiting = `${deleted}, all of it garbage, before the store failed; publications exit 6 for an hour`;
  if (error instanceof StoreError)
    return new StoreError(error.code, `${waiting}: ${error.message}`, { cause: error });
  const isAbort =
    typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
  return isAbort ? new GeneratorError('interrupted', `interrupted: ${waiting}`, { cause: error }) : error;
}

/** Nothing is deleted from a store that is not sound: what looks like garbage may be what is missed. */
async function assertSound(store: ObjectStore, { progress, signal }: CollectTerms): Promise<void> {
  const { faults } = await verifyStore(store, { deep: false, progress, signal });
  const [first] = faults;
  if (first === undefined) return;
  throw new GeneratorError(
    'damaged',
    `nothing was collected: the store has ${faults.length} faults, first ${first.key}: ${first.message}; run "generator verify", then "generator repair"`,
    { fault: first },
  );
}

async function findCandidates(
  store: ObjectStore,
  chain: readonly ChainRelease[],
  nowMs: number,
  graceMs: number,
): Promise<{ candidates: ListedObject[]; young: number }> {
  const retained = retainedOf(chain, nowMs);
  const kept = recordKeysOf(chain);
  for (const digest of (await readDayFiles(store, retained)).keys()) kept.add(objectKey(digest));
  for (const { record } of retained)
    for (const { sha256 } of listedFilesOf(record)) kept.add(objectKey(sha256));
  const candidates: ListedObject[] = [];
  let young = 0;
  for (const prefix of [OBJECTS_PREFIX, RELEASES_PREFIX]) {
    for await (const found of store.list(prefix)) {
      const isOurs = parseObjectKey(found.key) ?? parseReleaseKey(found.key);
      if (isOurs === undefined || kept.has(found.key)) continue;
      if (nowMs - found.modifiedAtMs > graceMs) candidates.push(found);
      else young += 1;
    }
  }
  return { candidates, young };
}

/** Deletes one object that is still old and that no later release can reach; the age is looked at first. */
async function deleteIfStill(
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
      'a release was published meanwhile: the rest was left alone; run again',
    );
  }
  await store.delete(key);
  return true;
}
