import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Readable } from 'node:stream';
import { BenchError, type BenchOptions } from './harness.js';

type TreeResult = { readonly cpuSeconds: number; readonly peakMb: number; readonly stdout: string };

const TICKS_PER_SECOND = 100;

/**
 * Runs a command in a folder until it ends or, with `until`, until a line of its output matches; then it is interrupted.
 * @throws BenchError with the end of its output if it does not exit with 0, or ends before that line.
 */
export async function runTree(
  command: readonly string[],
  args: readonly string[],
  cwd: string,
  { environment, signal }: BenchOptions,
  until?: RegExp,
): Promise<TreeResult> {
  // The shell waits for a line before it exits, so that the processor time of its children can be read.
  const script = '"$@" </dev/null; echo $? >&3; read -r';
  const child = spawn('bash', ['-c', script, 'bench', ...command, ...args], {
    cwd,
    env: { ...environment, NODE_OPTIONS: '', NODE_NO_WARNINGS: '1' },
    stdio: ['pipe', 'pipe', 'pipe', 'pipe'],
    detached: true, // a process group of its own, which can be interrupted as a whole
    signal,
  });
  const pid = child.pid ?? 0;
  const { stdin, stdout, stderr } = child;
  const codes = child.stdio[3] as Readable; // the fourth pipe
  const lines: string[] = [];
  const errors: string[] = [];
  let peakMb = 0;
  const watch = setInterval(() => (peakMb = Math.max(peakMb, readPeakMb(pid))), 20);
  const exitCode = once(codes, 'data').then(([data]) => Number(String(data)));
  const seen = new Promise<'seen'>((resolve) => {
    createInterface({ input: stdout }).on('line', (line) => {
      lines.push(line);
      if (until?.test(line) === true) resolve('seen');
    });
  });
  createInterface({ input: stderr }).on('line', (line) => void errors.push(line));
  try {
    const outcome = await Promise.race([exitCode, ...(until === undefined ? [] : [seen])]);
    const cpuSeconds = readTreeSeconds(pid);
    if (outcome !== (until === undefined ? 0 : 'seen')) {
      const output = [...lines, ...errors].slice(-30).join('\n');
      throw new BenchError(`${command.join(' ')} in ${cwd} exited with ${String(outcome)}:\n${output}`);
    }
    if (outcome === 'seen') {
      process.kill(-pid, 'SIGINT');
      await Promise.race([exitCode, once(child, 'exit')]);
    }
    return { cpuSeconds, peakMb, stdout: lines.join('\n') };
  } finally {
    clearInterval(watch);
    stdin.end('\n');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
  }
}

/** Returns the processor time of a process and all its descendants, with those that it waited for. */
function readTreeSeconds(root: number): number {
  const fields = new Map<number, readonly number[]>();
  for (const name of readdirSync('/proc')) {
    const numbers = /^\d+$/.test(name) ? readStat(name) : undefined;
    if (numbers !== undefined) fields.set(Number(name), numbers);
  }
  const isBelow = (pid: number): boolean => pid === root || (pid > 1 && isBelow(fields.get(pid)?.[0] ?? 0));
  let ticks = 0;
  for (const [pid, [, ...times]] of fields)
    if (isBelow(pid)) ticks += times.reduce((sum, each) => sum + each, 0);
  return ticks / TICKS_PER_SECOND;
}

/** Reads the parent and the four processor times of a process: own user and system, and of children it waited for. */
function readStat(pid: string): readonly number[] | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')
      .map(Number);
    return [1, 11, 12, 13, 14].map((i) => fields[i] ?? 0);
  } catch {
    return undefined; // it has just ended
  }
}

/** Returns the peak resident memory of the child of a shell; 0 if it has none. */
function readPeakMb(shell: number): number {
  try {
    const [child = ''] = readFileSync(`/proc/${shell}/task/${shell}/children`, 'utf8').split(' ');
    const [, kibibytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${child}/status`, 'utf8')) ?? [];
    return (Number(kibibytes ?? 0) * 1024) / 1e6;
  } catch {
    return 0;
  }
}
