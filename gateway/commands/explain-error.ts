import { createErrorExplainer } from '../../infra/process/explain-error.js';
import { STORE_EXITS } from '../../infra/process/exit-codes.js';
import { StoreError } from '../../infra/store/object-store.js';
import { OperatorError, type ExitName } from '../core/exit-codes.js';
import { GatewayError, type ProblemCode } from '../core/problems.js';

/** The exits for the HTTP problems that a command can run into. Any other problem is a bug. */
const PROBLEM_EXITS: { readonly [code in ProblemCode]?: ExitName } = {
  'not-found': 'refused',
  'key-limit-reached': 'refused',
  'billing-unavailable': 'billing-unavailable',
};

/** Returns the exit of a run that failed, and the message for the operator. */
export const explainError = createErrorExplainer<ExitName>({
  exitOf(error) {
    if (error instanceof OperatorError) return error.exit;
    if (error instanceof StoreError) return STORE_EXITS[error.code];
    return error instanceof GatewayError ? PROBLEM_EXITS[error.code] : undefined;
  },
  interrupted:
    'interrupted: look at what was changed (gateway accounts show) before you run the command again',
});
