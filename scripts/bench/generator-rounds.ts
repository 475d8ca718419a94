import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { BenchError, type BenchTerms } from './bench.js';
import { createRunner, type Runner, type RunName, type Sample } from './generator-runs.js';
import { cutHistory, writeHistory, type BenchInput, type MetricsHistory } from './metrics-history.js';

/** What to measure, how often, and in which folder. */
export type RoundsTerms = {
  readonly history: MetricsHistory;
  readonly rounds: number;
  readonly work: string;
};

type Inputs = {
  /** By the number of days that are missing at the end of each chain; the first is the whole history. */
  readonly days: readonly BenchInput[];
  readonly bitcoin: BenchInput;
  readonly eightYears: BenchInput;
  readonly sixteenYears: BenchInput;
};

/** A chain of so many rows is the newest one, before and after its last day. */
const NEW_DAY_RUNS = [
  { run: 'new-day-of-1-year', rows: 400 },
  { run: 'new-day-of-10-years', rows: 3_650 },
] as const satisfies readonly { run: RunName; rows: number }[];

const EIGHT_YEARS = 2_922;

/**
 * Measures every run of the generator in each round. The runs of a round alternate, so that a slow minute of the
 * disk meets all of them. Nothing is deleted: a file system looks for free inodes the longer, the more were freed
 * a moment ago. Each new day goes to one store that was published without its last `rounds` days.
 */
export async function measureRounds(
  { history, rounds, work }: RoundsTerms,
  terms: BenchTerms,
): Promise<Sample[]> {
  const samples: Sample[] = [];
  const tell = (sample: Sample): void => {
    samples.push(sample);
    terms.warn(`round ${sample.round}/${rounds}  ${sample.run.padEnd(20)}${(sample.ms / 1000).toFixed(2)} s`);
  };
  const inputs = await writeInputs(history, rounds, path.join(work, 'input'));
  const notes = path.join(work, 'notes');
  await mkdir(notes);
  const runner = createRunner(notes, terms);
  const grown = path.join(work, 'grown');
  terms.warn('publishing the store that the new days go to (not measured)');
  await runner.publish('cold', 0, { input: dayInput(inputs, rounds), store: grown, outcome: 'published' });
  for (let round = 1; round <= rounds; round += 1) {
    const folder = path.join(work, `round-${round}`);
    await mkdir(folder);
    await measureWhole(runner, { round, folder, input: dayInput(inputs, 0), tell });
    const input = dayInput(inputs, rounds - round);
    tell(await runner.publish('new-day', round, { input, store: grown, outcome: 'published' }));
    for (const [run, each] of [
      ['bitcoin', inputs.bitcoin],
      ['bitcoin-16-years', inputs.sixteenYears],
      ['bitcoin-8-years', inputs.eightYears],
    ] as const) {
      const store = path.join(folder, run);
      tell(await runner.publish(run, round, { input: each, store, outcome: 'published' }));
    }
  }
  for (const each of NEW_DAY_RUNS) tell(await publishNewDay(runner, { ...each, history, work }));
  return samples;
}

type WholeTerms = {
  readonly round: number;
  readonly folder: string;
  readonly input: BenchInput;
  readonly tell: (sample: Sample) => void;
};

/** The cold publish of all chains, the floor of its bytes, and the same publish again an hour later. */
async function measureWhole(runner: Runner, { round, folder, input, tell }: WholeTerms): Promise<void> {
  const store = path.join(folder, 'cold');
  tell(await runner.publish('cold', round, { input, store, outcome: 'published' }));
  tell(await runner.floor(round, store, path.join(folder, 'floor')));
  const later = { ...input, asOf: input.asOf.replace('T06:', 'T07:') };
  tell(await runner.publish('unchanged', round, { input: later, store, outcome: 'unchanged' }));
}

type NewDayTerms = {
  readonly run: RunName;
  readonly rows: number;
  readonly history: MetricsHistory;
  readonly work: string;
};

/** Publishes the last `rows` days of two chains without the last one, then measures that one. */
async function publishNewDay(runner: Runner, { run, rows, history, work }: NewDayTerms): Promise<Sample> {
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
  if (length < 2 * EIGHT_YEARS) throw new BenchError(`bitcoin has ${length} days; the bench needs 16 years`);
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
