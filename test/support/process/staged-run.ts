import { spawn, type ChildProcess } from 'node:child_process';
import type { Stage } from '../../../generator/run/progress.js';
import { MAIN } from './generator-run.js';

/** A stage of a run. Its times are when its log lines arrived, in milliseconds since the process started. */
export type SeenStage = { readonly stage: Stage; readonly beganMs: number; readonly endedMs?: number };

/** The result of a run of the built program, with its stages. */
export type StagedRun = {
  /** `null` if a signal ended it. */
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  /** Log messages other than the events of stages. */
  readonly messages: string;
  readonly stages: readonly SeenStage[];
  /** The stage that had begun but not ended when the run ended. */
  readonly within: Stage | undefined;
  /** Seconds from the action to the end; `undefined` if there was no action. */
  readonly secondsAfter: number | undefined;
};

/** An action on a run, `delayMs` milliseconds after the beginning of a stage; without a stage, of the run. */
export type StageAction = {
  readonly stage?: Stage;
  readonly delayMs?: number;
  readonly act: (child: ChildProcess) => void;
};

/**
 * Runs the built program with `--log-json` and only the environment variables for S3, and acts on it once. `nodeArgs` are
 * arguments of Node.js itself.
 */
export function runStaged(
  args: readonly string[],
  action?: StageAction,
  nodeArgs: readonly string[] = [],
): Promise<StagedRun> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [...nodeArgs, MAIN, ...args, '--log-json'], {
      env: s3Environment(),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const startedMs = performance.now();
    const log = createStageLog(() => performance.now() - startedMs);
    let stdout = '';
    let actedMs: number | undefined;
    let isScheduled = false;
    const actIfDue = (): void => {
      if (isScheduled || action === undefined) return;
      if (action.stage !== undefined && !log.has(action.stage)) return;
      isScheduled = true;
      afterMs(action.delayMs ?? 0, () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        actedMs = performance.now();
        action.act(child);
      });
    };
    actIfDue();
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      log.read(text);
      actIfDue();
    });
    child.once('error', reject);
    child.once('close', (code, signal) => {
      const secondsAfter = actedMs === undefined ? undefined : (performance.now() - actedMs) / 1000;
      resolve({ code, signal, stdout, ...log.end(), secondsAfter });
    });
  });
}

/** Returns the environment variables that S3 clients read. */
export function s3Environment(): Record<string, string> {
  const names = Object.keys(process.env).filter((name) => name.startsWith('AWS_') || name === 'HOME');
  return Object.fromEntries(names.map((name) => [name, process.env[name] ?? '']));
}

type StageLog = {
  readonly read: (text: string) => void;
  readonly has: (stage: Stage) => boolean;
  readonly end: () => Pick<StagedRun, 'messages' | 'stages' | 'within'>;
};

/** Reads log lines as they arrive. The last line may be incomplete. */
function createStageLog(clock: () => number): StageLog {
  const stages: { stage: Stage; beganMs: number; endedMs?: number }[] = [];
  const messages: string[] = [];
  let rest = '';

  function readLine(line: string): void {
    const { stage, event, msg } = JSON.parse(line) as { stage?: Stage; event?: string; msg?: string }; // our own format
    if (stage === undefined) messages.push(msg ?? '');
    else if (event === 'begin') stages.push({ stage, beganMs: clock() });
    const last = stages.at(-1);
    if (stage !== undefined && event === 'end' && last?.stage === stage) last.endedMs = clock();
  }
  return {
    read(text) {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      lines.forEach(readLine);
    },
    has: (stage) => stages.some((each) => each.stage === stage),
    end() {
      const last = stages.at(-1);
      return {
        messages: messages.join('\n'),
        stages,
        within: last?.endedMs === undefined ? last?.stage : undefined,
      };
    },
  };
}

/** Runs `work` after a delay with a precision below a millisecond. */
function afterMs(delayMs: number, work: () => void): void {
  const dueMs = performance.now() + delayMs;
  const wait = (): void => {
    const remainingMs = dueMs - performance.now();
    if (remainingMs <= 0) work();
    else if (remainingMs > 3) setTimeout(wait, remainingMs - 2);
    else setImmediate(wait);
  };
  wait();
}
