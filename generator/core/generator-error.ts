import type { StoreFault } from './verification/fault.js';

/** Every way in which a run ends, with its exit code. The README's table is tested against this one. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'done, or unchanged' },
  bug: { code: 1, meaning: 'a bug in the generator: please report it with the stack' },
  usage: { code: 2, meaning: 'wrong usage or configuration; nothing was written' },
  'input-invalid': {
    code: 3,
    meaning: 'input invalid: every fault is listed; the chains concerned keep their published state',
  },
  'artifact-invalid': { code: 4, meaning: 'an artifact does not match its schema; nothing was published' },
  refused: {
    code: 5,
    meaning: 'a restatement or drop was refused; the chains concerned keep their published state',
  },
  conflict: { code: 6, meaning: 'another publisher was faster, or holds the lock; run again' },
  'store-unavailable': { code: 7, meaning: 'the store cannot be reached or written' },
  damaged: { code: 8, meaning: 'verification failed: the store is damaged or stale' },
  held: { code: 9, meaning: 'publication is held' },
  interrupted: { code: 130, meaning: 'interrupted; the message says whether the release was committed' },
} as const satisfies Record<string, { code: number; meaning: string }>;

/** How a run can end. */
export type ExitName = keyof typeof EXIT_CODES;

/** Endings that the same run may not have some minutes later; all others but `done` wait for a person. */
export const TRANSIENT_EXITS = ['conflict', 'store-unavailable', 'interrupted'] as const satisfies ExitName[];

/** A failure that ends the run. The message says what, where and what to do; it needs no stack. */
export class GeneratorError extends Error {
  readonly exit: Exclude<ExitName, 'done' | 'bug'>;
  /** What is wrong with which key, when the store is damaged. */
  readonly fault: StoreFault | undefined;

  constructor(
    exit: GeneratorError['exit'],
    message: string,
    options?: ErrorOptions & { fault?: StoreFault },
  ) {
    super(message, options);
    this.name = 'GeneratorError';
    this.exit = exit;
    this.fault = options?.fault;
  }
}
