import type { Command } from 'commander';

/** What a bench may use of the outside world. */
export type BenchTerms = {
  /** The folder of the repository; what was built lies in its `dist`. */
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly now: () => number;
  /** Makes the program end with exit code 1. */
  readonly fail: () => void;
};

/** A row of the table of benches: gives `command` its description, options and action. */
export type Bench = (command: Command, terms: BenchTerms) => Command;

/** A bench cannot be run: its message says what to do. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}
