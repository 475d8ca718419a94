import { rm } from 'node:fs/promises';
import path from 'node:path';
import { formatTable } from '../../../infra/process/format-table.js';
import { parseCount, type Bench, type BenchOptions } from '../bench.js';
import { runChild } from '../child-process.js';
import { createWorkFolder } from '../disk.js';
import { formatChecks, isPassed, machine, median, type Check } from '../report.js';

type CollectionBenchOptions = { readonly work: string; readonly rounds: number };

type Run = 'floor' | 'query';
type Sample = { readonly run: Run; readonly ms: number; readonly peakBytes: number };

const TRANSACTIONS = 5_000_000;
const SCRIPT = path.join('scripts', 'bench', 'collection', 'run-step.js');

/** Adds the bench of the collection: the query of a large day, relative to a scan of its columns. */
export const addCollectionBench: Bench = (command, options) =>
  command
    .summary('the query of a large day, relative to a scan of its columns, and its peak memory')
    .description(
      'Makes up a day of base with 5 million transactions and computes its metrics with DuckDB, in 1 GB of memory and ' +
        'with two threads. Needs 3 GB of disk and about a minute. The aim is 8 times the scan, the bound 16 times.',
    )
    .option(
      '--work <dir>',
      'folder on a disk, in which a new folder is created',
      path.join(options.root, 'data', 'bench'),
    )
    .option('--rounds <n>', 'number of measurements of each run; the median counts', parseCount, 3)
    .action((own: CollectionBenchOptions) => runCollectionBench(own, options));

async function runCollectionBench(own: CollectionBenchOptions, options: BenchOptions): Promise<void> {
  const { folder } = await createWorkFolder(path.resolve(own.work));
  const peakFile = path.join(folder, 'peak');
  try {
    options.warn(`making up a day of ${TRANSACTIONS / 1e6} million transactions`);
    await runChild({ script: SCRIPT, args: ['write', folder, String(TRANSACTIONS)], peakFile }, options);
    const samples: Sample[] = [];
    for (let round = 0; round < own.rounds; round += 1) {
      for (const run of ['floor', 'query'] as const) {
        const { stdout, peakBytes } = await runChild(
          { script: SCRIPT, args: [run, folder], peakFile },
          options,
        );
        samples.push({ run, ms: Number(stdout), peakBytes });
      }
    }
    const checks = toChecks(samples);
    options.print(`${formatSamples(samples)}\n\n${formatChecks(checks)}`);
    if (!checks.every(isPassed)) options.fail();
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function toChecks(samples: readonly Sample[]): Check[] {
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
  ];
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
