import { OperatorError } from '../../core/exit-codes.js';

/** Runs an operation of a store and records whether the store answered. Resolves or rejects like the operation. */
export type WatchStore = <T>(operation: () => Promise<T>) => Promise<T>;

/** Whether a store is reachable, judged by the operations that are watched. */
export type StoreHealth = {
  /** Returns whether the store is considered reachable; true before the first operation. */
  readonly isReachable: () => boolean;
  readonly watch: WatchStore;
};

/**
 * Creates the health of a store; `onError` receives each error. A damaged document counts as an answer. A failure does
 * not count if the store has answered another operation since the failed one began: otherwise, operations that an
 * outage left waiting would report it again when they reach their time limits. A store that answers some operations
 * and not others may therefore count as reachable.
 */
export function createStoreHealth(onError: (error: unknown) => void): StoreHealth {
  let isReachable = true;
  let answers = 0;
  function recordAnswer(): void {
    answers += 1;
    isReachable = true;
  }
  return {
    isReachable: () => isReachable,
    async watch(operation) {
      const answersBefore = answers;
      try {
        const result = await operation();
        recordAnswer();
        return result;
      } catch (error) {
        if (isDamage(error)) recordAnswer();
        else if (answers === answersBefore) isReachable = false;
        onError(error);
        throw error;
      }
    },
  };
}

/** Returns whether an error reports a damaged document: its store answers, and retrying does not help. */
export function isDamage(error: unknown): boolean {
  return error instanceof OperatorError && error.exit === 'damaged';
}
