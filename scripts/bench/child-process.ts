import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { BenchError, type BenchTerms } from './bench.js';

/** A process that has ended well: what it printed, its time from spawn to exit, and its peak resident set. */
export type ChildResult = { readonly stdout: string; readonly ms: number; readonly peakBytes: number };

/** Which script of `dist` to run with which arguments; `peakFile` is a new file for its peak memory. */
export type ChildTerms = {
  readonly script: string;
  readonly args: readonly string[];
  readonly peakFile: string;
};

/**
 * Runs a built script in a Node of its own and measures it.
 * @throws BenchError with the end of its stderr when it fails.
 */
export async function runChild(
  { script, args, peakFile }: ChildTerms,
  { root, environment, signal }: BenchTerms,
): Promise<ChildResult> {
  const dist = path.join(root, 'dist');
  const preload = pathToFileURL(path.join(dist, 'scripts', 'bench', 'peak-memory.js')).href;
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
    throw new BenchError(`${script} ended with ${code}:\n${stdout.slice(-500)}${stderr.slice(-2_000)}`);
  return { stdout, ms, peakBytes: Number(await readFile(peakFile, 'utf8')) };
}

/** Waits until the disk has nothing left to write, so that no run pays for the one before it. */
export async function settleDisk(signal: AbortSignal): Promise<void> {
  await once(spawn('sync', { stdio: 'ignore', signal }), 'exit');
}
