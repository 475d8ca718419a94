import { GeneratorError } from '../core/generator-error.js';

/** Resolves what `work` gives; `undefined` when it meets damage. */
export async function unlessDamaged<T>(work: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof GeneratorError && error.exit === 'damaged') return undefined;
    throw error;
  }
}
