import { toInstant } from '../../../schemas/dates.js';
import { settlesWithin } from '../timing/time-limit.js';

/** Records in the background on which days keys are used. */
type UsageRecorder = {
  /** Queues a use, at most once per key and day. Never waits, never throws. */
  readonly record: (keyId: string) => void;
  /** Waits for the queued writes, up to the time limit. */
  readonly drain: (limitMs: number) => Promise<void>;
};

/** Options for `createUsageRecorder`. */
type UsageRecorderOptions = {
  readonly write: (keyId: string, date: string) => Promise<void>;
  readonly now: () => number;
  /** Receives the error of each failed write. That use is lost. */
  readonly onError: (error: unknown) => void;
};

const CONCURRENT_WRITES = 4;
/** Further uses are lost while the queue is full. */
const MAX_QUEUED = 10_000;
const DAY_MS = 86_400_000;

type Use = { readonly keyId: string; readonly day: number };

/** Creates a recorder with an empty queue. */
export function createUsageRecorder({ write, now, onError }: UsageRecorderOptions): UsageRecorder {
  const queue: Use[] = [];
  const running = new Set<Promise<void>>();
  let day = 0;
  let recorded = new Set<string>();

  function startWrites(): void {
    while (running.size < CONCURRENT_WRITES) {
      const use = queue.shift();
      if (use === undefined) return;
      const work = write(use.keyId, toInstant(use.day * DAY_MS).slice(0, 10))
        .catch(onError)
        .finally(() => {
          running.delete(work);
          startWrites();
        });
      running.add(work);
    }
  }

  return {
    record(keyId) {
      const today = Math.floor(now() / DAY_MS);
      if (today !== day) {
        day = today;
        recorded = new Set();
      }
      if (recorded.has(keyId) || queue.length >= MAX_QUEUED) return;
      recorded.add(keyId);
      queue.push({ keyId, day });
      setImmediate(startWrites);
    },
    async drain(limitMs) {
      startWrites();
      const settle = async (): Promise<void> => {
        while (running.size > 0) await Promise.all(running);
      };
      await settlesWithin(settle(), limitMs);
    },
  };
}
