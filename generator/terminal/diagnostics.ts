import { type ExitName, GeneratorError } from '../core/generator-error.js';
import type { Progress } from '../run/progress.js';
import { createErrorExplainer } from '../../infra/process/explain-error.js';
import { STORE_EXITS } from '../../infra/process/exit-codes.js';
import { StoreError } from '../../infra/store/object-store.js';

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

/** Returns the exit of a run that failed, and the message for the operator. */
export const explainError = createErrorExplainer<ExitName>({
  exitOf(error) {
    if (error instanceof GeneratorError) return error.exit;
    return error instanceof StoreError ? STORE_EXITS[error.code] : undefined;
  },
  interrupted: 'interrupted: nothing was written', // commands that write throw a GeneratorError that says more
});
