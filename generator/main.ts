#!/usr/bin/env node
import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { pino } from 'pino';
import { runCli } from './cli.js';
import { explainError } from './commands/explain-error.js';
import { createLogLines } from './commands/log-lines.js';
import { createProgressDisplay } from './commands/progress-display.js';
import { EXIT_CODES } from './core/generator-error.js';

/** How long, after an interrupt, the answer of a store is waited for. */
const STOP_MS = 3_000;
/** How long anything else is waited for. */
const GIVE_UP_MS = 3_500;
/** How long, at the end, system calls under way are waited for. */
const LEAVE_MS = 300;
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;

// A publication makes much garbage and keeps little: collecting early lets memory follow what is kept.
setFlagsFromString('--heap-growing-percent=80');
// Clearing away the young in several threads takes more of two cores than it saves.
setFlagsFromString('--no-parallel-scavenge');
// The SDK warns of the end of its support for Node 20 on every run; `engines` in package.json says what we support.
process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';

const interruption = new AbortController();
const stop = new AbortController();
const givenUp = new Promise<'interrupted'>((resolve) => {
  const interrupt = (): void => {
    for (const signal of SIGNALS) process.off(signal, interrupt); // a second one of either kind kills
    interruption.abort();
    setTimeout(() => stop.abort(), STOP_MS).unref();
    setTimeout(() => resolve('interrupted'), GIVE_UP_MS).unref();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
});

// A reader such as `head` may close the pipe early: that ends the output, not the run.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
}

const now = (): number => Date.now();
const warn = (text: string): void => void process.stderr.write(`${text}\n`);
const logLines = (quiet: boolean): ReturnType<typeof createLogLines> =>
  createLogLines({ destination: pino.destination({ dest: 2, sync: true }), quiet, now });

if (process.argv.includes('--log-json')) {
  // What Node says of warnings and of its own end is plain text.
  process.removeAllListeners('warning').on('warning', ({ name, message }) => {
    logLines(false).warn(`${name}: ${message}`);
  });
  process.on('uncaughtException', (error) => {
    const { exit, message } = explainError(error);
    logLines(false).end({ exit, message, seconds: process.uptime() });
    process.exit(EXIT_CODES[exit].code);
  });
}

const run = runCli(process.argv.slice(2), {
  print: (text) => void process.stdout.write(`${text}\n`),
  now,
  interrupted: interruption.signal,
  stopped: stop.signal,
  diagnosis: ({ quiet, logJson }) =>
    logJson
      ? logLines(quiet)
      : { warn, progress: createProgressDisplay({ quiet, stream: process.stderr, now }) },
});
const exit = await Promise.race([run, givenUp.then(explainGivingUp)]);
process.exitCode = EXIT_CODES[exit].code;
// What was given up may still hold a connection open; what was said must be out first.
if (interruption.signal.aborted) process.stdout.write('', () => void leave());

/** Says that the run was left to itself: something other than a store did not end. */
function explainGivingUp(exit: 'interrupted'): 'interrupted' {
  const message = 'interrupted: unknown: run status; something that the run waits for does not end';
  if (process.argv.includes('--log-json')) logLines(false).end({ exit, message, seconds: process.uptime() });
  else warn(`generator: ${message}`);
  return exit;
}

/** Leaves an interrupted run. Exiting waits for system calls under way; after one that hangs, only a signal ends it. */
async function leave(): Promise<void> {
  const isCalling = (): boolean =>
    process.getActiveResourcesInfo().some((name) => /^(FSReq|GetAddrInfo|GetNameInfo)/.test(name));
  for (const untilMs = now() + LEAVE_MS; isCalling() && now() < untilMs;) await sleep(20);
  if (isCalling()) process.kill(process.pid, 'SIGINT');
  process.exit();
}
