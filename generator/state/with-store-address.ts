import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';

/** Adds the store's address to any 'damaged' error that `work` throws, so that messages about two stores are clear. */
export async function withStoreAddress<T>(store: ObjectStore, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GeneratorError) || error.exit !== 'damaged') throw error;
    const { fault, message, next = ['verify', '--store', store.address] } = error;
    throw new GeneratorError('damaged', `${store.address}: ${message}`, { cause: error, fault, next });
  }
}
