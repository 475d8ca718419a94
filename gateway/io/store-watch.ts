import type { Logger } from 'pino';
import type { Metrics } from './metrics.js';

/** Takes failures of stores: each is counted, and one a second is put into the log. */
export type StoreWatch = (store: 'releases' | 'accounts') => (error: unknown) => void;

const PAUSE_MS = 1_000;

/** A watch over both stores. */
export function createStoreWatch(logger: Logger, metrics: Metrics, now: () => number): StoreWatch {
  return (store) => {
    let saidMs = -Infinity;
    return (error) => {
      metrics.storeFailed(store);
      if (now() - saidMs < PAUSE_MS) return;
      saidMs = now();
      logger.warn({ store, err: error }, 'a store cannot be read');
    };
  };
}
