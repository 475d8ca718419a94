#!/usr/bin/env node
import { setFlagsFromString } from 'node:v8';
import { runCli } from './cli.js';
import { createProgressDisplay } from './commands/progress-display.js';
import { EXIT_CODES } from './core/generator-error.js';

// A publication makes much garbage and keeps little: collecting early lets memory follow what is kept.
setFlagsFromString('--heap-growing-percent=80');

const interruption = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => interruption.abort());

// A reader such as `head` may close the pipe early: that ends the output, not the run.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const print = (text: string): void => void process.stdout.write(`${text}\n`);
const warn = (text: string): void => void process.stderr.write(`${text}\n`);
const now = (): number => Date.now();

const exit = await runCli(process.argv.slice(2), {
  print,
  warn,
  now,
  context: (quiet) => ({
    print,
    warn,
    now,
    progress: createProgressDisplay({ quiet, stream: process.stderr, now }),
    signal: interruption.signal,
  }),
});
process.exitCode = EXIT_CODES[exit].code;
