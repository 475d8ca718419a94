import { OperatorError } from '../core/exit-codes.js';

/** Whether a store answers. */
export type StoreTouch = {
  /** Whether it answered when it was last asked; true before that. */
  readonly isInTouch: () => boolean;
  /** Takes what became of an operation: a failure, or `undefined`. */
  readonly note: (error: unknown) => void;
};

/** Whether a store answers; `onError` is told of each failure. A document that is damaged is an answer too. */
export function createStoreTouch(onError: (error: unknown) => void): StoreTouch {
  let inTouch = true;
  return {
    isInTouch: () => inTouch,
    note(error) {
      inTouch = error === undefined || isDamage(error);
      if (error !== undefined) onError(error);
    },
  };
}

/** Whether a failure says that a document is damaged: then its store has answered, and trying again does not help. */
export function isDamage(error: unknown): boolean {
  return error instanceof OperatorError && error.exit === 'damaged';
}
