import type { ExitName } from '../core/generator-error.js';
import type { Progress } from '../run/progress.js';

/** The destinations of diagnostics and progress of a run. */
export type Diagnostics = {
  readonly warn: (text: string) => void;
  readonly progress: Progress;
  /** Reports how the run ended. Without it, only a failure is reported, by `warn`. */
  readonly end?: (ending: RunEnding) => void;
};

/** The end of a run. */
type RunEnding = {
  /** Absent when the command line was not understood. */
  readonly command?: string;
  readonly exit: ExitName;
  readonly seconds: number;
  /** Why the run failed, unless its result says so. */
  readonly message?: string;
  /** The command that helps after a failure. */
  readonly next?: string;
};
