import { spawn, spawnSync, type ChildProcessByStdio } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { BenchError, type BenchTerms } from './bench.js';

/** Which built script to serve with; what it prints on stdout goes to a file, as a log does. */
export type ServerTerms = {
  readonly script: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly log: string;
  readonly side: Side;
  /** Options of Node itself. */
  readonly options?: readonly string[];
};

/**
 * The server that is measured has a core to itself; whatever else there is shares the other, what is 'behind' only when
 * nobody else needs it: a store that works must not make the load late.
 */
export type Side = 'measured' | 'beside' | 'behind';

/** A process that serves on loopback. */
export type Server = {
  readonly url: string;
  /** Where its operator's port is, if it has one. */
  readonly operatorUrl: string;
  /** Seconds of processor time that all its threads have used. */
  readonly readCpuSeconds: () => Promise<number>;
  /** Its resident set by now. */
  readonly readMemoryBytes: () => Promise<number>;
  /** Writes a line to its stdin. */
  readonly tell: (line: string) => void;
  readonly stop: () => Promise<void>;
};

const CORES = { measured: '0', beside: '1', behind: '1' } as const satisfies Record<Side, string>;
const TICKS_PER_SECOND = 100;

/** Whether a process can be kept on a core of its own here. */
export function canPin(): boolean {
  return availableParallelism() > 1 && spawnSync('taskset', ['-c', CORES.beside, 'true']).status === 0;
}

/** The command that runs Node on one side, where that is possible. */
export function nodeOn(side: Side, args: readonly string[]): [string, string[]] {
  const all = [...(side === 'behind' ? ['nice', '-n', '19'] : []), process.execPath, ...args];
  const [command = '', ...rest] = canPin() ? ['taskset', '-c', CORES[side], ...all] : all;
  return [command, rest];
}

/** Starts a server; resolves once it says where it serves. @throws BenchError with what it said when it ends before. */
export async function startServer(
  { script, args, env = {}, log, side, options = [] }: ServerTerms,
  { root, environment, signal }: BenchTerms,
): Promise<Server> {
  const [command, all] = nodeOn(side, [...options, path.join(root, 'dist', script), ...args]);
  const output = openSync(log, 'a');
  const child = spawn(command, all, {
    env: { ...environment, ...env },
    stdio: ['pipe', output, 'pipe'],
    signal,
  }) as ChildProcessByStdio<Writable, null, Readable>; // the types know no such stdio with a file in it
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
    tell: (line) => void child.stdin.write(`${line}\n`),
    async stop() {
      child.stdin.end();
      child.kill('SIGTERM');
      await ended;
    },
  };
}

/** Where a server that starts says that it serves, and for operators. */
async function readUrls(stderr: Readable, script: string): Promise<[string, string]> {
  const said: string[] = [];
  for await (const line of createInterface({ input: stderr })) {
    const [, url, operatorUrl = ''] = /^serving on (\S+?)(?:, for operators on (\S+))?$/.exec(line) ?? [];
    if (url !== undefined) return [url, operatorUrl];
    said.push(line);
  }
  throw new BenchError(`${script} did not start:\n${said.join('\n')}`);
}
