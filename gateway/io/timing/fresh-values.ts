import { createBoundedCache } from './bounded-cache.js';
import {
  createFreshEntry,
  freshnessOf,
  mayLoad,
  msSince,
  refresh,
  type FreshEntry,
  type FreshnessPolicy,
} from './fresh-entry.js';

/** Options for `createFreshValues`. */
export type FreshValuesOptions<T> = FreshnessPolicy<T> & {
  /** Maximum number of values; the least recently used one is dropped first. */
  readonly max: number;
  /** Loads the value of a key. It must always settle: nothing here limits its time. */
  readonly load: (key: string) => Promise<T>;
};

/** Values by key, each loaded when it is first read and kept fresh while it is used. */
export type FreshValues<T> = {
  /** Returns the value unless a load has to be waited for. Refreshes it in the background when it is no longer fresh. */
  readonly peek: (key: string) => T | undefined;
  /**
   * Returns the value. If it is missing, stale, or at least `maxAgeMs` old, waits for a load first, or for the load
   * that is already running. While loads fail, returns the last value until that has expired.
   * @throws the error of the last load when there is no usable value.
   */
  readonly read: (key: string, maxAgeMs?: number) => Promise<T>;
};

/** Creates a bounded cache of values that are kept fresh. */
export function createFreshValues<T>(options: FreshValuesOptions<T>): FreshValues<T> {
  const { max, load, now, retryMs, retryEmptyMs = 0, outageMs = retryMs } = options;
  const entries = createBoundedCache<FreshEntry<T>>(max);

  function entryOf(key: string): FreshEntry<T> {
    const cached = entries.get(key);
    if (cached !== undefined) return cached;
    const entry = createFreshEntry<T>();
    entries.set(key, entry);
    return entry;
  }

  function peekEntry(key: string, entry: FreshEntry<T>): T | undefined {
    if (entry.loaded === undefined) return undefined;
    const { value } = entry.loaded;
    const freshness = freshnessOf(entry, options);
    if (freshness === 'fresh') return value;
    if (mayLoad(entry, retryMs, options)) void refresh(entry, () => load(key), options);
    const isOutage = msSince(entry.failure, now) < outageMs;
    return freshness === 'aging' || (freshness === 'stale' && isOutage) ? value : undefined;
  }

  async function waitForValue(key: string, entry: FreshEntry<T>, maxAgeMs: number): Promise<T> {
    const isEmpty = freshnessOf(entry, options) === 'expired';
    const pauseMs = Math.min(isEmpty ? retryEmptyMs : retryMs, maxAgeMs);
    if (mayLoad(entry, pauseMs, options)) await refresh(entry, () => load(key), options);
    if (entry.loaded !== undefined && freshnessOf(entry, options) !== 'expired') return entry.loaded.value;
    throw entry.failure?.error ?? new Error('the value had expired when its load ended');
  }

  return {
    peek(key) {
      const entry = entries.get(key);
      return entry && peekEntry(key, entry);
    },
    async read(key, maxAgeMs = Infinity) {
      const entry = entryOf(key);
      const isYoung = maxAgeMs === Infinity || msSince(entry.loaded, now) < maxAgeMs;
      const freshness = freshnessOf(entry, options);
      if (entry.loaded === undefined || !isYoung || freshness === 'stale' || freshness === 'expired') {
        return waitForValue(key, entry, maxAgeMs);
      }
      const { value } = entry.loaded;
      if (freshness === 'aging' && mayLoad(entry, retryMs, options)) {
        void refresh(entry, () => load(key), options);
      }
      return value;
    },
  };
}
