import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { parseCount, type Bench, type BenchOptions } from '../bench.js';
import { createWorkFolder, measureFlushRate } from '../disk.js';
import { readHistory } from '../metrics-history.js';
import { isPassed } from '../report.js';
import { checkGenerator, formatFindings, toFindingsJson } from './generator-report.js';
import { measureRounds } from './generator-rounds.js';

type GeneratorBenchOptions = {
  readonly history: string;
  readonly work: string;
  readonly rounds: number;
  readonly json: string;
  readonly check?: boolean;
};

/** Adds the bench of the generator: time relative to a floor, peak memory, and how both grow with the history. */
export const addGeneratorBench: Bench = (command, options) =>
  command
    .summary('time relative to a floor, peak memory, and how both grow with the history')
    .description(
      'Publishes the real histories with the built program and measures time and memory. ' +
        'Needs 2 GB of disk and about a minute per round. Wait some minutes before the next bench, ' +
        'because file systems create files slowly after many were deleted.',
    )
    .option(
      '--history <dir>',
      'folder with the real histories in metrics/ (or CRD_HISTORY_DIR)',
      options.environment['CRD_HISTORY_DIR'] ?? path.join('..', 'shared', 'data'),
    )
    .option(
      '--work <dir>',
      'folder on a disk, in which a new folder is created',
      path.join(options.root, 'data', 'bench'),
    )
    .option('--rounds <n>', 'number of measurements of each run; the median counts', parseCount, 3)
    .option('--json <file>', 'file for the results with every sample', 'bench-generator.json')
    .option('--check', 'exit with 1 if a bound is missed')
    .action((own: GeneratorBenchOptions) => runGeneratorBench(own, options));

async function runGeneratorBench(own: GeneratorBenchOptions, options: BenchOptions): Promise<void> {
  const startedAtMs = options.now();
  const history = await readHistory(path.resolve(own.history, 'metrics'));
  const { folder: work, mount } = await createWorkFolder(path.resolve(own.work));
  try {
    const flushesPerSecond = measureFlushRate(path.join(work, 'flush-rate'));
    const samples = await measureRounds({ history, rounds: own.rounds, work }, options);
    const checks = checkGenerator(samples);
    const findings = { startedAtMs, mount, flushesPerSecond, samples, checks };
    options.print(formatFindings(findings));
    await writeFile(own.json, toFindingsJson(findings));
    if (own.check === true && !checks.every(isPassed)) options.fail();
  } finally {
    options.warn('removing the files of the bench');
    await rm(work, { recursive: true, force: true, maxRetries: 10 });
  }
}
