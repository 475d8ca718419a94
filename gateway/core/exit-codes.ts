/** The exits of the gateway with their codes. Help and the README list them. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'done' },
  found: { code: 1, meaning: 'reconcile left a difference, or doctor found a fault' },
  usage: { code: 2, meaning: 'wrong usage or configuration; nothing was written' },
  refused: {
    code: 5,
    meaning:
      'no such account, grant or key, or the account already has five active keys; nothing was changed',
  },
  conflict: { code: 6, meaning: 'other processes keep changing the account, or one has the lock; run again' },
  'store-unavailable': { code: 7, meaning: 'a store cannot be reached or written' },
  damaged: { code: 8, meaning: 'a stored document is damaged; the message names it' },
  'billing-unavailable': {
    code: 10,
    meaning:
      'Stripe refused, or did not answer; accounts that it answered for were reconciled; five requests in a row without an answer end the run; run again',
  },
  bug: { code: 70, meaning: 'a bug in the gateway; please report it with the stack' },
  interrupted: {
    code: 130,
    meaning: 'interrupted; look at what was changed (gateway accounts show) before you run it again',
  },
} as const satisfies Record<string, { code: number; meaning: string }>;

export type ExitName = keyof typeof EXIT_CODES;

/**
 * Words of the command to suggest after a failure, without the program: a list, to which the run's `--accounts-store` is
 * added, or a function of the run's arguments. With `undefined`, the exit decides.
 */
type NextWords = readonly string[] | ((args: readonly string[]) => readonly string[]) | undefined;

/** Suggests the same command again, for a 'usage' error with a cause outside the command line, such as a variable. */
export const RUN_AGAIN: NextWords = (args) => args;

/**
 * A failure for the operator to read. The message says what happened, where and what to do, and needs no stack. It may
 * name keys of a store, so over HTTP the caller sees only 'internal'.
 */
export class OperatorError extends Error {
  readonly exit: Exclude<ExitName, 'done' | 'found' | 'bug'>;

  /** Words of the command to suggest instead of the exit's usual one. */
  readonly next: NextWords;

  constructor(exit: OperatorError['exit'], message: string, options?: ErrorOptions & { next?: NextWords }) {
    super(message, options);
    this.name = 'OperatorError';
    this.exit = exit;
    this.next = options?.next;
  }
}
