import type { StoreFault } from './store-fault.js';

/** Exit codes of the generator. The list in generator/README.md is generated from this table. */
export const EXIT_CODES = {
  done: { code: 0, meaning: 'done, or unchanged' },
  bug: { code: 1, meaning: 'a bug in the generator; please report it with the stack' },
  usage: { code: 2, meaning: 'invalid usage or configuration; nothing was written' },
  'input-invalid': {
    code: 3,
    meaning:
      'the input is invalid, or a source answers in another form; the faults are listed, and the affected chains keep what they have',
  },
  'artifact-invalid': { code: 4, meaning: 'an artifact does not match its schema; nothing was published' },
  refused: {
    code: 5,
    meaning: 'a restatement, drop or revised value was refused; the affected chains keep what they have',
  },
  conflict: { code: 6, meaning: 'another run published first or holds the lock; run again' },
  'store-unavailable': {
    code: 7,
    meaning: 'the store cannot be reached or written, or a source does not answer',
  },
  damaged: {
    code: 8,
    meaning: 'the store is damaged or stale, or the deadline of a collected date has passed',
  },
  held: { code: 9, meaning: 'publication is on hold' },
  interrupted: { code: 130, meaning: 'interrupted; the message says what was committed' },
} as const satisfies Record<string, { code: number; meaning: string }>;

export type ExitName = keyof typeof EXIT_CODES;

/** Exits worth retrying a few minutes later. All others except `done` need a person. */
export const TRANSIENT_EXITS = ['conflict', 'store-unavailable', 'interrupted'] as const satisfies ExitName[];

/**
 * Words of the command to suggest after a failure, without the program: a list, or a function of the run's arguments.
 * With `undefined`, the exit decides.
 */
export type NextWords =
  readonly string[] | ((args: readonly string[]) => readonly string[] | undefined) | undefined;

/** Suggests the same command again, for a 'usage' error with a cause outside the command line, such as a policy. */
export const RUN_AGAIN: NextWords = (args) => args;

/** An expected failure that ends the run. Its message says what happened, where, and what to do; no stack is shown. */
export class GeneratorError extends Error {
  readonly exit: Exclude<ExitName, 'done' | 'bug'>;
  /** Set when the store is damaged. */
  readonly fault: StoreFault | undefined;
  /** Words of the command to suggest instead of the exit's usual one: help for 'usage', the same command for most. */
  readonly next: NextWords;

  constructor(
    exit: GeneratorError['exit'],
    message: string,
    options?: ErrorOptions & { fault?: StoreFault | undefined; next?: NextWords },
  ) {
    super(message, options);
    this.name = 'GeneratorError';
    this.exit = exit;
    this.fault = options?.fault;
    this.next = options?.next;
  }
}
