#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { pino } from 'pino';
import { runCli } from './cli.js';
import { createLogLines } from './commands/log-lines.js';
import { createProgressDisplay } from './commands/progress-display.js';
import { EXIT_CODES } from './core/generator-error.js';

/** How long, after an interrupt, the answer of a store is waited for. */
const STOP_MS = 4_000;

// A publication makes much garbage and keeps little: collecting early lets memory follow what is kept.
setFlagsFromString('--heap-growing-percent=80');
// The SDK warns of the end of its support for Node 20 on every run; `engines` in package.json says what we support.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const interruption = new AbortController();
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.once(signal, () => {
    interruption.abort();
    setTimeout(() => stop.abort(), STOP_MS).unref();
  });
}

// A reader such as `head` may close the pipe early: that ends the output, not the run.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const now = (): number => Date.now();
const warn = (text: string): void => void process.stderr.write(`${text}\n`);

const exit = await runCli(process.argv.slice(2), {
  print: (text) => void process.stdout.write(`${text}\n`),
  now,
  interrupted: interruption.signal,
  stopped: stop.signal,
  diagnosis: ({ quiet, logJson }) =>
    logJson
      ? createLogLines(pino.destination({ dest: 2, sync: true }), now)
      : { warn, progress: createProgressDisplay({ quiet, stream: process.stderr, now }) },
});
process.exitCode = EXIT_CODES[exit].code;
// What was given up may still hold a connection open; what was said must be out first.
if (interruption.signal.aborted) process.stdout.write('', () => process.exit());
