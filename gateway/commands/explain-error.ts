import { StoreError } from '../../infra/store/object-store.js';
import { OperatorError, type ExitName } from '../core/exit-codes.js';
import { GatewayError, type ProblemCode } from '../core/problems.js';

const STORE_EXITS = {
  unavailable: 'store-unavailable',
  locked: 'conflict',
  address: 'usage',
} as const satisfies Record<StoreError['code'], ExitName>;

/** The problems that a command can meet; any other is none of an operator's. */
const PROBLEM_EXITS: { readonly [code in ProblemCode]?: ExitName } = {
  'not-found': 'refused',
  'key-limit-reached': 'refused',
  'subscription-inactive': 'refused',
  'billing-unavailable': 'billing-unavailable',
};

/** How a run ends that failed in this way, and what to say of it; a stack only for a bug. */
export function explainError(error: unknown): { readonly exit: ExitName; readonly message: string } {
  if (error instanceof OperatorError) return { exit: error.exit, message: error.message };
  if (error instanceof StoreError) return { exit: STORE_EXITS[error.code], message: error.message };
  const exit = error instanceof GatewayError ? PROBLEM_EXITS[error.code] : undefined;
  if (error instanceof GatewayError && exit !== undefined) return { exit, message: error.message };
  if (isAbort(error)) {
    return { exit: 'interrupted', message: 'interrupted: look at the account before you run it again' };
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exit: 'bug', message: `this is a bug, please report it:\n${stack}` };
}

/** By its mark, not its class: it may come from another realm than this code. */
function isAbort(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'name' in error && error.name === 'AbortError';
}
