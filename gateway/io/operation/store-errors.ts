import type { Logger } from 'pino';
import type { Metrics } from './metrics.js';

/** Returns a handler for the errors of a store: it counts each one, and logs at most one per second. */
export type StoreErrors = (store: 'releases' | 'accounts') => (error: unknown) => void;

const LOG_PAUSE_MS = 1_000;

/** Creates the error handlers of both stores. */
export function createStoreErrors(logger: Logger, metrics: Metrics, now: () => number): StoreErrors {
  return (store) => {
    let loggedMs = -Infinity;
    return (error) => {
      metrics.storeFailed(store);
      if (now() - loggedMs < LOG_PAUSE_MS) return;
      loggedMs = now();
      logger.warn({ store, err: error }, 'a store, or the credentials for it, failed');
    };
  };
}
