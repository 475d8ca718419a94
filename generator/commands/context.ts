import type { Progress } from '../io/progress.js';

/** What a command may use of the outside world. */
export type CommandContext = {
  /** Writes results. */
  readonly print: (text: string) => void;
  /** Writes diagnosis. */
  readonly warn: (text: string) => void;
  /** The machine's clock, in milliseconds since the epoch. */
  readonly now: () => number;
  readonly progress: Progress;
  /** Aborted when the operator interrupts. */
  readonly signal: AbortSignal;
};
