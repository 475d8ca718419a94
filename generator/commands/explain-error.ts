import { StoreError } from '../../infra/store/object-store.js';
import { GeneratorError, type ExitName } from '../core/generator-error.js';

const STORE_EXITS = {
  unavailable: 'store-unavailable',
  locked: 'conflict',
  address: 'usage',
} as const satisfies Record<StoreError['code'], ExitName>;

/** How a run ends that failed in this way, and what to say of it; a stack only for a bug. */
export function explainError(error: unknown): { readonly exit: ExitName; readonly message: string } {
  if (error instanceof GeneratorError) return { exit: error.exit, message: error.message };
  if (error instanceof StoreError) return { exit: STORE_EXITS[error.code], message: error.message };
  if (error instanceof Error && error.name === 'AbortError') {
    return { exit: 'interrupted', message: 'interrupted: nothing was written' };
  }
  const stack = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return { exit: 'bug', message: `this is a bug, please report it:\n${stack}` };
}
