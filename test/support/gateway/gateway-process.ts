import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { runProgram, type ProgramRun } from '../process/run-program.js';

const MAIN = fileURLToPath(new URL('../../../dist/gateway/main.js', import.meta.url));

/** The variables of a process. */
export type Variables = Readonly<Record<string, string>>;

/** Exit of a process, and the time that it took after the signal. */
export type ProcessEnd = {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly seconds: number;
};

/** A running process of the built gateway. */
export type GatewayProcess = {
  readonly url: string;
  readonly operatorUrl: string;
  readonly stdout: () => string;
  readonly stderr: () => string;
  /** Sends the signal to stop and waits for the exit. */
  readonly stop: (signal?: NodeJS.Signals) => Promise<ProcessEnd>;
};

/** Free ports, and test keys. */
const DEFAULTS: Variables = { CRD_PORT: '0', CRD_METRICS_PORT: '0', CRD_KEY_MODE: 'test' };

/** Runs a command of the built gateway. */
export function runGatewayProcess(args: readonly string[], env: Variables): Promise<ProgramRun> {
  return runProgram(process.execPath, [MAIN, ...args], env);
}

/**
 * Starts the built gateway, by default of this checkout, and waits until it listens.
 * @throws Error with its output if it exits first.
 */
export async function startGatewayProcess(env: Variables, main = MAIN): Promise<GatewayProcess> {
  const child = spawn(process.execPath, [main, 'serve'], {
    env: { ...DEFAULTS, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const output = { stdout: '', stderr: '' };
  const ended = new Promise<Omit<ProcessEnd, 'seconds'>>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve({ code, signal }));
  });
  child.stdout.setEncoding('utf8').on('data', (text: string) => (output.stdout += text));
  const listening = new Promise<RegExpExecArray>((resolve) => {
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output.stderr += text;
      const match = /^serving on (\S+), for operators on (\S+)$/m.exec(output.stderr);
      if (match !== null) resolve(match);
    });
  });
  const [, url = '', operatorUrl = ''] = await Promise.race([
    listening,
    ended.then(({ code }) =>
      Promise.reject(new Error(`the gateway exited with ${code ?? 'a signal'}: ${output.stderr}`)),
    ),
  ]);
  return {
    url,
    operatorUrl,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    async stop(signal = 'SIGTERM') {
      const signalledMs = performance.now();
      child.kill(signal);
      return { ...(await ended), seconds: (performance.now() - signalledMs) / 1000 };
    },
  };
}
