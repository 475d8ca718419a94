import { setImmediate as yieldToEvents } from 'node:timers/promises';
import type { Steps } from '../core/steps.js';

/**
 * The stages of a run: first those of a publication in their order (`mark` writes `store.json`, `aliases` the public
 * copies), then those of other commands. A long first release is planned in `write`.
 */
export type Stage =
  | 'input'
  | 'state'
  | 'plan'
  | 'mark'
  | 'write'
  | 'record'
  | 'commit'
  | 'aliases'
  | 'verify'
  | 'rebuild'
  | 'gc'
  | 'copy'
  | 'collect';

/** Receives the progress of a run. */
export type Progress = {
  readonly begin: (stage: Stage, total?: number) => void;
  readonly advance: (count?: number) => void;
  /** Corrects the total of the current stage. */
  readonly expect: (total: number) => void;
  readonly end: (note?: string) => void;
  /** Ends a stage that failed. Does nothing if no stage is open. */
  readonly abandon: () => void;
};

export const SILENT: Progress = {
  begin: () => undefined,
  advance: () => undefined,
  expect: () => undefined,
  end: () => undefined,
  abandon: () => undefined,
};

/** A finished stage of a run. */
export type StageRecord = {
  readonly stage: Stage;
  /** `abandoned`: the run failed in this stage, or an attempt that it repeated. */
  readonly outcome: 'done' | 'abandoned';
  readonly seconds: number;
  /** The number of items that it processed. */
  readonly count: number;
  readonly note: string | null;
};

/** Wraps `progress` to record each stage as well. `clock` is monotonic, in milliseconds. */
export function recordStages(
  progress: Progress,
  clock: () => number,
): { readonly progress: Progress; readonly stages: readonly StageRecord[] } {
  const stages: StageRecord[] = [];
  let current: { stage: Stage; startedMs: number; count: number } | undefined;
  function close(outcome: StageRecord['outcome'], note?: string): void {
    if (current === undefined) return;
    const { stage, startedMs, count } = current;
    const seconds = Math.round(clock() - startedMs) / 1000;
    stages.push({ stage, outcome, seconds, count, note: note ?? null });
    current = undefined;
  }
  return {
    stages,
    progress: {
      begin(stage, total) {
        current = { stage, startedMs: clock(), count: 0 };
        progress.begin(stage, total);
      },
      advance(count = 1) {
        if (current !== undefined) current.count += count;
        progress.advance(count);
      },
      expect: (total) => progress.expect(total),
      end(note) {
        close('done', note);
        progress.end(note);
      },
      abandon() {
        close('abandoned');
        progress.abandon();
      },
    },
  };
}

/** Time limit for steps before other events, such as signals, are handled. */
const MAX_BUSY_MS = 20;

/** Runs the steps, and handles other events between them. @throws the reason of `signal` once it is aborted. */
export async function runInterruptibly<T>(steps: Steps<T>, signal: AbortSignal | undefined): Promise<T> {
  for (let sinceMs = performance.now(); ;) {
    const step = steps.next();
    if (step.done === true) return step.value;
    if (performance.now() - sinceMs < MAX_BUSY_MS) continue;
    await yieldToEvents();
    signal?.throwIfAborted();
    sinceMs = performance.now();
  }
}
