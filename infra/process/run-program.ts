import { setTimeout as sleep } from 'node:timers/promises';
import type { ExitCodes } from './exit-codes.js';
import type { Explanation } from './explain-error.js';
import type { Paint } from './paint.js';
import { printable, printableColoured } from './printable.js';

const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Time limit for an interrupted process to wait for pending system calls. */
const SYSTEM_CALL_MS = 300;

/** Options for `runProgram`. */
type ProgramOptions<Exit extends string> = {
  readonly exitCodes: ExitCodes<Exit>;
  /** Runs the command line. `interrupted` is aborted by SIGINT or SIGTERM. */
  readonly run: (interrupted: AbortSignal) => Promise<Exit>;
  /** Explains an error that nothing else has handled. */
  readonly explain: (error: unknown) => Explanation<Exit>;
  /** Reports the end of a run that cannot report it itself, because it crashed or does not stop. */
  readonly report: (explanation: Explanation<Exit>) => void;
  /** Time limit for `run` to end after an interrupt, and the explanation if it does not. */
  readonly giveUpMs: number;
  readonly givenUp: Explanation<Exit>;
};

/**
 * Runs a program and sets its exit code. The first SIGINT or SIGTERM interrupts the run; the second one of either kind
 * kills the process, so that a shell sees 130 or 143. A reader that closes stdout or stderr early, such as `head`,
 * does not end the run, and neither does output that cannot be written.
 */
export async function runProgram<Exit extends string>(options: ProgramOptions<Exit>): Promise<void> {
  const { exitCodes, run, explain, report, giveUpMs, givenUp } = options;
  keepRunningWithoutOutput();
  process.on('uncaughtException', (error) => {
    // an error that `run` throws arrives here too
    const explanation = explain(error);
    report(explanation);
    process.exit(exitCodes[explanation.exit].code);
  });
  const interruption = interruptOnSignal();
  const givingUp = new Promise<Exit>((resolve) => {
    interruption.addEventListener('abort', () => {
      setTimeout(() => {
        report(givenUp);
        resolve(givenUp.exit);
      }, giveUpMs).unref();
    });
  });
  const exit = await Promise.race([run(interruption), givingUp]);
  process.exitCode = exitCodes[exit].code;
  // A run that was given up may keep a connection open. The callback waits until stdout is flushed.
  if (interruption.aborted) process.stdout.write('', () => void endProcess());
}

/** Writes lines to stdout, which may have colours. If they cannot be written, stderr says so, unless its reader closed it, such as `head`. */
export function printLine(text: string): void {
  try {
    process.stdout.write(`${printableColoured(text)}\n`);
  } catch (error) {
    reportLostOutput(error); // Node 20 throws for a file; later versions emit an error
  }
}

/** Writes lines to stderr. `paint` colours them. */
export function warnLine(text: string, paint: Paint): void {
  process.stderr.write(`${paint(printable(text))}\n`);
}

function keepRunningWithoutOutput(): void {
  process.stdout.on('error', reportLostOutput);
  process.stderr.on('error', () => undefined); // there is nowhere to report it
}

function reportLostOutput(error: unknown): void {
  const { code, syscall } = error as NodeJS.ErrnoException; // checked next
  if (code === undefined || syscall === undefined) throw error;
  if (code !== 'EPIPE')
    process.stderr.write(`The output is incomplete: stdout cannot be written (${code}).\n`);
}

function interruptOnSignal(): AbortSignal {
  const controller = new AbortController();
  const interrupt = (): void => {
    for (const signal of SIGNALS) process.off(signal, interrupt); // the default action for the second one: kill
    controller.abort();
  };
  for (const signal of SIGNALS) process.on(signal, interrupt);
  return controller.signal;
}

/** Ends an interrupted process. `process.exit` waits for pending system calls; while one hangs, only a signal ends the process. */
async function endProcess(): Promise<void> {
  const isCalling = (): boolean =>
    process.getActiveResourcesInfo().some((name) => /^(FSReq|GetAddrInfo|GetNameInfo)/.test(name));
  for (const untilMs = Date.now() + SYSTEM_CALL_MS; isCalling() && Date.now() < untilMs;) await sleep(20);
  if (isCalling()) process.kill(process.pid, 'SIGINT');
  process.exit();
}
