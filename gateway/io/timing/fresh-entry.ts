import type { Freshness } from './freshness.js';

/** Rules for keeping a value fresh; times are in milliseconds. */
export type FreshnessPolicy<T> = {
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
export type FreshEntry<T> = {
  loaded: { readonly value: T; readonly atMs: number } | undefined;
  /** The last load, if it failed. */
  failure: { readonly error: Error; readonly atMs: number } | undefined;
  loading: Promise<void> | undefined;
};

/** Creates the state of a value that has not been loaded yet. */
export function createFreshEntry<T>(): FreshEntry<T> {
  return { loaded: undefined, failure: undefined, loading: undefined };
}

/** Loads a value, or joins the load that is running (single-flight). Never rejects. */
export function refresh<T>(
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
export function mayLoad<T>(
  { loaded, failure }: FreshEntry<T>,
  pauseMs: number,
  { now }: FreshnessPolicy<T>,
): boolean {
  return msSince(loaded, now) >= pauseMs && msSince(failure, now) >= pauseMs;
}

/** Returns the freshness of a value; a missing one counts as expired. */
export function freshnessOf<T>({ loaded }: FreshEntry<T>, { freshness, now }: FreshnessPolicy<T>): Freshness {
  return loaded === undefined ? 'expired' : freshness(loaded.value, now() - loaded.atMs);
}

/** Returns the time since an event; infinite if it did not happen, or if the clock was set back since. */
export function msSince(event: { readonly atMs: number } | undefined, now: () => number): number {
  const ms = event === undefined ? Infinity : now() - event.atMs;
  return ms < 0 ? Infinity : ms;
}
