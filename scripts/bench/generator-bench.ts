import { closeSync, fdatasyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import path from 'node:path';
import { lstat, mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { formatTable } from '../../infra/process/format-table.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { OBJECTS_PREFIX } from '../../schemas/paths.js';
import {
  type Bench,
  BenchError,
  type BenchInput,
  type BenchOptions,
  type Check,
  type MetricsHistory,
  createWorkFolder,
  cutHistory,
  formatChecks,
  formatJson,
  isPassed,
  machine,
  median,
  parseCount,
  readHistory,
  runChild,
  settleDisk,
  writeHistory,
} from './harness.js';

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
  const work = await createWorkFolder(path.resolve(own.work));
  try {
    const flushesPerSecond = measureFlushRate(path.join(work, 'flush-rate'));
    const samples = await measureRounds({ history, rounds: own.rounds, work }, options);
    const checks = checkGenerator(samples);
    const findings = { startedAtMs, flushesPerSecond, samples, checks };
    options.print(formatFindings(findings));
    await writeFile(own.json, toFindingsJson(findings));
    if (own.check === true && !checks.every(isPassed)) options.fail();
  } finally {
    options.warn('removing the files of the bench');
    await rm(work, { recursive: true, force: true, maxRetries: 10 });
  }
}

/** Options for `measureRounds`. `work` is the folder for all files. */
export type RoundsOptions = {
  readonly history: MetricsHistory;
  readonly rounds: number;
  readonly work: string;
};

type Inputs = {
  /** Inputs by the number of days that they lack at the end of each chain. The first is the complete history. */
  readonly days: readonly BenchInput[];
  readonly bitcoin: BenchInput;
  readonly eightYears: BenchInput;
  readonly sixteenYears: BenchInput;
};

/** Runs that publish one new day to a store with a history of `rows` days, counted with the new day. */
const NEW_DAY_RUNS = [
  { run: 'new-day-of-1-year', rows: 400 },
  { run: 'new-day-of-10-years', rows: 3_650 },
] as const satisfies readonly { run: RunName; rows: number }[];

const EIGHT_YEARS = 2_922;

/**
 * Measures every run of the generator once per round, so that a slow period of the disk affects all of them. Deletes
 * nothing, because file systems create files slowly after many were deleted. All new days are published to the same
 * store, which starts without the last `rounds` days.
 */
async function measureRounds(
  { history, rounds, work }: RoundsOptions,
  options: BenchOptions,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const add = (sample: Sample): void => {
    samples.push(sample);
    options.warn(
      `round ${sample.round}/${rounds}  ${sample.run.padEnd(20)}${(sample.ms / 1000).toFixed(2)} s`,
    );
  };
  const inputs = await writeInputs(history, rounds, path.join(work, 'input'));
  const peaks = path.join(work, 'peaks');
  await mkdir(peaks);
  const runner = createRunner(peaks, options);
  const grown = path.join(work, 'grown');
  options.warn('publishing the store for the new days (not measured)');
  await runner.publish('cold', 0, { input: dayInput(inputs, rounds), store: grown, outcome: 'published' });
  for (let round = 1; round <= rounds; round += 1) {
    const folder = path.join(work, `round-${round}`);
    await mkdir(folder);
    await measureAllChains(runner, { round, folder, input: dayInput(inputs, 0), add });
    const input = dayInput(inputs, rounds - round);
    add(await runner.publish('new-day', round, { input, store: grown, outcome: 'published' }));
    for (const [run, each] of [
      ['bitcoin', inputs.bitcoin],
      ['bitcoin-16-years', inputs.sixteenYears],
      ['bitcoin-8-years', inputs.eightYears],
    ] as const) {
      const store = path.join(folder, run);
      add(await runner.publish(run, round, { input: each, store, outcome: 'published' }));
    }
  }
  for (const each of NEW_DAY_RUNS) add(await publishNewDay(runner, { ...each, history, work }));
  return samples;
}

type AllChainsOptions = {
  readonly round: number;
  readonly folder: string;
  readonly input: BenchInput;
  readonly add: (sample: Sample) => void;
};

/** Measures a cold publish of all chains, the floor for the same bytes, and an unchanged publish an hour later. */
async function measureAllChains(
  runner: Runner,
  { round, folder, input, add }: AllChainsOptions,
): Promise<void> {
  const store = path.join(folder, 'cold');
  add(await runner.publish('cold', round, { input, store, outcome: 'published' }));
  add(await runner.floor(round, store, path.join(folder, 'floor')));
  const later = { ...input, asOf: input.asOf.replace('T06:', 'T07:') };
  add(await runner.publish('unchanged', round, { input: later, store, outcome: 'unchanged' }));
}

type NewDayOptions = {
  readonly run: RunName;
  readonly rows: number;
  readonly history: MetricsHistory;
  readonly work: string;
};

/** Publishes `rows` days of two chains except the last day, and then measures the publication of that day. */
async function publishNewDay(runner: Runner, { run, rows, history, work }: NewDayOptions): Promise<Sample> {
  const chains = ['bitcoin', 'ethereum'] as const;
  const folder = path.join(work, run);
  const store = path.join(folder, 'store');
  const before = cutHistory(history, chains, (all) => all.slice(-rows, -1));
  const after = cutHistory(history, chains, (all) => all.slice(-rows));
  const first = await writeHistory(path.join(folder, 'before'), before);
  await runner.publish(run, 0, { input: first, store, outcome: 'published' });
  const second = await writeHistory(path.join(folder, 'after'), after);
  return runner.publish(run, 1, { input: second, store, outcome: 'published' });
}

async function writeInputs(history: MetricsHistory, rounds: number, folder: string): Promise<Inputs> {
  const length = history.chains.get('bitcoin')?.rows.length ?? 0;
  if (length < 2 * EIGHT_YEARS)
    throw new BenchError(`bitcoin has ${length} days. Use a history of at least ${2 * EIGHT_YEARS} days.`);
  const days: BenchInput[] = [];
  for (let missing = 0; missing <= rounds; missing += 1) {
    const cut = cutHistory(history, CHAIN_IDS, (rows) => rows.slice(0, rows.length - missing));
    days.push(await writeHistory(path.join(folder, `less-${missing}`), cut));
  }
  const bitcoin = (name: string, rows: number): Promise<BenchInput> =>
    writeHistory(
      path.join(folder, name),
      cutHistory(history, ['bitcoin'], (all) => all.slice(0, rows)),
    );
  return {
    days,
    bitcoin: await bitcoin('bitcoin', length),
    eightYears: await bitcoin('bitcoin-8-years', EIGHT_YEARS),
    sixteenYears: await bitcoin('bitcoin-16-years', 2 * EIGHT_YEARS),
  };
}

function dayInput({ days }: Inputs, missing: number): BenchInput {
  const input = days[missing];
  if (input === undefined) throw new RangeError(`no input without the last ${missing} days`);
  return input;
}

/** The measured runs. All except `floor` publish; `floor` only writes the bytes of a `cold` publish. */
type RunName =
  | 'cold'
  | 'floor'
  | 'unchanged'
  | 'new-day'
  | 'bitcoin'
  | 'bitcoin-8-years'
  | 'bitcoin-16-years'
  | 'new-day-of-1-year'
  | 'new-day-of-10-years';

/** Measurements of a run. `objects` and `bytes` were written. */
export type Sample = {
  readonly run: RunName;
  readonly round: number;
  readonly ms: number;
  readonly peakBytes: number;
  readonly objects: number;
  readonly bytes: number;
  /** Number of files and folders of the store that were created or changed, from the file system. */
  readonly touched: number;
};

/** An input, the folder of the store to publish it to, and the expected outcome. */
type PublishOptions = {
  readonly input: BenchInput;
  readonly store: string;
  readonly outcome: 'published' | 'unchanged';
};

/** Runs the measured programs, each in a new process when no writes to disk are pending. */
type Runner = {
  readonly publish: (run: RunName, round: number, options: PublishOptions) => Promise<Sample>;
  /** Writes the objects of a store to the new folder `target`, as fast as the disk allows. */
  readonly floor: (round: number, store: string, target: string) => Promise<Sample>;
};

/** Creates a runner. Processes write their peak memory to files in the folder `peaks`. */
function createRunner(peaks: string, options: BenchOptions): Runner {
  let runs = 0;
  const run = async (script: string, args: readonly string[]): ReturnType<typeof runChild> => {
    await settleDisk(options.signal);
    return runChild({ script, args, peakFile: path.join(peaks, String((runs += 1))) }, options);
  };
  return {
    async publish(name, round, { input, store, outcome }) {
      const startedMs = options.now();
      const where = ['--input', input.folder, '--store', `file:${store}`, '--as-of', input.asOf];
      const { stdout, ms, peakBytes } = await run('generator/main.js', [
        'publish',
        ...where,
        '--quiet',
        '--json',
      ]);
      const report = parsePublished(stdout);
      if (report.outcome !== outcome)
        throw new BenchError(`${name}: the outcome is ${report.outcome}, not ${outcome}`);
      const touched = await countTouched(store, startedMs);
      return { run: name, round, ms, peakBytes, ...report.written, touched };
    },
    async floor(round, store, target) {
      const args = [path.join(store, OBJECTS_PREFIX), target];
      const { stdout, peakBytes } = await run('scripts/bench/programs/floor.js', args);
      const { elapsed_ms: ms, files, bytes } = JSON.parse(stdout) as FloorReport; // printed by floor.ts
      return { run: 'floor', round, ms, peakBytes, objects: files, bytes, touched: files };
    },
  };
}

type FloorReport = { readonly elapsed_ms: number; readonly files: number; readonly bytes: number };
type Published = {
  readonly outcome: string;
  readonly written: { readonly objects: number; readonly bytes: number };
};

function parsePublished(stdout: string): Published {
  const { outcome, written } = JSON.parse(stdout) as Published; // the document of --json; its numbers are checked next
  if (!Number.isInteger(written.objects) || !Number.isInteger(written.bytes)) {
    throw new BenchError(
      `The result of publish has no numbers of written objects and bytes: ${stdout.slice(0, 500)}`,
    );
  }
  return { outcome, written: { objects: written.objects, bytes: written.bytes } };
}

/** Returns the number of files and folders below `folder` that were created or changed since a time. */
async function countTouched(folder: string, sinceMs: number): Promise<number> {
  let touched = 0;
  for (const entry of await readdir(folder, { recursive: true })) {
    const { ctimeMs } = await lstat(path.join(folder, entry));
    if (ctimeMs >= sinceMs) touched += 1;
  }
  return touched;
}

/** Compares the measurements with their bounds. */
function checkGenerator(samples: readonly Sample[]): Check[] {
  const of = (run: RunName): readonly Sample[] => samples.filter((sample) => sample.run === run);
  const ms = (run: RunName): number => median(of(run).map((sample) => sample.ms));
  const peakMb = (run: RunName): number => median(of(run).map(({ peakBytes }) => peakBytes / 1e6));
  const most = (run: RunName, key: 'objects' | 'touched'): number =>
    Math.max(...of(run).map((sample) => sample[key]));
  const times = (name: string, measured: number, bound: number): Check => ({
    name,
    measured,
    relation: 'at most',
    bound,
    unit: 'times',
  });
  const exactly = (name: string, measured: number, bound: number, unit: Check['unit']): Check => ({
    name,
    measured,
    relation: 'exactly',
    bound,
    unit,
  });
  return [
    times('cold publish, relative to the floor', ms('cold') / ms('floor'), 2),
    times('unchanged run, relative to the floor', ms('unchanged') / ms('floor'), 0.4),
    exactly('unchanged run, objects written', most('unchanged', 'objects'), 0, 'objects'),
    exactly('unchanged run, files and folders touched', most('unchanged', 'touched'), 0, 'files'),
    times('one new day, relative to the floor', ms('new-day') / ms('floor'), 0.5),
    exactly(
      'one new day after 10 years, compared with 1 year',
      most('new-day-of-10-years', 'objects'),
      most('new-day-of-1-year', 'objects'),
      'objects',
    ),
    { name: 'peak memory, cold', measured: peakMb('cold'), relation: 'under', bound: 600, unit: 'MB' },
    times('peak memory, relative to bitcoin only', peakMb('cold') / peakMb('bitcoin'), 1.5),
    times('16 years, relative to 8 years', ms('bitcoin-16-years') / ms('bitcoin-8-years'), 2.2),
  ];
}

/** Results of the bench and the conditions of the run. */
type GeneratorFindings = {
  readonly startedAtMs: number;
  /** Number of small files that can be written and flushed per second, one after the other. */
  readonly flushesPerSecond: number;
  readonly samples: readonly Sample[];
  readonly checks: readonly Check[];
};

/** Formats the findings as tables: the machine, every sample, and the checked values with their bounds. */
export function formatFindings({ flushesPerSecond, samples, checks }: GeneratorFindings): string {
  const { node, cpu, cpus: count } = machine();
  const runs = [...new Set(samples.map(({ run }) => run))].map((run) => {
    const samplesOfRun = samples.filter((sample) => sample.run === run);
    return [
      run,
      (median(samplesOfRun.map(({ ms }) => ms)) / 1000).toFixed(2),
      samplesOfRun.map(({ ms }) => (ms / 1000).toFixed(2)).join(' '),
      Math.round(median(samplesOfRun.map(({ peakBytes }) => peakBytes / 1e6))),
      [...new Set(samplesOfRun.map(({ objects }) => objects))].join(' '),
      (median(samplesOfRun.map(({ bytes }) => bytes)) / 1e6).toFixed(1),
    ];
  });
  return [
    `${Math.round(flushesPerSecond)} fdatasync/s, one after the other; Node ${node}, ${count} x ${cpu}`,
    formatTable(['run', 'median s', 'all s', 'peak MB', 'objects', 'MB written'], runs),
    formatChecks(checks),
  ].join('\n\n');
}

/** Returns the document of `--json`. */
export function toFindingsJson(findings: GeneratorFindings): string {
  const { flushesPerSecond, samples } = findings;
  return formatJson('generator', findings, {
    fdatasync_per_second: flushesPerSecond,
    samples: samples.map(({ peakBytes, ...sample }) => ({ ...sample, peak_bytes: peakBytes })),
  });
}

const PROBE_FILES = 2_000;
const PROBE_BYTES = 2_048;

/** Writes and flushes small files to the new folder `folder`, one after the other, and returns the files per second. */
function measureFlushRate(folder: string): number {
  mkdirSync(folder);
  const body = Buffer.alloc(PROBE_BYTES, 'x');
  const startedMs = performance.now();
  for (let i = 0; i < PROBE_FILES; i += 1) {
    const file = openSync(path.join(folder, String(i)), 'wx');
    writeSync(file, body);
    fdatasyncSync(file);
    closeSync(file);
  }
  return PROBE_FILES / ((performance.now() - startedMs) / 1000);
}
