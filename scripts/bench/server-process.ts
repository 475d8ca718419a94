import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { BenchError, type BenchOptions } from './bench.js';

/** Options for `startServerProcess`. */
export type ServerProcessOptions = {
  readonly script: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** File for the server's stdout. */
  readonly log: string;
  readonly core: Core;
};

/**
 * The core of a process. A measured server has its own one. All other processes share the second, 'shared-low' with the
 * lowest priority, so that the store does not delay the load.
 */
export type Core = 'measured' | 'shared' | 'shared-low';

/** A server process on loopback. */
export type ServerProcess = {
  readonly url: string;
  /** Address of the operator's port, or an empty string. */
  readonly operatorUrl: string;
  /** Returns the processor time of all threads so far. */
  readonly readCpuSeconds: () => Promise<number>;
  /** Returns the resident set size. */
  readonly readMemoryBytes: () => Promise<number>;
  /** Writes a line to its stdin. */
  readonly writeLine: (line: string) => void;
  readonly stop: () => Promise<void>;
};

const CORES = { measured: '0', shared: '1', 'shared-low': '1' } as const satisfies Record<Core, string>;
const TICKS_PER_SECOND = 100;

/** Returns true if processes can be pinned to cores on this machine. */
export function canPin(): boolean {
  return availableParallelism() > 1 && spawnSync('taskset', ['-c', CORES.shared, 'true']).status === 0;
}

/** Returns the command that runs Node on a core; without pinning if the machine does not support it. */
export function nodeOn(core: Core, args: readonly string[]): [string, string[]] {
  const unpinned = [...(core === 'shared-low' ? ['nice', '-n', '19'] : []), process.execPath, ...args];
  const [command = '', ...rest] = canPin() ? ['taskset', '-c', CORES[core], ...unpinned] : unpinned;
  return [command, rest];
}

/** Starts a built script and waits for its address. @throws BenchError with its output if it exits first. */
export async function startServerProcess(
  { script, args, env = {}, log, core }: ServerProcessOptions,
  { root, environment, signal }: BenchOptions,
): Promise<ServerProcess> {
  const [command, commandArgs] = nodeOn(core, [path.join(root, 'dist', script), ...args]);
  const output = openSync(log, 'a');
  const child = spawn(command, commandArgs, {
    env: { ...environment, ...env },
    stdio: ['pipe', output, 'pipe'],
    signal,
  }) as ChildProcessByStdio<Writable, null, Readable>; // the types have no overload for a file in stdio
  closeSync(output);
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', (error) => (signal.aborted ? resolve() : reject(error)));
    child.once('close', () => resolve());
  });
  const [url, operatorUrl] = await readUrls(child.stderr, script);
  child.stderr.resume();
  const file = (name: string): Promise<string> => readFile(`/proc/${child.pid ?? 0}/${name}`, 'utf8');
  return {
    url,
    operatorUrl,
    async readCpuSeconds() {
      const fields = (await file('stat')).replace(/^.*\) /s, '').split(' ');
      return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND; // user and system
    },
    async readMemoryBytes() {
      const [, kibibytes] = /^VmRSS:\s+(\d+) kB$/m.exec(await file('status')) ?? [];
      return Number(kibibytes) * 1024;
    },
    writeLine: (line) => void child.stdin.write(`${line}\n`),
    async stop() {
      child.stdin.end();
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Reads the addresses that a server prints when it starts. */
async function readUrls(stderr: Readable, script: string): Promise<[string, string]> {
  const lines: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    const [, url, operatorUrl = ''] = /^serving on (\S+?)(?:, for operators on (\S+))?$/.exec(line) ?? [];
    if (url !== undefined) return [url, operatorUrl];
    lines.push(line);
  }
  throw new BenchError(`${script} did not start:\n${lines.join('\n')}`);
}
