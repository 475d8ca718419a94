import { InvalidArgumentError, type Command } from 'commander';

/** The environment of a bench. */
export type BenchOptions = {
  /** Folder of the repository, with the built programs in `dist`. */
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly now: () => number;
  /** Sets the program's exit code to 1. */
  readonly fail: () => void;
};

/** Adds description, options and action of a bench to its command. */
export type Bench = (command: Command, options: BenchOptions) => Command;

/** A reason why a bench cannot run. The message is for the person who started it. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}

/** Parses the value of an option that is a count. @throws InvalidArgumentError */
export function parseCount(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError('Use a number from 1 to 99.');
  return Number(text);
}
