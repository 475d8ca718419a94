import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { BenchError, type BenchOptions } from '../bench.js';
import { nodeOn, type ServerProcess } from '../server-process.js';
import type { PaceResult, PaceOptions } from './pace.js';
import type { Extent, SaturateResult, SaturateOptions } from './saturate.js';

/** The requests to one server, and the expected status of every response. */
export type Target = {
  readonly server: ServerProcess;
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
};

/** Number of responses, their duration, and the CPU time that the server used for them. */
export type Throughput = { readonly requests: number; readonly seconds: number; readonly cpuSeconds: number };

/** Sends requests as fast as the server answers. @throws BenchError if a response has another status. */
export async function saturate(target: Target, extent: Extent, options: BenchOptions): Promise<Throughput> {
  const { server, paths, headers, status } = target;
  const input: SaturateOptions = { url: server.url, paths, headers, extent };
  const before = await server.readCpuSeconds();
  const output = (await runOnSharedCore('saturate.js', input, options)) as SaturateResult; // its output
  const cpuSeconds = (await server.readCpuSeconds()) - before;
  const { [status]: requests, ...others } = output.answers;
  if (requests === undefined || Object.keys(others).length > 0 || output.failures > 0) {
    throw new BenchError(
      `Not every response to ${paths[0] ?? ''} had status ${status}: ${JSON.stringify(output)}`,
    );
  }
  return { requests, seconds: output.seconds, cpuSeconds };
}

/** Sends requests at an even rate. @throws BenchError if a response has another status. */
export async function sendEvenly(
  { server, paths, headers, status }: Target,
  { rate, seconds }: Pick<PaceOptions, 'rate' | 'seconds'>,
  options: BenchOptions,
): Promise<PaceResult> {
  const input: PaceOptions = { url: server.url, paths, headers, status, rate, seconds };
  return (await runOnSharedCore('pace.js', input, options)) as PaceResult; // its output
}

/** Runs a script on the shared core, with JSON on stdin and stdout. @throws BenchError if it fails. */
async function runOnSharedCore(
  script: string,
  input: object,
  { root, environment, signal }: BenchOptions,
): Promise<unknown> {
  const [command, args] = nodeOn('shared', [path.join(root, 'dist', 'scripts', 'bench', 'gateway', script)]);
  const child = spawn(command, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'], signal });
  child.stdin.end(JSON.stringify(input));
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'exit') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  if (code !== 0) throw new BenchError(`${script} exited with ${String(code)}:\n${stderr.slice(-2_000)}`);
  return JSON.parse(stdout);
}
