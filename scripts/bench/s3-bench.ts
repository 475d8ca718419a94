import path from 'node:path';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { formatTable } from '../../infra/process/format-table.js';
import type { RequestCounts } from '../../infra/store/counting-store.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { type S3Server, S3_ENVIRONMENT, startLocalstack } from '../localstack/start-localstack.js';
import {
  type Bench,
  BenchError,
  type BenchInput,
  type BenchOptions,
  type Check,
  type MetricsHistory,
  cutHistory,
  formatChecks,
  formatJson,
  isPassed,
  machine,
  median,
  parseCount,
  readHistory,
  runChild,
  writeHistory,
} from './harness.js';
import type { S3Writes, S3WritesOptions } from './programs/s3-writes.js';

type S3BenchOptions = {
  readonly history: string;
  readonly rounds: number;
  readonly json: string;
};

const ARTIFACTS = 3_000;
/** Number of days of a chain that yields enough small artifacts: at least three per day. */
const DAYS = 1_000;
const BUCKET = 'bench';
/** Days per chain of the two stores whose unchanged runs are compared. */
const SHORT_DAYS = 30;
const LONG_DAYS = 600;

/** Adds the bench of the S3 store: writes relative to a plain loop of the SDK, and the requests of an unchanged run. */
export const addS3Bench: Bench = (command, options) =>
  command
    .summary('writes to S3 relative to a plain loop of the SDK, and the requests of an unchanged run')
    .description(
      'Writes artifacts of a real history like a publication, to LocalStack and to a server that discards all data, ' +
        'alternately with a plain loop of PutObject. Takes about two minutes.',
    )
    .option(
      '--history <dir>',
      'folder with the real histories in metrics/ (or CRD_HISTORY_DIR)',
      options.environment['CRD_HISTORY_DIR'] ?? path.join('..', 'shared', 'data'),
    )
    .option('--rounds <n>', 'number of measurements of each writer, alternately', parseCount, 5)
    .option('--json <file>', 'file for the results with every sample', 'bench-s3.json')
    .action((own: S3BenchOptions) => runS3Bench(own, options));

async function runS3Bench(own: S3BenchOptions, options: BenchOptions): Promise<void> {
  const startedAtMs = options.now();
  const history = await readHistory(path.resolve(own.history, 'metrics'));
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-s3-'));
  try {
    const input = await writeDays(history, path.join(folder, 'input'));
    const measure = (name: string, start: () => Promise<S3Server>): Promise<S3Writes> => {
      options.warn(`writing ${ARTIFACTS} artifacts ${2 * (own.rounds + 1)} times to ${name}`);
      return measureWrites({ input, rounds: own.rounds, folder, start }, options);
    };
    const discarding = await measure('a server that discards all data', () => startDiscardingServer(options));
    const localstack = await measure('LocalStack', startLocalstack);
    options.warn('counting the requests of unchanged runs');
    const unchanged = [];
    for (const days of [SHORT_DAYS, LONG_DAYS]) unchanged.push(await countUnchanged(history, days, options));
    const measured = { localstack, discarding, unchanged };
    const findings = { startedAtMs, ...measured, checks: checkS3(measured) };
    options.print(formatS3Findings(findings));
    await writeFile(own.json, toS3FindingsJson(findings));
    if (!findings.checks.every(isPassed)) options.fail();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function writeDays(history: MetricsHistory, folder: string): Promise<BenchInput> {
  return writeHistory(
    folder,
    cutHistory(history, ['ethereum'], (rows) => rows.slice(-DAYS)),
  );
}

type MeasureOptions = {
  readonly input: BenchInput;
  readonly rounds: number;
  readonly folder: string;
  readonly start: () => Promise<S3Server>;
};

/** Starts a server, and measures writes to it in a new process. */
async function measureWrites(
  { input, rounds, folder, start }: MeasureOptions,
  options: BenchOptions,
): Promise<S3Writes> {
  const server = await start();
  try {
    const { endpoint } = server;
    const what = {
      bucket: BUCKET,
      endpoint,
      input: input.folder,
      asOf: input.asOf,
      artifacts: ARTIFACTS,
      rounds,
    };
    const args = [JSON.stringify(what satisfies S3WritesOptions)];
    const environment = { ...options.environment, ...SERVER_ENVIRONMENT };
    const peakFile = path.join(folder, 'peak');
    const child = { script: 'scripts/bench/programs/s3-writes.js', args, peakFile };
    return JSON.parse((await runChild(child, { ...options, environment })).stdout) as S3Writes; // printed by s3-writes.ts
  } finally {
    await server.stop();
  }
}

/** Number of store operations of an unchanged run on a store with `days` days of each chain. */
type UnchangedRun = { readonly days: number; readonly requests: number };

/** Publishes the last days of a history to a directory twice, and returns the operations in the second run's report. */
async function countUnchanged(
  history: MetricsHistory,
  days: number,
  options: BenchOptions,
): Promise<UnchangedRun> {
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-s3-'));
  try {
    const cut = cutHistory(history, CHAIN_IDS, (rows) => rows.slice(-days));
    const { folder: input, asOf } = await writeHistory(path.join(folder, 'input'), cut);
    const report = path.join(folder, 'report.json');
    for (const each of [asOf, asOf.replace('T06:', 'T07:')]) {
      const where = ['--input', input, '--store', `file:${path.join(folder, 'store')}`, '--as-of', each];
      const args = ['publish', ...where, '--quiet', '--report', report];
      await runChild({ script: 'generator/main.js', args, peakFile: path.join(folder, 'peak') }, options);
    }
    const { requests, result } = JSON.parse(await readFile(report, 'utf8')) as Report; // the product's own report
    if (result.outcome !== 'unchanged')
      throw new BenchError(`The outcome of the second run is ${result.outcome}, not unchanged`);
    return { days, requests: Object.values(requests).reduce((sum, count) => sum + count, 0) };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

type Report = { readonly requests: RequestCounts; readonly result: { readonly outcome: string } };

/** Environment variables for a process that uses one of the servers. */
const SERVER_ENVIRONMENT = {
  ...S3_ENVIRONMENT,
  AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: 'true',
} as const;

/** Starts the server that discards all data, in a new process. @throws BenchError if it does not start. */
async function startDiscardingServer({ root }: BenchOptions): Promise<S3Server> {
  const script = path.join(root, 'dist', 'scripts', 'bench', 'programs', 'discarding-server.js');
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  const ended = once(child, 'exit');
  const [output] = (await Promise.race([once(child.stdout, 'data'), ended])) as [unknown]; // its port, or its exit code
  const port = Number(String(output));
  if (!(port > 0)) throw new BenchError(`${script} did not start`);
  return {
    endpoint: `http://127.0.0.1:${port}`,
    async stop() {
      child.stdin.end();
      await ended;
    },
  };
}

/** Writes to both servers, and unchanged runs with histories of ascending length. */
type S3Measured = {
  readonly localstack: S3Writes;
  readonly discarding: S3Writes;
  readonly unchanged: readonly UnchangedRun[];
};

/** Results of the bench. */
type S3Findings = S3Measured & { readonly startedAtMs: number; readonly checks: readonly Check[] };

/**
 * Compares the measurements with their bounds. The writers alternate, and the median of the ratios of all rounds counts.
 * The rate of writes to the discarding server has no bound: it depends on the machine.
 */
function checkS3({ localstack, unchanged }: S3Measured): Check[] {
  const requests = unchanged.map((run) => run.requests);
  const days = unchanged.map((run) => run.days);
  return [
    {
      name: 'rate of writes to LocalStack, relative to a plain loop',
      measured: median(ratios(localstack)),
      relation: 'at least',
      bound: 0.8,
      unit: 'times',
    },
    {
      name: 'unchanged run',
      measured: Math.max(...requests),
      relation: 'at most',
      bound: 40,
      unit: 'requests',
    },
    {
      name: `unchanged run with ${Math.max(...days)} days, compared with ${Math.min(...days)}`,
      measured: requests.at(-1) ?? Number.NaN,
      relation: 'exactly',
      bound: requests[0] ?? Number.NaN,
      unit: 'requests',
    },
  ];
}

/** Returns the product's rate relative to the plain loop, for each round. */
function ratios({ productMs, bareMs }: S3Writes): number[] {
  return productMs.map((ms, i) => (bareMs[i] ?? Number.NaN) / ms);
}

/** Formats the findings as tables: the machine, every rate, and the checked values with their bounds. */
function formatS3Findings({ localstack, discarding, unchanged, checks }: S3Findings): string {
  const { node, cpu, cpus: count } = machine();
  const toRow = (server: string, writer: string, writes: S3Writes, ms: readonly number[]): string[] => {
    const rates = ms.map((each) => Math.round((writes.artifacts / each) * 1000));
    return [server, writer, String(Math.round(median(rates))), rates.join(' ')];
  };
  const rows = [
    toRow('LocalStack', 'product', localstack, localstack.productMs),
    toRow('LocalStack', 'plain loop', localstack, localstack.bareMs),
    toRow('discards', 'product', discarding, discarding.productMs),
    toRow('discards', 'plain loop', discarding, discarding.bareMs),
  ];
  const { artifacts, bytes, concurrency } = localstack;
  return [
    `${artifacts} artifacts of ${Math.round(bytes / artifacts)} bytes, ${concurrency} at a time; Node ${node}, ${count} x ${cpu}`,
    formatTable(['server', 'writer', 'median puts/s', 'all puts/s'], rows),
    formatTable(
      ['days of the store', 'requests of an unchanged run'],
      unchanged.map(({ days, requests }) => [days, requests]),
    ),
    formatChecks(checks),
  ].join('\n\n');
}

/** Returns the document of `--json`. */
function toS3FindingsJson(findings: S3Findings): string {
  const toWrites = ({ productMs, bareMs, ...writes }: S3Writes): object => ({
    ...writes,
    product_ms: productMs,
    bare_ms: bareMs,
  });
  return formatJson('s3', findings, {
    localstack: toWrites(findings.localstack),
    discarding_server: toWrites(findings.discarding),
    unchanged: findings.unchanged,
  });
}
