import path from 'node:path';
import { type Command, InvalidArgumentError } from 'commander';
import { type ChildProcessByStdio, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, realpath, statfs, writeFile } from 'node:fs/promises';
import { availableParallelism, cpus, release } from 'node:os';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { formatTable } from '../../infra/process/format-table.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { addDays } from '../../schemas/dates.js';
import type { Chain } from '../../schemas/types.generated.js';

/** The environment of a bench. */
export type BenchOptions = {
  /** Folder of the repository, with the built programs in `dist`. */
  readonly root: string;
  readonly environment: NodeJS.ProcessEnv;
  readonly signal: AbortSignal;
  readonly print: (text: string) => void;
  readonly warn: (text: string) => void;
  readonly now: () => number;
  /** Sets the program's exit code to 1. */
  readonly fail: () => void;
};

/** Adds description, options and action of a bench to its command. */
export type Bench = (command: Command, options: BenchOptions) => Command;

/** A reason why a bench cannot run. The message is for the person who started it. */
export class BenchError extends Error {
  override readonly name = 'BenchError';
}

/** Parses the value of an option that is a count. @throws InvalidArgumentError */
export function parseCount(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError('Use a number from 1 to 99.');
  return Number(text);
}

/** A measured value and its bound. */
export type Check = {
  readonly name: string;
  readonly measured: number;
  readonly relation: 'at most' | 'under' | 'exactly' | 'at least' | 'over';
  readonly bound: number;
  readonly unit: 'times' | 'MB' | 'bytes' | 'objects' | 'files' | 'requests' | 'ms' | 'releases';
};

/** Returns true if the measured value is within its bound; always false for NaN. */
export function isPassed({ measured, relation, bound }: Check): boolean {
  switch (relation) {
    case 'at most':
      return measured <= bound;
    case 'under':
      return measured < bound;
    case 'exactly':
      return measured === bound;
    case 'at least':
      return measured >= bound;
    case 'over':
      return measured > bound;
  }
}

/** Returns the median, which is the mean of the two middle values if their number is even; NaN for an empty list. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}

/** Formats measured values and their bounds as a table. */
export function formatChecks(checks: readonly Check[]): string {
  const rows = checks.map((check) => [
    check.name,
    `${formatValue(check.measured, check.unit)} ${check.unit}`,
    `${check.relation} ${formatValue(check.bound, check.unit)}`,
    isPassed(check) ? 'pass' : 'FAIL',
  ]);
  return formatTable(['check', 'measured', 'bound', ''], rows);
}

/** Returns the machine that the bench runs on. */
export function machine(): { node: string; kernel: string; cpu: string; cpus: number } {
  const cpu = cpus()[0]?.model.trim() ?? 'unknown';
  return { node: process.versions.node, kernel: release(), cpu, cpus: availableParallelism() };
}

/** Formats the document of `--json`: the members that all benches have, followed by the bench's own `results`. */
export function formatJson(
  bench: string,
  { startedAtMs, checks }: { readonly startedAtMs: number; readonly checks: readonly Check[] },
  results: object,
): string {
  const document = {
    bench,
    started_at: new Date(startedAtMs).toISOString(),
    machine: machine(),
    passed: checks.every(isPassed),
    checks: checks.map((check) => ({ ...check, passed: isPassed(check) })),
    ...results,
  };
  return `${JSON.stringify(document, null, 2)}\n`;
}

function formatValue(value: number, unit: Check['unit']): string {
  return unit === 'times' || unit === 'ms' ? value.toFixed(2) : String(Math.round(value));
}

/** The result of a successful process: its output, the time from start to exit, and its peak resident memory. */
export type ChildResult = { readonly stdout: string; readonly ms: number; readonly peakBytes: number };

/** A script below `dist` with its arguments. The process writes its peak memory to `peakFile`. */
type ChildOptions = {
  readonly script: string;
  readonly args: readonly string[];
  readonly peakFile: string;
};

/**
 * Runs a built script in a new process and measures it.
 * @throws BenchError with the end of its output if it fails.
 */
export async function runChild(
  { script, args, peakFile }: ChildOptions,
  { root, environment, signal }: BenchOptions,
): Promise<ChildResult> {
  const dist = path.join(root, 'dist');
  const own = path.join(import.meta.dirname, '../../dist'); // `root` may be that of another commit
  const preload = pathToFileURL(path.join(own, 'scripts', 'bench', 'programs', 'peak-memory.js')).href;
  const startedMs = performance.now();
  const child = spawn(process.execPath, ['--import', preload, path.join(dist, script), ...args], {
    env: { ...environment, NODE_OPTIONS: '', BENCH_PEAK_MEMORY_FILE: peakFile },
    stdio: ['ignore', 'pipe', 'pipe'],
    signal,
  });
  const ended = once(child, 'exit').then(([code]) => ({
    code: Number(code),
    ms: performance.now() - startedMs,
  }));
  const [{ code, ms }, stdout, stderr] = await Promise.all([ended, text(child.stdout), text(child.stderr)]);
  if (code !== 0)
    throw new BenchError(`${script} exited with ${code}:\n${stdout.slice(-500)}${stderr.slice(-2_000)}`);
  return { stdout, ms, peakBytes: Number(await readFile(peakFile, 'utf8')) };
}

/** Waits until all pending writes are on disk, so that the previous run does not slow down the next one. */
export async function settleDisk(signal: AbortSignal): Promise<void> {
  await once(spawn('sync', { stdio: 'ignore', signal }), 'exit');
}

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
type Core = 'measured' | 'shared' | 'shared-low';

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

/** The metrics of some chains as CSV text. Rows are in ascending order of date. */
export type MetricsHistory = {
  readonly sources: string;
  readonly chains: ReadonlyMap<Chain, { readonly header: string; readonly rows: readonly string[] }>;
};

/** An input directory of the generator, and the as-of instant of its publication. */
export type BenchInput = { readonly folder: string; readonly asOf: string };

/**
 * Reads the history of all chains from a folder with `<chain>.csv` and `sources.json`.
 * @throws BenchError if a file is missing.
 */
export async function readHistory(folder: string): Promise<MetricsHistory> {
  const read = async (name: string): Promise<string> => {
    try {
      return await readFile(path.join(folder, name), 'utf8');
    } catch (error) {
      throw new BenchError(
        `${path.join(folder, name)} cannot be read. Set --history or CRD_HISTORY_DIR to the folder that contains metrics/.`,
        { cause: error },
      );
    }
  };
  const chains: MetricsHistory['chains'] = new Map(
    await Promise.all(
      CHAIN_IDS.map(async (chain) => {
        const [header = '', ...rows] = (await read(`${chain}.csv`))
          .split(/\r?\n/)
          .filter((line) => line !== '');
        return [chain, { header, rows }] as const;
      }),
    ),
  );
  return { sources: await read('sources.json'), chains };
}

/** Returns the history of these chains, with the rows that `cut` returns. */
export function cutHistory(
  history: MetricsHistory,
  chains: readonly Chain[],
  cut: (rows: readonly string[]) => readonly string[],
): MetricsHistory {
  const kept = [...history.chains].filter(([chain]) => chains.includes(chain));
  return {
    sources: history.sources,
    chains: new Map(kept.map(([chain, { header, rows }]) => [chain, { header, rows: cut(rows) }])),
  };
}

/** Writes a history to an input directory. Its as-of is the morning after the last date. */
export async function writeHistory(folder: string, history: MetricsHistory): Promise<BenchInput> {
  await mkdir(folder, { recursive: true });
  await writeFile(path.join(folder, 'sources.json'), history.sources);
  for (const [chain, { header, rows }] of history.chains) {
    await writeFile(path.join(folder, `${chain}.csv`), `${[header, ...rows].join('\n')}\n`);
  }
  const last = [...history.chains.values()]
    .map(({ rows }) => rows.at(-1)?.slice(0, 10) ?? '')
    .sort()
    .at(-1);
  if (last === undefined || last === '')
    throw new BenchError(`${folder}: the history has too few rows. Use a longer one.`);
  return { folder, asOf: `${addDays(last, 1)}T06:00:00Z` };
}

/** Number of days of the chains whose full history is longer than the sample. */
const FULL_DAYS: { readonly [chain in Chain]?: number } = {
  bitcoin: 6_400,
  ethereum: 4_000,
  arbitrum: 1_300,
};
/** Late enough that no chain gets days before its first block. */
const LAST_DATE = '2026-07-31';

/**
 * Returns the full history of all chains: the real one in `folder`, or a synthetic one of the same length that repeats
 * the days of the sample. @throws BenchError if `folder` has no history.
 */
export async function readFullHistory(folder: string | undefined, root: string): Promise<MetricsHistory> {
  if (folder !== undefined) return readHistory(path.resolve(folder, 'metrics'));
  const sample = await readHistory(path.join(root, 'scripts', 'sample'));
  const chains = [...sample.chains].map(([chain, { header, rows }]) => {
    return [chain, { header, rows: lengthen(rows, FULL_DAYS[chain] ?? rows.length) }] as const;
  });
  return { sources: sample.sources, chains: new Map(chains) };
}

/** Repeats rows until there is one for each day. */
function lengthen(rows: readonly string[], days: number): readonly string[] {
  return Array.from({ length: days }, (_, i) => {
    const back = days - 1 - i;
    const row = rows[rows.length - 1 - (back % rows.length)] ?? '';
    return addDays(LAST_DATE, -back) + row.slice(10);
  });
}

/** Numbers by which Linux names file systems in memory: tmpfs and ramfs. */
const IN_MEMORY = [0x01021994, 0x858458f6];

/** Creates a new folder in `parent`. @throws BenchError if its file system is in memory, where a flush costs nothing. */
export async function createWorkFolder(parent: string): Promise<string> {
  await mkdir(parent, { recursive: true });
  const { type } = await statfs(parent);
  if (IN_MEMORY.includes(type))
    throw new BenchError(`--work ${parent} is in memory. Use a folder on a disk.`);
  return mkdtemp(path.join(await realpath(parent), 'run-'));
}
