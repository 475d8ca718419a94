import { TrustError } from '../../schemas/trust/trust-error.js';
import { GeneratorError } from '../core/generator-error.js';
import { damaged } from '../state/stored-json.js';

/** Runs `work`, and throws a failed verification as damage of the store. @throws GeneratorError 'damaged' */
export async function damagedByTrust<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof TrustError) throw damaged(error.subject, error.reason, error);
    throw error;
  }
}

/** Returns the result of `work`, or `undefined` if a verification in it fails. */
export async function unlessFalse<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    const cause = error instanceof GeneratorError ? error.cause : error;
    if (cause instanceof TrustError) return undefined;
    throw error;
  }
}
