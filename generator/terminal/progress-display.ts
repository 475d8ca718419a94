import { Presets, SingleBar } from 'cli-progress';
import { secondsWords } from '../core/text/number-words.js';
import { SILENT, type Progress, type Stage } from '../run/progress.js';
import { estimateSecondsLeft, nextPace, NO_PACE, timeLeftWords } from './time-left.js';

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
          ...{ stream, barsize: BAR_COLUMNS, clearOnComplete: true },
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
      stream.write(`${STAGES[stage]}: ${note === undefined ? 'done' : note} (${secondsWords(seconds)})\n`);
    },
  };
}
