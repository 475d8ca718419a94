import { createErrorExplainer } from '../../infra/process/explain-error.js';
import { STORE_EXITS } from '../../infra/process/exit-codes.js';
import { StoreError } from '../../infra/store/object-store.js';
import { GeneratorError, type ExitName } from '../core/generator-error.js';

/** Returns the exit of a run that failed, and the message for the operator. */
export const explainError = createErrorExplainer<ExitName>({
  exitOf(error) {
    if (error instanceof GeneratorError) return error.exit;
    return error instanceof StoreError ? STORE_EXITS[error.code] : undefined;
  },
  interrupted: 'interrupted: nothing was written', // commands that write throw a GeneratorError that says more
});
