/** The stages of a run, in the order of a publication. `write` is the bulk of a first one, which it also plans. */
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
  | 'collect'
  | 'copy';

/** Hears how a run gets on. */
export type Progress = {
  readonly begin: (stage: Stage, total?: number) => void;
  readonly advance: (count?: number) => void;
  /** How many there are after all. */
  readonly expect: (total: number) => void;
  readonly end: (note?: string) => void;
  /** Clears what is shown of a stage that failed; harmless after its end. */
  readonly abandon: () => void;
};

/** Hears nothing. */
export const SILENT: Progress = {
  begin: () => undefined,
  advance: () => undefined,
  expect: () => undefined,
  end: () => undefined,
  abandon: () => undefined,
};

/** A stage of a run that is over. `count` is how many things it went through. */
export type StageRecord = {
  readonly stage: Stage;
  /** `abandoned`: the run failed in it. */
  readonly outcome: 'done' | 'abandoned';
  readonly seconds: number;
  readonly count: number;
  readonly note: string | null;
};

/** Passes progress on and keeps a record of each stage. `clock` gives milliseconds from any origin. */
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
