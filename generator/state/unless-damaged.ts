import { GeneratorError } from '../core/generator-error.js';

/** Returns the result of `work`; `undefined` if it throws a 'damaged' error. */
export async function unlessDamaged<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GeneratorError && error.exit === 'damaged') return undefined;
    throw error;
  }
}
