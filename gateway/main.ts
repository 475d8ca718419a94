#!/usr/bin/env node
import { randomBytes, randomUUID } from 'node:crypto';
import { pino } from 'pino';
import { runCli } from './cli.js';
import { soldPrices } from './core/billing/billing-settings.js';
import { EXIT_CODES } from './core/exit-codes.js';
import { createStripeBilling } from './io/billing/stripe-billing.js';

/** How long, after a signal, everything that is under way may take to end. */
const STOP_MS = 10_000;
/** The log is written in pieces of this size, or when so much time has passed. */
const LOG_BYTES = 8_192;
const LOG_MS = 1_000;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

// The SDK warns of the end of its support for Node 20 on every run; `engines` in package.json says what we support.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const stop = new AbortController();
const interrupt = (): void => {
  for (const signal of SIGNALS) process.off(signal, interrupt); // a second one of either kind kills
  setTimeout(() => process.exit(EXIT_CODES.interrupted.code), STOP_MS).unref();
  stop.abort();
};
for (const signal of SIGNALS) process.on(signal, interrupt);

// A reader such as `head` may close the pipe early: that ends the output, not the run.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const logDestination = pino.destination({
  dest: 1,
  sync: false,
  minLength: LOG_BYTES,
  periodicFlush: LOG_MS,
});
const exit = await runCli(process.argv.slice(2), {
  print: (text) => void process.stdout.write(`${text}\n`),
  warn: (text) => void process.stderr.write(`${text}\n`),
  now: () => Date.now(),
  random: (size) => randomBytes(size),
  env: process.env,
  stopped: stop.signal,
  serving: {
    clock: () => performance.now(),
    newId: () => randomUUID(),
    fetch,
    logDestination,
    openBilling: (settings, terms) =>
      createStripeBilling({ ...settings, ...terms, prices: soldPrices(settings) }),
  },
});
logDestination.flushSync();
process.exitCode = EXIT_CODES[exit].code;
