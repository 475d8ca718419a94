import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import { rm } from 'node:fs/promises';
import { formatTable } from '../../infra/process/format-table.js';
import type { Chain } from '../../schemas/types.generated.js';
import { type DemoService, startDemoSources } from '../demo/demo-sources.js';
import {
  type Bench,
  BenchError,
  type BenchOptions,
  type Check,
  type ChildResult,
  formatChecks,
  isPassed,
  machine,
  median,
  parseCount,
  runChild,
  createWorkFolder,
} from './harness.js';

type CollectionBenchOptions = {
  readonly work: string;
  readonly rounds: number;
  readonly transactions: number;
};

type RunStep = (...args: readonly string[]) => Promise<ChildResult>;

const FULL_DAY = 5_000_000;
const SCRIPT = path.join('scripts', 'bench', 'programs', 'run-step.js');

/** Adds the bench of the collection: the query of a large day, the bytes that it reads, and what a collection costs without it. */
export const addCollectionBench: Bench = (command, options) =>
  command
    .summary('the query of a large day, its memory and its bytes, the ledger, and requests with nothing new')
    .description(
      'Makes up a day of base with 5 million transactions and computes its metrics with DuckDB, in 1 GB of memory and ' +
        'with two threads; the aim is 8 times a scan of its columns, the bound 16 times. Reads the day from a bucket, ' +
        'rewrites a ledger of 17 years, and collects from the services of the demo when nothing is new. ' +
        'Needs DuckDB, 3 GB of disk and one to three minutes; a smaller day takes less.',
    )
    .option(
      '--work <dir>',
      'folder on a disk, in which a new folder is created',
      path.join(options.root, 'data', 'bench'),
    )
    .option('--rounds <n>', 'number of measurements of each run; the median counts', parseCount, 3)
    .option('--transactions <n>', 'number of transactions of the day', parseTransactions, FULL_DAY)
    .action((own: CollectionBenchOptions) => runCollectionBench(own, options));

function parseTransactions(text: string): number {
  if (!/^[1-9]\d{4,7}$/.test(text)) throw new InvalidArgumentError('Use a number from 10000 to 99999999.');
  return Number(text);
}

async function runCollectionBench(own: CollectionBenchOptions, options: BenchOptions): Promise<void> {
  await import('@duckdb/node-api').catch((cause: unknown) => {
    throw new BenchError('DuckDB is not installed. Run npm run install:duckdb.', { cause });
  });
  const folder = await createWorkFolder(path.resolve(own.work));
  const runStep: RunStep = (...args) =>
    runChild({ script: SCRIPT, args, peakFile: path.join(folder, 'peak') }, options);
  try {
    const measured = await measure(own, folder, { ...options, runStep });
    const checks = toChecks(measured);
    const size =
      own.transactions === FULL_DAY ? '' : ` The bounds are those of ${FULL_DAY / 1e6} million transactions.`;
    options.print(`A day of ${own.transactions / 1e6} million transactions.${size}`);
    options.print(`${formatSamples(measured.samples)}\n\n${formatChecks(checks)}`);
    if (!checks.every(isPassed)) options.fail();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function measure(
  { rounds, transactions }: CollectionBenchOptions,
  folder: string,
  options: BenchOptions & { readonly runStep: RunStep },
): Promise<CollectionMeasurements> {
  const { root, runStep, warn } = options;
  warn('collecting when nothing is new');
  const idle = await countIdleRequests(folder, options);
  await runStep('write-ledger', folder, path.join(root, 'scripts', 'sample', 'bitcoin.csv'));
  warn(`making up a day of ${transactions / 1e6} million transactions`);
  await runStep('write', folder, String(transactions));
  const samples: Sample[] = [];
  for (let round = 1; round <= rounds; round += 1) {
    warn(`round ${round} of ${rounds}`);
    for (const run of ['ledger', 'floor', 'query'] as const) {
      const { stdout, peakBytes } = await runStep(run, folder);
      samples.push({ run, ms: Number(stdout), peakBytes });
    }
  }
  warn('reading the day from a bucket');
  const { stdout } = await runStep('bytes', folder);
  return { samples, bytesRead: Number(stdout), idle };
}

function formatSamples(samples: readonly Sample[]): string {
  const { node, cpu, cpus } = machine();
  const rows = samples.map(({ run, ms, peakBytes }) => [
    run,
    (ms / 1000).toFixed(2),
    String(Math.round(peakBytes / 1e6)),
  ]);
  return `Node ${node}, ${cpus} x ${cpu}\n\n${formatTable(['run', 's', 'peak MB'], rows)}`;
}

/** Requests of a collection to a source, for a chain. */
type IdleRequests = {
  readonly chain: Chain;
  readonly source: DemoService;
  readonly requests: number;
};

/** The chains of the demo that are collected from services. */
const CHAINS: readonly Chain[] = ['ethereum', 'arbitrum'];

/** Collects each chain from the services of the demo, again an hour later, and counts the requests of the second time. */
async function countIdleRequests(folder: string, options: BenchOptions): Promise<IdleRequests[]> {
  const { policy, takeRequests, stop } = await startDemoSources(path.join(options.root, 'scripts', 'sample'));
  const collect = async (chain: Chain, asOf: string): Promise<DemoService[]> => {
    takeRequests();
    const into = ['--policy', policy, '--into', `file:${path.join(folder, 'idle')}`, '--as-of', asOf];
    const script = path.join('generator', 'main.js');
    await runChild(
      { script, args: ['collect', '--chain', chain, ...into], peakFile: path.join(folder, 'peak') },
      options,
    );
    return takeRequests();
  };
  try {
    const counted: IdleRequests[] = [];
    for (const chain of CHAINS) {
      const first = await collect(chain, '2023-09-27T06:00:00Z');
      const second = await collect(chain, '2023-09-27T07:00:00Z');
      if (first.length === 0) throw new BenchError(`${chain} was not collected from a service`);
      for (const source of new Set(first)) {
        counted.push({ chain, source, requests: second.filter((each) => each === source).length });
      }
    }
    return counted;
  } finally {
    await stop();
  }
}

type Run = 'floor' | 'query' | 'ledger';

/** A measurement of a run. */
export type Sample = { readonly run: Run; readonly ms: number; readonly peakBytes: number };

/** Everything that the bench measures. `bytesRead` is relative to the bytes of the needed columns. */
export type CollectionMeasurements = {
  readonly samples: readonly Sample[];
  readonly bytesRead: number;
  readonly idle: readonly IdleRequests[];
};

/** Compares what was measured with the bounds. */
export function toChecks({ samples, bytesRead, idle }: CollectionMeasurements): Check[] {
  const of = (run: Run): readonly Sample[] => samples.filter((sample) => sample.run === run);
  const ms = (run: Run): number => median(of(run).map((sample) => sample.ms));
  const peakMb = Math.max(...of('query').map(({ peakBytes }) => peakBytes / 1e6));
  return [
    {
      name: 'query of a day, relative to a scan of its columns',
      measured: ms('query') / ms('floor'),
      relation: 'at most',
      bound: 16,
      unit: 'times',
    },
    { name: 'peak memory of the query', measured: peakMb, relation: 'under', bound: 1_400, unit: 'MB' },
    {
      name: 'bytes read of a day, relative to its needed columns',
      measured: bytesRead,
      relation: 'at most',
      bound: 1.1,
      unit: 'times',
    },
    {
      name: 'ledger, CSV and sources.json of 17 years written again',
      measured: ms('ledger'),
      relation: 'under',
      bound: 1_000,
      unit: 'ms',
    },
    ...idle.map(({ chain, source, requests }): Check => ({
      name: `requests to ${source} for ${chain} with nothing new`,
      measured: requests,
      relation: 'at most',
      bound: 2,
      unit: 'requests',
    })),
  ];
}
