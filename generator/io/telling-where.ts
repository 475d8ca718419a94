import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';

/** Runs `work`; damage that it meets is told with the address of the store that has it: of two stores, either may. */
export async function tellingWhere<T>(store: ObjectStore, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GeneratorError) || error.exit !== 'damaged') throw error;
    const { fault, message } = error;
    throw new GeneratorError('damaged', `${store.address}: ${message}`, {
      cause: error,
      ...(fault === undefined ? {} : { fault }),
    });
  }
}
