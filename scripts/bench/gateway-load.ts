import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { BenchError, type BenchTerms } from './bench.js';
import type { PaceResult, PaceTerms } from './gateway-pace.js';
import { nodeOn, type Server } from './gateway-servers.js';

/** What is asked of which server, and the status that every answer must have. */
export type Target = {
  readonly server: Server;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly status: number;
};

/** How long to ask, or how often. */
export type Extent = { readonly seconds: number } | { readonly requests: number };

/** What a server answered in so much time, and the processor time that it used for it. */
export type Answered = { readonly requests: number; readonly seconds: number; readonly cpuSeconds: number };

const CONNECTIONS = 20;

/** Asks as fast as the server answers. @throws BenchError when an answer is not as expected. */
export async function saturate(target: Target, extent: Extent, terms: BenchTerms): Promise<Answered> {
  const { server, headers, status } = target;
  const amount = 'seconds' in extent ? ['-d', String(extent.seconds)] : ['-a', String(extent.requests)];
  const sent = Object.entries(headers).flatMap(([name, value]) => ['-H', `${name}=${value}`]);
  const options = ['-c', String(CONNECTIONS), ...amount, ...sent, '--json', '--no-progress'];
  const script = path.join(terms.root, 'node_modules', 'autocannon', 'autocannon.js');
  const before = await server.readCpuSeconds();
  const stdout = await runBeside([script, ...options, `${server.url}${target.path}`], terms);
  const cpuSeconds = (await server.readCpuSeconds()) - before;
  const said = JSON.parse(stdout) as AutocannonResult; // the document of --json
  const { [status]: expected, ...others } = said.statusCodeStats;
  if (expected === undefined || Object.keys(others).length > 0 || said.errors + said.timeouts > 0) {
    const { statusCodeStats, errors, timeouts } = said;
    throw new BenchError(
      `${target.path} is not always ${status}: ${JSON.stringify({ statusCodeStats, errors, timeouts })}`,
    );
  }
  return { requests: expected.count, seconds: said.duration, cpuSeconds };
}

type AutocannonResult = {
  readonly duration: number;
  readonly errors: number;
  readonly timeouts: number;
  readonly statusCodeStats: Readonly<Record<string, { readonly count: number }>>;
};

/** Asks at an even rate. @throws BenchError when an answer is not as expected. */
export async function ask(
  { server, path: of, headers, status }: Target,
  { rate, seconds }: Pick<PaceTerms, 'rate' | 'seconds'>,
  terms: BenchTerms,
): Promise<PaceResult> {
  const what: PaceTerms = { url: `${server.url}${of}`, headers, status, rate, seconds };
  const script = path.join(terms.root, 'dist', 'scripts', 'bench', 'gateway-pace.js');
  return JSON.parse(await runBeside([script, JSON.stringify(what)], terms)) as PaceResult; // printed by gateway-pace.ts
}

/** Runs Node beside the server that is measured; resolves what it printed. @throws BenchError when it fails. */
async function runBeside(args: readonly string[], { environment, signal }: BenchTerms): Promise<string> {
  const [command, all] = nodeOn('beside', args);
  const child = spawn(command, all, { env: environment, stdio: ['ignore', 'pipe', 'pipe'], signal });
  const [[code], stdout, stderr] = await Promise.all([
    once(child, 'exit') as Promise<[number | null]>,
    text(child.stdout),
    text(child.stderr),
  ]);
  if (code !== 0)
    throw new BenchError(`${args[0] ?? ''} ended with ${String(code)}:\n${stderr.slice(-2_000)}`);
  return stdout;
}
