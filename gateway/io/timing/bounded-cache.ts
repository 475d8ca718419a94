import { LRUCache } from 'lru-cache';

/**
 * Creates a cache that evicts the least recently used entry when it has more than `limit`.
 * It counts entries by size, because `max` would allocate all slots when the gateway starts: 9 ms for 100,000.
 */
export function createBoundedCache<T extends object>(limit: number): LRUCache<string, T> {
  return new LRUCache<string, T>({ maxSize: limit, sizeCalculation: () => 1 });
}
