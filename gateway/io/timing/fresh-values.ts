import { createBoundedCache } from './bounded-cache.js';
import type { Freshness } from './freshness.js';

/** Rules for keeping a value fresh; times are in milliseconds. */
type FreshnessPolicy<T> = {
  readonly now: () => number;
  /**
   * Returns the freshness of a value. `ageMs` counts from the start of its load; negative after the clock was set back.
   */
  readonly freshness: (value: T, ageMs: number) => Freshness;
  /** Minimum time between two loads while the value can still be used. A read with a shorter `maxAgeMs` may load sooner. */
  readonly retryMs: number;
  /** Minimum time between two loads while there is no usable value; 0 by default. */
  readonly retryEmptyMs?: number;
  /** Time after a failed load during which `peek` still returns a stale value; `retryMs` by default. */
  readonly outageMs?: number;
  /** Receives the error of each failed load, and `undefined` after each successful one. */
  readonly onSettled?: (error: unknown) => void;
};

/** The state of a value that is loaded from elsewhere. */
type FreshEntry<T> = {
  loaded: { readonly value: T; readonly atMs: number } | undefined;
  /** The last load, if it failed. */
  failure: { readonly error: Error; readonly atMs: number } | undefined;
  loading: Promise<void> | undefined;
};

/** Creates the state of a value that has not been loaded yet. */
function createFreshEntry<T>(): FreshEntry<T> {
  return { loaded: undefined, failure: undefined, loading: undefined };
}

/** Loads a value, or joins the load that is running (single-flight). Never rejects. */
function refresh<T>(
  entry: FreshEntry<T>,
  load: () => Promise<T>,
  { now, onSettled }: FreshnessPolicy<T>,
): Promise<void> {
  const atMs = now(); // changes after this instant may be missing from the value
  entry.loading ??= load()
    .then(
      (value) => {
        entry.loaded = { value, atMs };
        entry.failure = undefined;
        onSettled?.(undefined);
      },
      (error: unknown) => {
        entry.failure = { error: error as Error, atMs: now() }; // loads throw only Errors
        onSettled?.(error);
      },
    )
    .finally(() => (entry.loading = undefined));
  return entry.loading;
}

/** Returns whether a value may be loaded again: neither the last load nor the last failure was within the pause. */
function mayLoad<T>(
  { loaded, failure }: FreshEntry<T>,
  pauseMs: number,
  { now }: FreshnessPolicy<T>,
): boolean {
  return msSince(loaded, now) >= pauseMs && msSince(failure, now) >= pauseMs;
}

/** Returns the freshness of a value; a missing one counts as expired. */
function freshnessOf<T>({ loaded }: FreshEntry<T>, { freshness, now }: FreshnessPolicy<T>): Freshness {
  return loaded === undefined ? 'expired' : freshness(loaded.value, now() - loaded.atMs);
}

/** Returns the time since an event; infinite if it did not happen, or if the clock was set back since. */
function msSince(event: { readonly atMs: number } | undefined, now: () => number): number {
  const ms = event === undefined ? Infinity : now() - event.atMs;
  return ms < 0 ? Infinity : ms;
}

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
