import type { Logger } from 'pino';
import { atMostEvery } from '../timing/at-most-every.js';
import type { Metrics } from './metrics.js';

/** Returns a handler for the errors of a store: it counts each one, and logs at most one per second. */
type StoreErrors = (store: 'releases' | 'accounts') => (error: unknown) => void;

const LOG_PAUSE_MS = 1_000;

/** Creates the error handlers of both stores. */
export function createStoreErrors(logger: Logger, metrics: Metrics, now: () => number): StoreErrors {
  return (store) => {
    const log = atMostEvery(LOG_PAUSE_MS, now, (error: unknown) =>
      logger.warn({ store, err: error }, 'a store, or the credentials for it, failed'),
    );
    return (error) => {
      metrics.storeFailed(store);
      log(error);
    };
  };
}
