import { toInstant } from '../../schemas/dates.js';
import { withinTime } from './within-time.js';

/** Puts down which keys were used on a day, beside the requests. */
export type UsageRecorder = {
  /** Notes a use; at most one write per key and day comes of it. Never waits, never throws. */
  readonly note: (keyId: string) => void;
  /** Waits a moment for the writes that are under way. */
  readonly drain: (patienceMs: number) => Promise<void>;
};

/** What a recorder needs; what `record` rejects with is told to `onError`, and the use is lost. */
export type UsageRecorderTerms = {
  readonly record: (keyId: string, date: string) => Promise<void>;
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
};

const WRITES = 4;
/** Number of keys that may wait for their write; a use beyond it is lost. */
const WAITING = 10_000;
const DAY_MS = 86_400_000;

type Use = { readonly keyId: string; readonly day: number };

/** Records uses a few at a time. */
export function createUsageRecorder({ record, now, onError }: UsageRecorderTerms): UsageRecorder {
  const waiting: Use[] = [];
  const running = new Set<Promise<void>>();
  let day = 0;
  let noted = new Set<string>();

  function begin(): void {
    while (running.size < WRITES) {
      const use = waiting.shift();
      if (use === undefined) return;
      const work = record(use.keyId, toInstant(use.day * DAY_MS).slice(0, 10))
        .catch(onError)
        .finally(() => {
          running.delete(work);
          begin();
        });
      running.add(work);
    }
  }

  return {
    note(keyId) {
      const today = Math.floor(now() / DAY_MS);
      if (today !== day) {
        day = today;
        noted = new Set();
      }
      if (noted.has(keyId) || waiting.length >= WAITING) return;
      noted.add(keyId);
      waiting.push({ keyId, day });
      setImmediate(begin);
    },
    async drain(patienceMs) {
      begin();
      const settle = async (): Promise<void> => {
        while (running.size > 0) await Promise.all(running);
      };
      await withinTime(settle(), patienceMs);
    },
  };
}
