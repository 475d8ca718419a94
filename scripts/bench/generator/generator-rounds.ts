import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { BenchError, type BenchOptions } from '../bench.js';
import { cutHistory, writeHistory, type BenchInput, type MetricsHistory } from '../metrics-history.js';
import { createRunner, type Runner, type RunName, type Sample } from './generator-runs.js';

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
export async function measureRounds(
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
