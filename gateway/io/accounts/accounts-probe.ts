import type { ObjectStore } from '../../../infra/store/object-store.js';
import { STORE_KEY } from '../../../schemas/paths.js';
import type { WatchStore } from './store-health.js';

/** A periodic check of the accounts store, so that an outage is noticed even while no request reads an account. */
type AccountsProbe = {
  /** Starts the checks. Resolves after the first one, regardless of its outcome. */
  readonly start: () => Promise<void>;
  readonly stop: () => void;
};

/** Options for `createAccountsProbe`. */
type AccountsProbeOptions = {
  readonly store: Pick<ObjectStore, 'head'>;
  readonly everyMs: number;
  /** Records the outcome of each check. */
  readonly watch: WatchStore;
};

/** Creates a probe. It reads the key that marks a store of releases, so it also finds the wrong kind of store. */
export function createAccountsProbe({ store, everyMs, watch }: AccountsProbeOptions): AccountsProbe {
  let timer: NodeJS.Timeout | undefined;
  async function readMark(): Promise<void> {
    const mark = await store.head(STORE_KEY);
    if (mark !== undefined) {
      throw new Error('The accounts store contains releases. Use a separate store for accounts.');
    }
  }
  const check = (): Promise<void> => watch(readMark).catch(() => undefined); // `watch` has reported the error
  return {
    async start() {
      await check();
      timer = setInterval(() => void check(), everyMs);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}
