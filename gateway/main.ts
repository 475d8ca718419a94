#!/usr/bin/env node
import { randomBytes, randomUUID } from 'node:crypto';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { pino } from 'pino';
import { createPaint, hasColours } from '../infra/process/paint.js';
import { printLine, runProgram, warnLine } from '../infra/process/run-program.js';
import { programWords } from '../infra/process/shell-command.js';
import { productFile } from '../schemas/product-file.js';
import { runCli } from './cli.js';
import { explainError } from './commands/explain-error.js';
import { soldPrices } from './core/billing/billing-settings.js';
import { EXIT_CODES, type ExitName } from './core/exit-codes.js';
import { createScrubber } from './core/scrub.js';
import { readAccountFiles } from './io/account-page/read-account-files.js';

const TEMPLATES = fileURLToPath(productFile('templates'));
/** Time limit for an interrupted command to end. */
const GIVE_UP_MS = 10_000;
/** The log is written in blocks of this size, and at this interval. */
const LOG_BYTES = 8_192;
const LOG_INTERVAL_MS = 1_000;

// The SDK warns about the end of Node 20 support on every run; `engines` in package.json says what we support.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const [, script, ...args] = process.argv;
const scrub = createScrubber([]);
const paintError = createPaint(process.stderr);
const warn = (text: string): void => warnLine(text, paintError);
const logDestination = pino.destination({
  dest: 1,
  sync: false,
  minLength: LOG_BYTES,
  periodicFlush: LOG_INTERVAL_MS,
});

await runProgram<ExitName>({
  exitCodes: EXIT_CODES,
  explain: explainError,
  report: ({ message }) => warn(scrub(`gateway: ${message}`)),
  giveUpMs: GIVE_UP_MS,
  givenUp: {
    exit: 'interrupted',
    message: `interrupted: the command did not end within ${GIVE_UP_MS / 1000} seconds. It may have changed an account: check with "gateway accounts show" before you run it again`,
  },
  run: (interrupted) =>
    runCli(args, {
      program: programWords('gateway', script, (file) => path.relative('', file)),
      print: printLine,
      paint: createPaint(process.stdout),
      hasColours: hasColours(process.stdout),
      warn,
      now: () => Date.now(),
      random: (size) => randomBytes(size),
      env: process.env,
      stopped: interrupted,
      serving: {
        clock: () => performance.now(),
        newId: () => randomUUID(),
        fetch,
        logDestination,
        readAccountFiles: () => readAccountFiles(TEMPLATES),
        async openBilling(settings, options) {
          const { createStripeBilling } = await import('./io/billing/stripe/stripe-billing.js'); // large
          return createStripeBilling({ ...settings, ...options, prices: soldPrices(settings) });
        },
      },
    }),
});
logDestination.flushSync();
