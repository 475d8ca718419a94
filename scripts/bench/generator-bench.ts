import { rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { InvalidArgumentError } from 'commander';
import type { Bench, BenchTerms } from './bench.js';
import { isKept } from './check.js';
import { createWorkFolder, measureFlushRate } from './disk.js';
import { checkGenerator } from './generator-checks.js';
import { formatFindings, toFindingsJson } from './generator-report.js';
import { measureRounds } from './generator-rounds.js';
import { readHistory } from './metrics-history.js';

type GeneratorBenchOptions = {
  readonly history: string;
  readonly work: string;
  readonly rounds: number;
  readonly json: string;
  readonly check?: boolean;
};

/** The bench of the generator: time beside a floor, peak memory, and how both grow. */
export const addGeneratorBench: Bench = (command, terms) =>
  command
    .summary('time beside a floor, peak memory, and how both grow')
    .description(
      'Publishes the real histories from the built command line and measures time and memory. ' +
        'Needs 2 GB of disk and about a minute a round. Wait some minutes before the next bench: ' +
        'a file system makes new files slowly while many have just been deleted.',
    )
    .option(
      '--history <dir>',
      'the folder whose metrics/ holds the real histories (or CRD_HISTORY_DIR)',
      terms.environment['CRD_HISTORY_DIR'] ?? path.join('..', 'shared', 'data'),
    )
    .option(
      '--work <dir>',
      'a folder on a disk; a fresh one in it is used',
      path.join(terms.root, 'data', 'bench'),
    )
    .option('--rounds <n>', 'how often each run is measured; figures are medians', parseRounds, 3)
    .option('--json <file>', 'where the findings go as JSON, with every sample', 'bench-generator.json')
    .option('--check', 'exit with 1 when a bound is missed')
    .action((options: GeneratorBenchOptions) => runGeneratorBench(options, terms));

async function runGeneratorBench(options: GeneratorBenchOptions, terms: BenchTerms): Promise<void> {
  const startedAtMs = terms.now();
  const history = await readHistory(path.resolve(options.history, 'metrics'));
  const { folder: work, mount } = await createWorkFolder(path.resolve(options.work));
  try {
    const flushesPerSecond = measureFlushRate(path.join(work, 'flush-rate'));
    const samples = await measureRounds({ history, rounds: options.rounds, work }, terms);
    const checks = checkGenerator(samples);
    const findings = { startedAtMs, mount, flushesPerSecond, samples, checks };
    terms.print(formatFindings(findings));
    await writeFile(options.json, toFindingsJson(findings));
    if (options.check === true && !checks.every(isKept)) terms.fail();
  } finally {
    terms.warn('removing the files of the bench');
    await rm(work, { recursive: true, force: true, maxRetries: 10 });
  }
}

function parseRounds(text: string): number {
  if (!/^[1-9]\d?$/.test(text)) throw new InvalidArgumentError('give a number from 1 to 99.');
  return Number(text);
}
