import type { ObjectStore } from '../../infra/store/object-store.js';
import { STORE_KEY } from '../../schemas/paths.js';

/** Asks the accounts store again and again whether it answers, also while no key makes the gateway read there. */
export type AccountsProbe = {
  /** Asks for the first time; resolves when it has answered, or not. */
  readonly start: () => Promise<void>;
  readonly stop: () => void;
};

/** What a probe needs. */
export type AccountsProbeTerms = {
  readonly store: Pick<ObjectStore, 'head'>;
  readonly everyMs: number;
  /** Told what became of each question: a failure, or `undefined`. */
  readonly onAnswer: (error: unknown) => void;
};

/** A probe of a store, which asks for what only a store of releases has. */
export function createAccountsProbe({ store, everyMs, onAnswer }: AccountsProbeTerms): AccountsProbe {
  let timer: NodeJS.Timeout | undefined;
  async function ask(): Promise<void> {
    try {
      const mark = await store.head(STORE_KEY);
      onAnswer(mark && new Error('the accounts store holds releases; give accounts a store of their own'));
    } catch (error) {
      onAnswer(error);
    }
  }
  return {
    async start() {
      await ask();
      timer = setInterval(() => void ask(), everyMs);
      timer.unref();
    },
    stop: () => clearInterval(timer),
  };
}
