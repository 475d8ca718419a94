import { Presets, SingleBar } from 'cli-progress';
import { printable } from '../../infra/process/printable.js';
import { secondsWords } from '../../schemas/words.js';
import { type Progress, SILENT, type Stage } from '../run/progress.js';

const STAGES: Record<Stage, string> = {
  input: 'reading the input',
  state: 'reading the published state',
  plan: 'planning the release',
  mark: 'marking the store',
  write: 'writing artifacts',
  record: 'writing the release record',
  commit: 'moving the pointer',
  aliases: 'refreshing public copies',
  verify: 'verifying',
  rebuild: 'rebuilding from the input',
  gc: 'deleting garbage',
  copy: 'copying',
  collect: 'collecting',
};

/** Leaves room for the time left in 80 columns, beside the longest name of a stage and numbers of five digits. */
const BAR_COLUMNS = 16;

/** Options for `createProgressDisplay`. */
type ProgressOptions = {
  readonly quiet: boolean;
  readonly stream: NodeJS.WriteStream;
  /** Returns milliseconds from any origin, and never goes back. */
  readonly now: () => number;
};

/** Shows a bar for each counted stage on a terminal, and a line for each finished stage. Shows nothing if `quiet`. */
export function createProgressDisplay({ quiet, stream, now }: ProgressOptions): Progress {
  if (quiet) return SILENT;
  let stage: Stage = 'input';
  let startedMs = 0;
  let bar: SingleBar | undefined;
  let pace = NO_PACE;
  const left = (): { left: string } => {
    const seconds = estimateSecondsLeft(pace, bar?.getTotal() ?? 0);
    return { left: seconds === undefined ? '' : `, ${timeLeftWords(seconds)}` };
  };
  return {
    begin(name, total) {
      stage = name;
      startedMs = now();
      pace = NO_PACE;
      if (!stream.isTTY || total === undefined || total === 0) return;
      bar = new SingleBar(
        {
          stream,
          barsize: BAR_COLUMNS,
          clearOnComplete: true,
          format: `${STAGES[name]} [{bar}] {value}/{total}{left}`,
        },
        Presets.legacy,
      );
      bar.start(total, 0, { left: '' });
    },
    advance(count = 1) {
      pace = nextPace(pace, { elapsedMs: now() - startedMs, done: pace.done + count });
      bar?.increment(count, left());
    },
    expect: (total) => bar?.setTotal(total),
    abandon() {
      bar?.stop();
      bar = undefined;
    },
    end(note) {
      bar?.stop();
      bar = undefined;
      const seconds = Math.round(now() - startedMs) / 1000;
      stream.write(
        `${STAGES[stage]}: ${note === undefined ? 'done' : printable(note)} (${secondsWords(seconds)})\n`,
      );
    },
  };
}

/** Time of a stage, and share of its work, before which an estimate would say more about the start than about the rest. */
const MIN_ELAPSED_MS = 3_000;
const MIN_SHARE = 0.05;
/** Time in which the weight of earlier work falls to 37 %. */
const MEMORY_MS = 20_000;
/** Longest time left that is named, in seconds. Beyond it, an estimate says no more than that the stage takes long. */
const MAX_SECONDS = 24 * 3_600;

/** The work of a stage so far. `done` and `elapsedMs` count from its start. */
type StageWork = { readonly elapsedMs: number; readonly done: number };

/** The work of a stage so far, and its recent part: earlier work counts less, the longer ago it was. */
export type Pace = StageWork & { readonly recentMs: number; readonly recentDone: number };

export const NO_PACE: Pace = { elapsedMs: 0, done: 0, recentMs: 0, recentDone: 0 };

/** Returns the pace after more work, smoothed exponentially. Time or work that goes back counts as none. */
export function nextPace(before: Pace, { elapsedMs, done }: StageWork): Pace {
  const passedMs = Math.max(0, elapsedMs - before.elapsedMs);
  const weight = Math.exp(-passedMs / MEMORY_MS);
  return {
    elapsedMs: before.elapsedMs + passedMs,
    done: Math.max(before.done, done),
    recentMs: before.recentMs * weight + passedMs,
    recentDone: before.recentDone * weight + Math.max(0, done - before.done),
  };
}

/**
 * Estimates the seconds left at the recent speed, at least 1. Returns `undefined` while it is too early, when nothing is
 * left, and for more than a day.
 */
export function estimateSecondsLeft(pace: Pace, total: number): number | undefined {
  const { elapsedMs, done, recentMs, recentDone } = pace;
  const isEarly = elapsedMs < MIN_ELAPSED_MS || done < total * MIN_SHARE;
  if (isEarly || recentDone === 0 || done >= total) return undefined;
  const seconds = ((total - done) * recentMs) / recentDone / 1_000;
  return seconds > MAX_SECONDS ? undefined : Math.max(1, seconds);
}

/** Formats the time left, rounded so that it neither flickers nor promises more than is known: "about 2 min left". */
export function timeLeftWords(seconds: number): string {
  if (seconds < 5) return 'a few seconds left';
  const roundedTo5 = Math.round(seconds / 5) * 5;
  if (roundedTo5 < 60) return `about ${roundedTo5} s left`;
  const minutes = Math.round(seconds / 60);
  return minutes < 120 ? `about ${minutes} min left` : `about ${Math.round(seconds / 3_600)} h left`;
}
