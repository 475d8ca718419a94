import type { PublishReport } from '../../generator/core/release/publish-report.js';
import {
  toCalibrationReport,
  type CalibrationReport,
  type ChainStability,
} from '../../scripts/calibration/calibration-report.js';
import type { JudgedDay } from '../../scripts/calibration/hindsight.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { addDays } from '../../schemas/dates.js';
import { currentMethodology, methodologyTextUrl } from '../../schemas/methodology.js';
import type { Chain, Level, MetaDay, RegimeLabel } from '../../schemas/types.generated.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';
import { AS_OF, metricsFolder, readHistory } from './history-data.js';
import { runGenerator, runNode, runProgram } from './plain-node.js';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '../../infra/store/open-store.js';
import { createDayWriters } from '../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../generator/texts/product-texts.js';
import { manifestOf } from '../../generator/core/release/plan-types.js';
import { readArtifactJson } from '../../generator/state/stored-json.js';
import { calendarPath, publicKey } from '../../schemas/paths.js';
import { numberWords, shareWords, zWords } from '../../schemas/words.js';
import { readState } from './published-series.js';

/** A row of a published calendar. */
type CalendarDay = {
  readonly regime: string;
  readonly confidence: number;
  readonly cost: string;
  readonly demandLevel: string;
  readonly pressureLevel: string;
};

/** Reads the public regime calendar of a chain from a store's folder, in ascending order. */
async function readCalendar(folder: string, chain: Chain): Promise<Map<string, CalendarDay>> {
  const text = await readFile(path.join(folder, publicKey(calendarPath(chain))), 'utf8');
  const [head = '', ...lines] = text.trimEnd().split('\n');
  const columns = head.split(',');
  return new Map(
    lines.map((line) => {
      const cells = line.split(',');
      const cell = (name: string): string => cells[columns.indexOf(name)] ?? '';
      return [
        cell('date'),
        {
          regime: cell('regime'),
          confidence: Number(cell('confidence')),
          cost: cell('cost_score'),
          demandLevel: cell('demand_level'),
          pressureLevel: cell('pressure_level'),
        },
      ];
    }),
  );
}

/** Reads the current meta record of a date. @throws Error if it is missing. */
async function readMetaDay(folder: string, chain: Chain, date: string): Promise<MetaDay> {
  const store = await openStore(`file:${folder}`);
  const entry = manifestOf(await readState(store), 'meta', chain)?.dates.find((each) => each.date === date);
  if (entry === undefined) throw new Error(`${chain} has no meta record of ${date}`);
  return readArtifactJson(store, entry.sha256, 'meta-day');
}

/** Returns the modification time and size of every file below a folder. */
async function readFileTimes(folder: string): Promise<Map<string, string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const times = new Map<string, string>();
  for (const entry of entries) {
    const file = path.join(entry.parentPath, entry.name);
    const { mtimeMs, size } = await stat(file);
    if (entry.isFile()) times.set(path.relative(folder, file), `${mtimeMs} ${size}`);
  }
  return times;
}

/** Returns the text of the current methodology. */
function readMethodologyText(): string {
  return readFileSync(fileURLToPath(methodologyTextUrl(currentMethodology().version)), 'utf8');
}

/** Returns the cells of the rows of all tables behind a heading of the methodology's text, by their first cell. */
function rowsBehind(heading: string): Map<string, readonly string[]> {
  const text = readMethodologyText();
  const lines = text
    .slice(text.indexOf(heading))
    .split('\n')
    .filter((line) => line.startsWith('|'));
  return new Map(
    lines
      .map((line) => line.split('|').map((cell) => cell.trim()))
      .map(([, name = '', ...cells]) => [name, cells.slice(0, -1)]),
  );
}

const SLOW_MS = 900_000;
const DATES = { bitcoin: 6437, ethereum: 4038, arbitrum: 1313, base: 566 };
const methodology = currentMethodology();

let folder: TemporaryFolder;
let published: { exitCode: number; report: PublishReport };
let calendars: ReadonlyMap<Chain, ReadonlyMap<string, CalendarDay>>;
let judged: readonly JudgedDay[];
let report: CalibrationReport;

async function publish(asOf: string): Promise<typeof published> {
  const store = ['--store', `file:${folder.path}`];
  const options = ['--input', metricsFolder(), '--as-of', asOf, '--json'];
  const { exitCode, stdout, stderr } = await runGenerator('publish', ...store, ...options);
  if (stdout === '') throw new Error(`publish ended with ${exitCode}:\n${stderr}`);
  return { exitCode, report: JSON.parse(stdout) as PublishReport }; // output of --json
}

beforeAll(async () => {
  folder = await createTemporaryFolder();
  published = await publish(AS_OF);
  const read = CHAIN_IDS.map(async (chain) => [chain, await readCalendar(folder.path, chain)] as const);
  calendars = new Map(await Promise.all(read));
  judged = (await runProgram('judged-days')) as JudgedDay[]; // output of the program
  report = toCalibrationReport(judged.map(asPublished), methodology.confidence);
}, SLOW_MS);

afterAll(() => folder.dispose(), SLOW_MS);

/** Returns a judged day with its published label and confidence. */
function asPublished(day: JudgedDay): JudgedDay {
  const row = calendars.get(day.chain)?.get(day.date);
  if (row === undefined) throw new Error(`the calendar of ${day.chain} has no ${day.date}`);
  return { ...day, label: row.regime as RegimeLabel, score: row.confidence }; // a calendar holds labels only (schema)
}

/** Returns the published labels of a chain from `first` to `last`. */
function labelsBetween(chain: Chain, first: string, last: string): string[] {
  const labels: string[] = [];
  for (let date = first; date <= last; date = addDays(date, 1)) {
    labels.push(calendars.get(chain)?.get(date)?.regime ?? 'not published');
  }
  return labels;
}

describe('the real history, published from the command line', () => {
  it('is published with every chain and date', () => {
    expect(published.exitCode).toBe(0);
    expect(published.report.outcome).toBe('published');
    const dates = CHAIN_IDS.map((chain) => calendars.get(chain)?.size ?? 0);
    expect(dates).toEqual(Object.values(DATES));
    expect(CHAIN_IDS.map((chain) => published.report.chains[chain]?.new)).toEqual(dates);
    expect(judged).toHaveLength(12_354);
  });

  it.each<[Chain, RegimeLabel, string, string]>([
    ['bitcoin', 'congested', '2017-12-13', '2017-12-17'],
    ['bitcoin', 'dormant', '2018-04-01', '2018-04-01'],
    ['bitcoin', 'dormant', '2021-07-20', '2021-07-20'],
    ['bitcoin', 'congested', '2023-05-10', '2023-05-10'],
    ['bitcoin', 'strained', '2024-04-21', '2024-04-24'],
    ['bitcoin', 'slack', '2025-09-01', '2025-09-01'],
    ['ethereum', 'congested', '2020-06-01', '2020-08-31'],
    ['ethereum', 'strained', '2023-05-01', '2023-05-07'],
  ])('finds %s %s on every day from %s to %s', (chain, label, first, last) => {
    expect([...new Set(labelsBetween(chain, first, last))]).toEqual([label]);
  });

  it('finds ethereum congested on most days of December 2017', () => {
    const congested = labelsBetween('ethereum', '2017-12-01', '2017-12-31').filter(
      (label) => label === 'congested',
    );
    expect(congested.length).toBeGreaterThanOrEqual(20);
  });

  it('has the inputs digest of the test vector in the methodology', async () => {
    const { inputs_sha256: digest } = await readMetaDay(folder.path, 'arbitrum', '2024-12-31');
    expect(digest).toBe('2e642f5a7348d448dbed54ac33bd36a7d12d3db1cd489cc16b55a20d79cd890c');
    expect(readMethodologyText()).toContain(digest);
  });

  it(
    'is unchanged by a second run a day later, which writes no file',
    async () => {
      const before = await readFileTimes(folder.path);
      const again = await publish(addDays(AS_OF, 1));
      const after = await readFileTimes(folder.path);
      const files = new Set([...before.keys(), ...after.keys()]);
      expect([...files].filter((file) => before.get(file) !== after.get(file))).toEqual([]);
      expect(again.exitCode).toBe(0);
      expect(again.report.outcome).toBe('unchanged');
      expect(again.report.written).toEqual({ objects: 0, bytes: 0 });
    },
    SLOW_MS,
  );
});

describe('the Evidence table of the methodology matches the published calendars', () => {
  const all = rowsBehind('## Evidence');
  const rows = new Map([...all].map(([name, [value]]) => [name, value]));
  const stability = (chain: Chain): ChainStability => {
    const found = report.chains[chain];
    if (found === undefined) throw new Error(`no report of ${chain}`);
    return found;
  };
  const three = (format: (chain: ChainStability) => string): string =>
    (['bitcoin', 'ethereum', 'arbitrum'] as const).map((chain) => format(stability(chain))).join(' / ');

  it('in the numbers of labelled days, and of those that hindsight labels too', () => {
    expect(report.labelled).toBe(10_289);
    expect(report.compared).toBe(10_279);
    expect(CHAIN_IDS.map((chain) => stability(chain).labelled)).toEqual([5621, 3825, 755, 88]);
  });

  it('in how often labels change', () => {
    const changes = three(({ changes_per_30_days: rate }) => rate.toFixed(2));
    expect(changes).toBe('0.66 / 0.73 / 0.44');
    expect(rows.get('label changes per 30 days, bitcoin / ethereum / arbitrum')).toBe(changes);
  });

  it('in how often hindsight agrees', () => {
    const agreement = three((chain) => chain.agreement.toFixed(3));
    expect(agreement).toBe('0.935 / 0.930 / 0.956');
    expect(rows.get('real-time label equals the hindsight label, bitcoin / ethereum / arbitrum')).toBe(
      agreement,
    );
  });

  it('in both values for base', () => {
    const { changes_per_30_days: rate, agreement } = stability('base');
    expect(`${rate.toFixed(2)}; ${agreement.toFixed(3)}`).toBe('1.36; 0.862');
    expect(rows.get('both for base, with only 88 labelled days')).toBe('1.36; 0.862');
  });

  it('in the calibration of the confidence', () => {
    const { published: score, unreduced, from } = report.calibration_error;
    const largest = Math.max(...report.labels.map(({ gap }) => gap));
    expect(rows.get('expected calibration error of p (10 bins), fitted on all')).toBe(unreduced.toFixed(3));
    expect(rows.get('expected calibration error of the score, which is reduced for missing signals')).toBe(
      score.toFixed(3),
    );
    expect(rows.get('the same, coefficients fitted before 2022 and tested from 2022 on')).toBe(
      from.toFixed(3),
    );
    expect(rows.get('largest gap between mean p and accuracy for any one label')).toBe(largest.toFixed(2));
  });
});

it('the methodology says what the confidence has meant, by score', () => {
  const rows = rowsBehind('### What the confidence has meant');
  for (const { from, to, days, mean_score: mean, hit_share: hit, kept_share: kept } of report.scores) {
    const shares = [mean, hit, kept].map((share) => share.toFixed(3));
    expect(rows.get(`${from} to ${to}`)).toEqual([String(days), ...shares]);
  }
  expect(report.scores.reduce((sum, { days }) => sum + days, 0)).toBe(report.compared);
});

it('hindsight says on all but two days what the rules say three days later', () => {
  const later = judged.flatMap(({ chain, hindsight }, i) => {
    const day = judged[i + 3];
    return day?.chain === chain ? [day.label === hindsight] : [];
  });
  expect([later.length, later.filter((isSame) => !isSame).length]).toEqual([12_342, 2]);
});

describe('a published calendar alone', () => {
  const days = (): CalendarDay[] => CHAIN_IDS.flatMap((chain) => [...(calendars.get(chain)?.values() ?? [])]);

  it('shows that pressure is never low with a cost above normal, nor high with one below', () => {
    const against = days().filter(
      ({ pressureLevel: level, cost }) =>
        (level === 'low' && Number(cost) >= 50) || (level === 'high' && Number(cost) <= 50),
    );
    expect(against).toEqual([]);
  });

  it('shows each label as the pair of its levels', () => {
    for (const { regime, demandLevel, pressureLevel } of days()) {
      if (regime === 'indeterminate') continue;
      const demand = methodology.labels[demandLevel as Level];
      expect(demand[pressureLevel as Level]).toBe(regime);
    }
  });
});

it('the day that the methodology works through is computed as it says', async () => {
  const { drivers, regime, confidence, scorecard } = await readMetaDay(folder.path, 'ethereum', '2022-02-01');
  const rows = rowsBehind('## One day, from metrics to label');
  const names: Readonly<Record<string, string>> = {
    tx_count: 'transactions',
    active_addresses: 'active addresses',
    fee_median: 'median fee, ETH',
    gas_price_mean: 'mean gas price, gwei',
    target_use: 'use of the gas target',
  };
  expect(drivers.map(({ signal }) => signal).sort()).toEqual(Object.keys(names).sort());
  for (const { signal, unit, value, smoothed, baseline, z } of drivers) {
    const words = unit.startsWith('fraction') ? shareWords : numberWords;
    const row = [value ?? NaN, smoothed, baseline].map(words);
    expect(rows.get(names[signal] ?? '')).toEqual([...row, zWords(z)]);
  }
  const text = readMethodologyText().replaceAll(/\s+/g, ' ');
  const { demand, pressure } = regime.axes;
  for (const words of [
    `the mean of the first two z: ${zWords(demand.z ?? NaN)}.`,
    `the mean of the two fees' z (${zWords(scorecard.cost.z ?? NaN)}), and one quarter of the use of the gas target (${zWords(scorecard.capacity?.z ?? NaN)}): ${zWords(pressure.z ?? NaN)}.`,
    `pressure is still \`${pressure.level}\``,
    `make the day \`${regime.label}\`, as every day since ${regime.since}.`,
    `pressure is ${zWords(confidence.margin ?? NaN)} above the boundary`,
    `more than ${zWords(confidence.speed)} in a week`,
    `gives ${shareWords(confidence.score)}, \`${confidence.level}\``,
    `95 % or more, ${shareWords(report.scores.at(-1)?.hit_share ?? NaN)} were still the same`,
  ])
    expect(text).toContain(words);
  expect(confidence.missing_signals).toEqual([]);
});

it('the contributions of the drivers add up to the axes on every day', async () => {
  for (const series of await readHistory()) {
    const { meta } = createDayWriters(series, await readProductTexts());
    const faults = series.dates.filter((_, t) => {
      const { drivers, regime } = meta(t, { revision: '', updatedThrough: '' });
      const { demand, pressure } = regime.axes;
      const sumOf = (isOfDemand: boolean): number =>
        drivers
          .filter(({ dimension }) => (dimension === 'demand') === isOfDemand)
          .reduce((sum, { contribution }) => sum + contribution, 0);
      const isOff = (z: number | null, sum: number): boolean => z !== null && Math.abs(sum - z) > 1e-8;
      return isOff(demand.z, sumOf(true)) || isOff(pressure.z, sumOf(false));
    });
    expect([series.chain, faults]).toEqual([series.chain, []]);
  }
});

describe('a refit of the confidence score', () => {
  let refit: CalibrationReport;

  beforeAll(async () => {
    const script = ['--import', 'tsx', 'scripts/calibration/calibrate.ts'];
    const { exitCode, stdout, stderr } = await runNode([...script, '--input', metricsFolder(), '--json']);
    if (exitCode !== 0) throw new Error(`calibrate ended with ${exitCode}:\n${stderr}`);
    refit = JSON.parse(stdout) as CalibrationReport; // output of --json
  }, SLOW_MS);

  it.each(['intercept', 'margin', 'run', 'speed'] as const)('returns the published %s', (name) => {
    const { confidence } = methodology;
    expect(Math.abs(refit.coefficients.refitted[name] - confidence[name])).toBeLessThan(0.03);
    expect(refit.coefficients.published[name]).toBe(confidence[name]);
  });

  it('has the calibration error of the methodology, also on days outside the fit', () => {
    expect(Math.abs(refit.calibration_error.refitted - 0.007)).toBeLessThan(0.003);
    expect(Math.abs(refit.calibration_error.from - 0.013)).toBeLessThan(0.003);
    expect(Math.abs(Math.max(...refit.labels.map(({ gap }) => gap)) - 0.04)).toBeLessThan(0.01);
  });

  it('labels every day as published', () => {
    const differing = judged.filter((day) => {
      const { label, score } = asPublished(day);
      return label !== day.label || score !== day.score;
    });
    expect(differing).toEqual([]);
    expect(refit).toMatchObject(report); // and the table of missing signals
  });
});

it(
  'a single value that is ten times too large rarely changes a label, and less often than with a plain mean',
  async () => {
    const found = (await runProgram('single-prints')) as Record<'prints' | 'trimmed' | 'plain', number>; // as it prints
    expect(found.prints).toBe(200);
    expect(found.trimmed).toBeLessThanOrEqual(20);
    expect(found.plain).toBeGreaterThanOrEqual(60);
  },
  SLOW_MS,
);
