import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { startLocalstack, type S3Server } from '../../localstack/start-localstack.js';
import { parseCount, type Bench, type BenchOptions } from '../bench.js';
import { runChild } from '../child-process.js';
import {
  cutHistory,
  readHistory,
  writeHistory,
  type BenchInput,
  type MetricsHistory,
} from '../metrics-history.js';
import { isPassed } from '../report.js';
import { checkS3, formatS3Findings, toS3FindingsJson } from './s3-report.js';
import { countUnchanged } from './s3-requests.js';
import { SERVER_ENVIRONMENT, startDiscardingServer } from './s3-servers.js';
import type { S3Writes, S3WritesOptions } from './s3-writes.js';

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
    const child = { script: 'scripts/bench/s3/s3-writes.js', args, peakFile };
    return JSON.parse((await runChild(child, { ...options, environment })).stdout) as S3Writes; // printed by s3-writes.ts
  } finally {
    await server.stop();
  }
}
