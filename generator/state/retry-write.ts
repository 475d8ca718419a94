import { type ObjectStore, StoreError } from '../../infra/store/object-store.js';

/** Attempts at a conditional write. Other runs cause a few conflicts, and only a store that contradicts itself so many. */
const MAX_ATTEMPTS = 50;

/**
 * Calls `attempt` until it returns a result instead of `undefined`, which means that the condition of its write did not hold
 * because the object at `key` has changed.
 * @throws StoreError 'unavailable' after 50 attempts
 */
export async function retryWrite<T>(
  { address }: ObjectStore,
  key: string,
  attempt: () => Promise<T | undefined>,
): Promise<T> {
  for (let attempts = 0; attempts < MAX_ATTEMPTS; attempts += 1) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new StoreError(
    'unavailable',
    `${address} answered ${MAX_ATTEMPTS} times that another run had just changed ${key}. Run again. If that happens again while no other run writes there, use another server: its answers contradict each other.`,
  );
}
