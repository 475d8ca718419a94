import { StoreError, type ListedObject, type ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { acquireGcLease, type GcLease } from '../state/gc-lease.js';

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
export async function deleteGarbage(store: ObjectStore, options: DeleteOptions): Promise<void> {
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
