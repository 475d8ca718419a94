import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { startLocalstack, type S3Server } from '../s3/start-localstack.js';
import type { Bench, BenchTerms } from './bench.js';
import { isKept } from './check.js';
import { runChild } from './child-process.js';
import {
  cutHistory,
  readHistory,
  writeHistory,
  type BenchInput,
  type MetricsHistory,
} from './metrics-history.js';
import { checkS3, formatS3Findings, toS3FindingsJson } from './s3-report.js';
import { countUnchanged } from './s3-requests.js';
import { SERVER_ENVIRONMENT, startNullServer } from './s3-servers.js';
import type { S3Writes, S3WritesTerms } from './s3-writes.js';

type S3BenchOptions = {
  readonly history: string;
  readonly rounds: number;
  readonly json: string;
  readonly check?: boolean;
};

const ARTIFACTS = 3_000;
/** Days of a chain that give so many small artifacts: three for each, and some are over. */
const DAYS = 1_000;
const BUCKET = 'bench';
const SHORT_DAYS = 30;
const LONG_DAYS = 600;

/** The bench of the S3 store: writes beside a bare loop of the SDK, writes to a server that costs nothing, requests. */
export const addS3Bench: Bench = (command, terms) =>
  command
    .summary('writes to S3 beside a bare loop of the SDK, and requests of an unchanged run')
    .description(
      'Writes artifacts of a real history as a publication does, to LocalStack and to a server that keeps nothing, ' +
        'in turns with a bare loop of PutObject. Takes about two minutes.',
    )
    .option(
      '--history <dir>',
      'the folder whose metrics/ holds the real histories (or CRD_HISTORY_DIR)',
      terms.environment['CRD_HISTORY_DIR'] ?? path.join('..', 'shared', 'data'),
    )
    .option('--rounds <n>', 'how often each is measured, in turns', parseRounds, 5)
    .option('--json <file>', 'where the findings go as JSON, with every sample', 'bench-s3.json')
    .option('--check', 'exit with 1 when a bound is missed')
    .action((options: S3BenchOptions) => runS3Bench(options, terms));

async function runS3Bench(options: S3BenchOptions, terms: BenchTerms): Promise<void> {
  const startedAtMs = terms.now();
  const history = await readHistory(path.resolve(options.history, 'metrics'));
  const folder = await mkdtemp(path.join(tmpdir(), 'bench-s3-'));
  try {
    const input = await writeDays(history, path.join(folder, 'input'));
    const measure = (name: string, start: () => Promise<S3Server>): Promise<S3Writes> => {
      terms.warn(`writing ${ARTIFACTS} artifacts ${2 * (options.rounds + 1)} times to ${name}`);
      return measureWrites({ input, rounds: options.rounds, folder, start }, terms);
    };
    const nullServer = await measure('a server that keeps nothing', () => startNullServer(terms));
    const localstack = await measure('LocalStack', startLocalstack);
    terms.warn('counting the requests of unchanged runs');
    const unchanged = [];
    for (const days of [SHORT_DAYS, LONG_DAYS]) unchanged.push(await countUnchanged(history, days, terms));
    const measured = { localstack, nullServer, unchanged };
    const findings = { startedAtMs, ...measured, checks: checkS3(measured) };
    terms.print(formatS3Findings(findings));
    await writeFile(options.json, toS3FindingsJson(findings));
    if (options.check === true && !findings.checks.every(isKept)) terms.fail();
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

type MeasureTerms = {
  readonly input: BenchInput;
  readonly rounds: number;
  readonly folder: string;
  readonly start: () => Promise<S3Server>;
};

/** Measures in a process of its own, against a server that is started for it. */
async function measureWrites(
  { input, rounds, folder, start }: MeasureTerms,
  terms: BenchTerms,
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
    const args = [JSON.stringify(what satisfies S3WritesTerms)];
    const environment = { ...terms.environment, ...SERVER_ENVIRONMENT };
    const peakFile = path.join(folder, 'peak');
    const child = { script: 'scripts/bench/s3-writes.js', args, peakFile };
    return JSON.parse((await runChild(child, { ...terms, environment })).stdout) as S3Writes; // printed by s3-writes.ts
  } finally {
    await server.stop();
  }
}

function parseRounds(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError('give a number from 1 to 99.');
  return Number(text);
}
