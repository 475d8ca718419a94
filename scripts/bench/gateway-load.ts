import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { BenchError, type BenchTerms } from './bench.js';
import type { PaceResult, PaceTerms } from './gateway-pace.js';
import type { Extent, SaturateResult, SaturateTerms } from './gateway-saturate.js';
import { nodeOn, type Server } from './gateway-servers.js';

/** What is asked of which server, and the status that every answer must have. */
export type Target = {
  readonly server: Server;
  readonly paths: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
};

/** What a server answered in so much time, and the processor time that it used for it. */
export type Answered = { readonly requests: number; readonly seconds: number; readonly cpuSeconds: number };

/** Asks as fast as the server answers. @throws BenchError when an answer is not as expected. */
export async function saturate(target: Target, extent: Extent, terms: BenchTerms): Promise<Answered> {
  const { server, paths, headers, status } = target;
  const what: SaturateTerms = { url: server.url, paths, headers, extent };
  const before = await server.readCpuSeconds();
  const said = (await runBeside('gateway-saturate.js', what, terms)) as SaturateResult; // what it prints
  const cpuSeconds = (await server.readCpuSeconds()) - before;
  const { [status]: requests, ...others } = said.answers;
  if (requests === undefined || Object.keys(others).length > 0 || said.failures > 0) {
    throw new BenchError(`${paths[0] ?? ''} is not always ${status}: ${JSON.stringify(said)}`);
  }
  return { requests, seconds: said.seconds, cpuSeconds };
}

/** Asks at an even rate. @throws BenchError when an answer is not as expected. */
export async function ask(
  { server, paths, headers, status }: Target,
  { rate, seconds }: Pick<PaceTerms, 'rate' | 'seconds'>,
  terms: BenchTerms,
): Promise<PaceResult> {
  const what: PaceTerms = { url: server.url, paths, headers, status, rate, seconds };
  return (await runBeside('gateway-pace.js', what, terms)) as PaceResult; // what it prints
}

/** Runs a script of ours beside the server that is measured, from one JSON document to another. @throws BenchError */
async function runBeside(
  script: string,
  input: object,
  { root, environment, signal }: BenchTerms,
): Promise<unknown> {
  const [command, args] = nodeOn('beside', [path.join(root, 'dist', 'scripts', 'bench', script)]);
  const child = spawn(command, args, { env: environment, stdio: ['pipe', 'pipe', 'pipe'], signal });
  child.stdin.end(JSON.stringify(input));
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'exit') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  if (code !== 0) throw new BenchError(`${script} ended with ${String(code)}:\n${stderr.slice(-2_000)}`);
  return JSON.parse(stdout);
}
