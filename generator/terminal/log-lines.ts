import { pino, type DestinationStream, type Logger } from 'pino';
import { printableLog } from '../../infra/process/printable.js';
import { EXIT_CODES } from '../core/generator-error.js';
import { SILENT, type Progress, type Stage } from '../run/progress.js';
import type { Diagnostics } from './diagnostics.js';

/** Interval at which a long stage reports its progress. */
const PROGRESS_INTERVAL_MS = 10_000;

/** Options for `createLogLines`. */
type LogOptions = {
  readonly destination: DestinationStream;
  /** Writes no stages, and no last line for a successful run. */
  readonly quiet: boolean;
  /** The machine's clock, for the time of each line. */
  readonly now: () => number;
  /** Returns milliseconds from any origin, and never goes back. For durations. */
  readonly clock: () => number;
};

/**
 * Writes diagnostics and progress as JSON lines, each with `level`, `time` and `msg`. A stage is an `info` line with
 * `stage` and `event`; a diagnostic is a `warn` line. The last line has the `command`, `exit` and `code` of the run; its
 * level is `error` unless the exit is `done`.
 */
export function createLogLines({ destination, quiet, now, clock }: LogOptions): Required<Diagnostics> {
  const log = pino(
    {
      base: null,
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    printableLog(destination),
  );
  return {
    warn: (text) => log.warn(text),
    progress: quiet ? SILENT : createStageLog(log, clock),
    end({ command, exit, message, next, seconds }) {
      const { code, meaning } = EXIT_CODES[exit];
      const endedAs = `${command ?? 'the run'} ended: ${meaning}`;
      const fields = { command, event: 'end', exit, code, seconds, ...(next && { next }) };
      if (exit !== 'done') log.error(fields, message ?? endedAs);
      else if (!quiet) log.info(fields, endedAs);
    },
  };
}

type OpenStage = { readonly name: Stage; readonly startedMs: number; readonly total: number | undefined };

function createStageLog(log: Logger, clock: () => number): Progress {
  let stage: OpenStage | undefined;
  let count = 0;
  let reportedMs = 0;

  function report(event: 'progress' | 'end' | 'abandoned', message: string, more: object = {}): void {
    if (stage === undefined) return;
    const { name, startedMs, total } = stage;
    const counts = { count, ...(total === undefined ? {} : { total }) };
    const seconds = (clock() - startedMs) / 1000;
    log.info({ stage: name, event, seconds, ...counts, ...more }, `${name} ${message}`);
    reportedMs = clock();
  }
  return {
    begin(name, total) {
      stage = { name, startedMs: clock(), total };
      count = 0;
      reportedMs = stage.startedMs;
      log.info({ stage: name, event: 'begin', ...(total === undefined ? {} : { total }) }, `${name} begins`);
    },
    advance(by = 1) {
      count += by;
      if (clock() - reportedMs >= PROGRESS_INTERVAL_MS) report('progress', 'continues');
    },
    expect(total) {
      if (stage !== undefined) stage = { ...stage, total };
    },
    end(note) {
      report('end', 'ends', note === undefined ? {} : { note });
      stage = undefined;
    },
    abandon() {
      report('abandoned', 'was abandoned');
      stage = undefined;
    },
  };
}
