import { pino, type DestinationStream } from 'pino';
import type { Progress, Stage } from '../io/progress.js';
import type { Diagnosis } from './run-command.js';

/** Diagnosis and progress as one JSON object a line: `stage` begins and ends, and what else there is to say. */
export function createLogLines(destination: DestinationStream, now: () => number): Diagnosis {
  const log = pino(
    {
      base: null,
      timestamp: () => `,"time":"${new Date(now()).toISOString()}"`,
      formatters: { level: (label) => ({ level: label }) },
    },
    destination,
  );
  return { warn: (text) => log.warn(text), progress: createStageLog(log.info.bind(log), now) };
}

function createStageLog(info: (fields: object, message: string) => void, now: () => number): Progress {
  let stage: Stage | undefined;
  let startedMs = 0;
  let count = 0;
  return {
    begin(name, total) {
      stage = name;
      startedMs = now();
      count = 0;
      info({ stage, event: 'begin', ...(total === undefined ? {} : { total }) }, `${stage} begins`);
    },
    advance(by = 1) {
      count += by;
    },
    end(note) {
      const seconds = (now() - startedMs) / 1000;
      info(
        { stage, event: 'end', seconds, count, ...(note === undefined ? {} : { note }) },
        `${stage ?? ''} ends`,
      );
      stage = undefined;
    },
    abandon() {
      if (stage !== undefined) info({ stage, event: 'abandoned', count }, `${stage} was abandoned`);
      stage = undefined;
    },
  };
}
