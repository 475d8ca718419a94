/** Every way in which a run of the gateway ends, with its exit code. The README's table is tested against this one. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'done' },
  found: { code: 1, meaning: 'reconcile found something that is left, or doctor a fault' },
  usage: { code: 2, meaning: 'wrong usage or configuration; nothing was written' },
  refused: {
    code: 5,
    meaning: 'there is no such account, grant or key, or the account has its five keys; nothing was changed',
  },
  conflict: { code: 6, meaning: 'others keep changing the account, or hold the lock; run again' },
  'store-unavailable': { code: 7, meaning: 'a store cannot be reached or written' },
  damaged: { code: 8, meaning: 'a document of a store is damaged; the message names its key' },
  'billing-unavailable': {
    code: 10,
    meaning: 'Stripe does not answer, or refuses; what could be done was done, run again',
  },
  bug: { code: 70, meaning: 'a bug in the gateway: please report it with the stack' },
  interrupted: { code: 130, meaning: 'interrupted; look at the account before you run it again' },
} as const satisfies Record<string, { code: number; meaning: string }>;

/** How a run can end. */
export type ExitName = keyof typeof EXIT_CODES;

/** Endings that the same command may not have some minutes later; all others but `done` wait for a person. */
export const TRANSIENT_EXITS = [
  'conflict',
  'store-unavailable',
  'billing-unavailable',
] as const satisfies ExitName[];

/**
 * A failure that an operator must hear of. The message says what, where and what to do, and needs no stack; it may name
 * keys of a store, so to a caller over HTTP it is no more than 'internal'.
 */
export class OperatorError extends Error {
  readonly exit: Exclude<ExitName, 'done' | 'found' | 'bug'>;

  constructor(exit: OperatorError['exit'], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OperatorError';
    this.exit = exit;
  }
}
