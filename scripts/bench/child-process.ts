import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { BenchError, type BenchOptions } from './bench.js';

/** The result of a successful process: its output, the time from start to exit, and its peak resident memory. */
export type ChildResult = { readonly stdout: string; readonly ms: number; readonly peakBytes: number };

/** A script below `dist` with its arguments. The process writes its peak memory to `peakFile`. */
export type ChildOptions = {
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
  const preload = pathToFileURL(path.join(own, 'scripts', 'bench', 'peak-memory.js')).href;
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
