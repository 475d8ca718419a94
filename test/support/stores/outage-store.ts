import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';
import { interceptStore } from './intercept-store.js';

/** A store that the test can take down: its operations then fail immediately, or hang. */
export type OutageStore = { readonly store: ObjectStore; state: 'up' | 'down' | 'hanging' };

/** Wraps a store; `message` is the error while it is down. */
export function createOutageStore(behind: ObjectStore, message = 'no answer'): OutageStore {
  const outage: OutageStore = {
    state: 'up',
    store: interceptStore(behind, (_operation, run) => {
      if (outage.state === 'down') return Promise.reject(new StoreError('unavailable', message));
      return outage.state === 'hanging' ? new Promise(() => undefined) : run();
    }),
  };
  return outage;
}
