import { OperatorError } from '../../core/exit-codes.js';

/** The reachability of a store, as of its last operation. */
export type StoreHealth = {
  /** Returns whether the last operation was answered; true before the first one. */
  readonly isReachable: () => boolean;
  /** Records the outcome of an operation: its error, or `undefined`. */
  readonly report: (error: unknown) => void;
};

/** Creates the health of a store; `onError` receives each error. A damaged document counts as an answer. */
export function createStoreHealth(onError: (error: unknown) => void): StoreHealth {
  let isReachable = true;
  return {
    isReachable: () => isReachable,
    report(error) {
      isReachable = error === undefined || isDamage(error);
      if (error !== undefined) onError(error);
    },
  };
}

/** Returns whether an error reports a damaged document: its store answers, and retrying does not help. */
export function isDamage(error: unknown): boolean {
  return error instanceof OperatorError && error.exit === 'damaged';
}
