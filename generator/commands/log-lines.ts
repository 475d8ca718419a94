import { pino, type DestinationStream, type Logger } from 'pino';
import { EXIT_CODES } from '../core/generator-error.js';
import { SILENT, type Progress, type Stage } from '../io/progress.js';
import type { Diagnosis } from './run-command.js';

/** A stage that goes on for longer says how far it has come, so often. */
const PROGRESS_MS = 10_000;

/** Where log lines go, and which. `quiet`: no stages, and no last line of a run that went well. */
export type LogTerms = {
  readonly destination: DestinationStream;
  readonly quiet: boolean;
  readonly now: () => number;
};

/**
 * Diagnosis and progress as one JSON object a line, each with `level`, `time` and `msg`: stages as `info` lines with
 * `stage` and `event`, what else there is to say as `warn`, and as its last line how the run ended, with `command`,
 * `exit` and `code`: at level `error` unless that is `done`.
 */
export function createLogLines({ destination, quiet, now }: LogTerms): Required<Diagnosis> {
  const log = pino(
    {
      base: null,
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return {
    warn: (text) => log.warn(text),
    progress: quiet ? SILENT : createStageLog(log, now),
    end({ command, exit, message, seconds }) {
      const { code, meaning } = EXIT_CODES[exit];
      const fields = { command, event: 'end', exit, code, seconds };
      if (exit !== 'done') log.error(fields, message ?? `${command ?? 'the run'} ended: ${meaning}`);
      else if (!quiet) log.info(fields, `${command ?? 'the run'} ended: ${meaning}`);
    },
  };
}

type OpenStage = { readonly name: Stage; readonly startedMs: number; readonly total: number | undefined };

function createStageLog(log: Logger, now: () => number): Progress {
  let stage: OpenStage | undefined;
  let count = 0;
  let saidMs = 0;

  function say(event: 'progress' | 'end' | 'abandoned', message: string, more: object = {}): void {
    if (stage === undefined) return;
    const { name, startedMs, total } = stage;
    const counts = { count, ...(total === undefined ? {} : { total }) };
    const seconds = (now() - startedMs) / 1000;
    log.info({ stage: name, event, seconds, ...counts, ...more }, `${name} ${message}`);
    saidMs = now();
  }
  return {
    begin(name, total) {
      stage = { name, startedMs: now(), total };
      count = 0;
      saidMs = stage.startedMs;
      log.info({ stage: name, event: 'begin', ...(total === undefined ? {} : { total }) }, `${name} begins`);
    },
    advance(by = 1) {
      count += by;
      if (now() - saidMs >= PROGRESS_MS) say('progress', 'goes on');
    },
    expect(total) {
      if (stage !== undefined) stage = { ...stage, total };
    },
    end(note) {
      say('end', 'ends', note === undefined ? {} : { note });
      stage = undefined;
    },
    abandon() {
      say('abandoned', 'was abandoned');
      stage = undefined;
    },
  };
}
