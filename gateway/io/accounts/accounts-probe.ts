import type { ObjectStore } from '../../../infra/store/object-store.js';
import { STORE_KEY } from '../../../schemas/paths.js';

/** A periodic check of the accounts store, so that an outage is noticed even while no request reads an account. */
export type AccountsProbe = {
  /** Starts the checks. Resolves after the first one, regardless of its outcome. */
  readonly start: () => Promise<void>;
  readonly stop: () => void;
};

/** Options for `createAccountsProbe`. */
export type AccountsProbeOptions = {
  readonly store: Pick<ObjectStore, 'head'>;
  readonly everyMs: number;
  /** Receives the outcome of each check: the error, or `undefined`. */
  readonly onAnswer: (error: unknown) => void;
};

/** Creates a probe. It reads the key that marks a store of releases, so it also finds the wrong kind of store. */
export function createAccountsProbe({ store, everyMs, onAnswer }: AccountsProbeOptions): AccountsProbe {
  let timer: NodeJS.Timeout | undefined;
  async function check(): Promise<void> {
    try {
      const storeMark = await store.head(STORE_KEY);
      onAnswer(
        storeMark && new Error('The accounts store contains releases. Use a separate store for accounts.'),
      );
    } catch (error) {
      onAnswer(error);
    }
  }
  return {
    async start() {
      await check();
      timer = setInterval(() => void check(), everyMs);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}
