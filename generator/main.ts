#!/usr/bin/env node
import path from 'node:path';
import { pino } from 'pino';
import { readBuildInfo } from '../infra/process/build-info.js';
import type { Explanation } from '../infra/process/explain-error.js';
import { createPaint, hasColours } from '../infra/process/paint.js';
import { printLine, runProgram, warnLine } from '../infra/process/run-program.js';
import { programWords } from '../infra/process/shell-command.js';
import { runCli } from './cli.js';
import { EXIT_CODES, type ExitName } from './core/generator-error.js';
import { explainError } from './terminal/diagnostics.js';
import { createLogLines } from './terminal/log-lines.js';
import { createProgressDisplay } from './terminal/progress-display.js';

/** Time limits for an interrupted run to wait for a store, and for anything else. */
const STOP_MS = 3_000;
const GIVE_UP_MS = 3_500;

// The SDK warns about the end of Node 20 support on every run; `engines` in package.json says what we support.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const [, script, ...args] = process.argv;
const isLogJson = args.includes('--log-json');
const now = (): number => Date.now();
const clock = (): number => performance.now();
const paintError = createPaint(process.stderr);
const warn = (text: string): void => warnLine(text, paintError);
const openLogLines = (quiet: boolean): ReturnType<typeof createLogLines> =>
  createLogLines({ destination: pino.destination({ dest: 2, sync: true }), quiet, now, clock });

if (isLogJson) {
  // Node itself would write its warnings as plain text.
  process.removeAllListeners('warning').on('warning', ({ name, message }) => {
    openLogLines(false).warn(`${name}: ${message}`);
  });
}

await runProgram<ExitName>({
  exitCodes: EXIT_CODES,
  explain: explainError,
  report,
  giveUpMs: GIVE_UP_MS,
  givenUp: {
    exit: 'interrupted',
    message:
      'interrupted: unknown: run status to see whether a release was committed. The run did not end in time.',
  },
  run: (interrupted) =>
    runCli(args, {
      program: programWords('generator', script, (file) => path.relative('', file)),
      print: printLine,
      paint: createPaint(process.stdout),
      hasColours: hasColours(process.stdout),
      now,
      signingVariables: process.env,
      build: readBuildInfo(),
      interrupted,
      stopped: abortAfter(interrupted, STOP_MS),
      openDiagnostics: ({ quiet, logJson }) =>
        logJson
          ? openLogLines(quiet)
          : { warn, progress: createProgressDisplay({ quiet, stream: process.stderr, now: clock }) },
    }),
});

function report({ exit, message }: Explanation<ExitName>): void {
  if (isLogJson) openLogLines(false).end({ exit, message, seconds: process.uptime() });
  else warn(`generator: ${message}`);
}

/** Returns a signal that is aborted `delayMs` after another one. */
function abortAfter(signal: AbortSignal, delayMs: number): AbortSignal {
  const later = new AbortController();
  signal.addEventListener('abort', () => setTimeout(() => later.abort(), delayMs).unref());
  return later.signal;
}
