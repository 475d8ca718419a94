import fc from 'fast-check';
import {
  type HistoryDay,
  historyOfRecords,
  historyOfSeries,
  labelStatistics,
  regimesFile,
} from '../../../../generator/core/artifacts/regimes.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import type { InputSeries } from '../../../../generator/core/input/input-series.js';
import { readArtifactJson } from '../../../../generator/state/stored-json.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { CHAIN_IDS, LABEL_MEANINGS } from '../../../../schemas/catalog.js';
import { toDate } from '../../../../schemas/dates.js';
import { regimesPath } from '../../../../schemas/paths.js';
import { findSchemaFaults } from '../../../../schemas/validate.js';
import type { GoldDay, LabelHistory, Level, RegimeLabel } from '../../../../schemas/types.generated.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import { readCurrent } from '../../../support/release/read-release.js';
import { publishSeries } from '../../../support/release/publish-series.js';
import { editSeries, randomSeries } from '../../../support/release/random-series.js';

const texts = await readProductTexts();
const { methodology } = texts;
const STAMP = { revision: '2026-03-01.000001', sequence: 1, publishedAt: '2026-03-01T06:00:00Z' };
const FIRST = 19_000; // 2022-01-08
const LABELS = Object.keys(LABEL_MEANINGS) as RegimeLabel[]; // Object.keys loses the key type
/** The compared quantities of arbitrum, in order: fees_total and its signals. */
const QUANTITIES = ['fees_total', 'tx_count', 'active_addresses', 'fee_mean', 'fee_median'];

type Day = Partial<HistoryDay> & { readonly label: RegimeLabel };

/** Returns a history of arbitrum with these days, one after the other. */
function historyOf(days: readonly Day[]): HistoryDay[] {
  return days.map((day, t) => ({
    date: toDate(FIRST + t),
    demand: 'normal',
    pressure: 'normal',
    values: QUANTITIES.map(() => null),
    ...day,
  }));
}

const repeat = <T>(times: number, value: T): T[] => Array.from({ length: times }, () => value);
const daysOf = (times: number, label: RegimeLabel, more: Partial<HistoryDay> = {}): Day[] =>
  repeat(times, { label, ...more });
const statisticsOf = (days: readonly Day[]) => labelStatistics('arbitrum', historyOf(days), methodology);

function labelOf(days: readonly Day[], name: RegimeLabel): LabelHistory {
  const found = statisticsOf(days).labels.find(({ label }) => label === name);
  if (found === undefined) throw new Error(`no ${name}`);
  return found;
}

describe('the runs of a label', () => {
  const days = [
    ...daysOf(3, 'indeterminate'),
    ...daysOf(4, 'steady'),
    ...daysOf(2, 'slack'),
    ...daysOf(9, 'steady'),
    ...daysOf(1, 'slack'),
    ...daysOf(6, 'steady'),
    ...daysOf(5, 'slack'),
  ];

  it('are counted with their median, shortest and longest length', () => {
    expect(labelOf(days, 'steady')).toMatchObject({
      days: 19,
      runs: 3,
      ended_runs: 3,
      run_length: { median: 6, shortest: 4, longest: 9 },
    });
  });

  it('include the current run in their number and days, but not in their lengths', () => {
    expect(statisticsOf(days).current_run).toEqual({ label: 'slack', since: '2022-02-02', run_days: 5 });
    expect(labelOf(days, 'slack')).toMatchObject({
      days: 8,
      runs: 3,
      ended_runs: 2,
      run_length: { median: 1.5, shortest: 1, longest: 2 },
    });
  });

  it('have no length before one has ended', () => {
    expect(labelOf(daysOf(5, 'quiet'), 'quiet')).toMatchObject({ runs: 1, ended_runs: 0, run_length: null });
    expect(labelOf(daysOf(5, 'quiet'), 'steady')).toMatchObject({ days: 0, runs: 0, run_length: null });
  });

  it('are also counted for all labels together, without indeterminate', () => {
    expect(statisticsOf(days).labelled).toMatchObject({
      days: 27,
      runs: 6,
      ended_runs: 5,
      run_length: { median: 4, shortest: 1, longest: 9 },
    });
  });

  it('end at a withdrawn date, across which nothing follows', () => {
    const history = historyOf([...daysOf(4, 'steady'), ...daysOf(4, 'steady'), ...daysOf(2, 'slack')]);
    const { labels, transitions } = labelStatistics(
      'arbitrum',
      history.filter((_, t) => t !== 4),
      methodology,
    );
    expect(labels.find(({ label }) => label === 'steady')).toMatchObject({
      runs: 2,
      run_length: { median: 3.5, shortest: 3, longest: 4 },
    });
    expect(transitions).toEqual([{ from: 'steady', to: 'slack', runs: 1 }]);
  });

  it('follow each other as often as the transitions say, indeterminate as a label of its own', () => {
    expect(statisticsOf(days).transitions).toEqual([
      { from: 'steady', to: 'slack', runs: 3 },
      { from: 'slack', to: 'steady', runs: 2 },
      { from: 'indeterminate', to: 'steady', runs: 1 },
    ]);
  });
});

describe('the shares', () => {
  const days = [
    ...daysOf(5, 'indeterminate', { demand: 'high', pressure: null }),
    ...daysOf(6, 'expanding', { demand: 'high' }),
    ...daysOf(2, 'steady', { pressure: 'normal' }),
  ];

  it('are fractions of the days with a label, and none for indeterminate', () => {
    const { labels } = statisticsOf(days);
    expect(labels.filter((row) => row.days > 0).map(({ label, share }) => [label, share])).toEqual([
      ['expanding', 0.75],
      ['steady', 0.25],
      ['indeterminate', null],
    ]);
    expect(labels.map(({ label }) => label)).toEqual(LABELS);
  });

  it('count a level only on days with a label', () => {
    expect(statisticsOf(days).labelled.demand).toEqual([
      { level: 'high', days: 6, share: 0.75 },
      { level: 'normal', days: 2, share: 0.25 },
      { level: 'low', days: 0, share: 0 },
    ]);
    expect(statisticsOf(days).labelled.pressure[1]).toEqual({ level: 'normal', days: 8, share: 1 });
  });

  it('are null while no day has a label', () => {
    const { labels, labelled } = statisticsOf(daysOf(3, 'indeterminate'));
    expect(new Set(labels.map(({ share }) => share))).toEqual(new Set([null]));
    expect(labelled).toMatchObject({ days: 0, runs: 0, run_length: null });
    expect(labelled.demand.map(({ share }) => share)).toEqual([null, null, null]);
  });
});

describe('fees and use', () => {
  const withFees = (fees: number | null): Partial<HistoryDay> => ({
    values: [fees, ...QUANTITIES.slice(1).map(() => null)],
  });
  const feesOf = (days: readonly Day[], label: RegimeLabel) => labelOf(days, label).to_year['fees_total'];

  it("are the median of the day's value divided by the median of its year", () => {
    const days = [...daysOf(200, 'steady', withFees(10)), ...daysOf(31, 'congested', withFees(25))];
    expect(feesOf(days, 'congested')).toEqual({ days: 31, median: 2.5 });
  });

  it('compare no day with fewer than 90 values in its year, itself included', () => {
    const days = [...daysOf(60, 'steady', withFees(10)), ...daysOf(90, 'slack', withFees(10))];
    expect(feesOf(days, 'steady')).toEqual({ days: 0, median: null });
    expect(feesOf(days, 'slack')).toEqual({ days: 61, median: 1 });
  });

  it('have no median with fewer than 30 compared days', () => {
    const days = [...daysOf(200, 'steady', withFees(10)), ...daysOf(29, 'congested', withFees(20))];
    expect(feesOf(days, 'congested')).toEqual({ days: 29, median: null });
  });

  it('forget what is more than a year old', () => {
    const days = [
      ...daysOf(300, 'steady', withFees(1000)),
      ...daysOf(364, 'slack', withFees(10)),
      ...daysOf(30, 'quiet', withFees(10)),
    ];
    expect(feesOf(days, 'quiet')).toEqual({ days: 30, median: 1 });
    const year = [...daysOf(1, 'steady', withFees(3)), ...daysOf(364, 'slack', withFees(null))];
    expect(feesOf([...year, ...daysOf(90, 'quiet', withFees(2))], 'quiet')?.days).toBe(1);
  });

  it('leave out days without a value, and those whose year has the median 0', () => {
    const days = [
      ...daysOf(100, 'steady', withFees(0)),
      ...daysOf(50, 'congested', withFees(2)),
      ...daysOf(9, 'congested', withFees(null)),
    ];
    expect(feesOf(days, 'steady')).toEqual({ days: 0, median: null });
    expect(feesOf(days, 'congested')).toEqual({ days: 0, median: null });
  });
});

describe('for every history', () => {
  const level = fc.constantFrom<Level>('high', 'normal', 'low');
  const run = fc.tuple(fc.integer({ min: 1, max: 40 }), fc.constantFrom(...LABELS), level, level);

  it('shares add up to 1, days to the history, and transitions are one fewer than runs', () => {
    fc.assert(
      fc.property(fc.array(run, { minLength: 1, maxLength: 12 }), (runs) => {
        const days = runs.flatMap(([times, label, demand, pressure]) =>
          daysOf(times, label, { demand, pressure }),
        );
        const { labels, labelled, transitions } = statisticsOf(days);
        const sum = (numbers: readonly (number | null)[]): number =>
          numbers.reduce<number>((total, each) => total + (each ?? 0), 0);
        expect(sum(labels.map((row) => row.days))).toBe(days.length);
        expect(sum(transitions.map((each) => each.runs))).toBe(sum(labels.map((row) => row.runs)) - 1);
        expect(transitions.every(({ from, to }) => from !== to)).toBe(true);
        for (const { label, ended_runs: ended } of labels)
          expect(sum(transitions.filter(({ from }) => from === label).map((each) => each.runs))).toBe(ended);
        const shares = [labels, labelled.demand, labelled.pressure].map((rows) =>
          sum(rows.map(({ share }) => share)),
        );
        for (const total of shares) expect(total).toBeCloseTo(labelled.days === 0 ? 0 : 1, 7);
        expect(sum(labelled.demand.map((each) => each.days))).toBe(labelled.days);
        for (const { days: number, ended_runs: ended, run_length: length, runs: all } of labels) {
          const { shortest = 0, longest = 0 } = length ?? {};
          expect(shortest * ended).toBeLessThanOrEqual(number);
          if (all === ended) expect(longest * ended).toBeGreaterThanOrEqual(number);
        }
      }),
    );
  });
});

describe('regimes.json', () => {
  it.each(CHAIN_IDS)('is valid and the same from the series of %s as from its records', (chain) => {
    const series = randomSeries({ chain, seed: 9, days: 500, missingCells: 0.1, missingRows: 0.05 });
    const { meta, write, regimes } = createDayWriters(series, texts);
    const provenance = { revision: STAMP.revision, updatedThrough: '2023-01-01' };
    const records = series.dates.map((_, t) => meta(t, provenance));
    const gold = series.dates.map((_, t) => write('gold-day/1', t, provenance) as GoldDay);
    const history = historyOfSeries(series, regimes, new Set(series.dates));
    expect(historyOfRecords(chain, records, gold, methodology)).toEqual(history);
    const file = regimesFile(labelStatistics(chain, history, methodology));
    expect(file.path).toBe(`/api/v1/analyst-kit/${chain}/regimes.json`);
    expect(findSchemaFaults('regimes', file.content(STAMP).value)).toEqual([]);
  });

  it('is the same whether the history was extended, corrected or published at once', async () => {
    const long = randomSeries({ chain: 'base', seed: 5, days: 130 });
    const short = randomSeries({ chain: 'base', seed: 5, days: 129 });
    const edited = editSeries(long, 'tx_count', long.dates[100] ?? '', 1_234_567);
    const publishedOf = async (...inputs: readonly InputSeries[]): Promise<unknown> => {
      const store = createMemoryStore();
      for (const [i, each] of inputs.entries())
        await publishSeries(store, {
          inputs: [each],
          asOf: `2022-06-0${i + 1}`,
          acceptance: { reason: 'a better count' },
        });
      const { public: files } = await readCurrent(store);
      const regimes = await readArtifactJson(store, files[regimesPath('base')]?.sha256 ?? '', 'regimes');
      return { ...regimes, published_revision: '' };
    };
    const [atOnce, corrected] = [await publishedOf(long), await publishedOf(edited)];
    expect(await publishedOf(short, long)).toEqual(atOnce);
    expect(await publishedOf(long, edited)).toEqual(corrected);
    expect(corrected).not.toEqual(atOnce);
  }, 60_000);

  it('counts only the dates that are in force', () => {
    const series = randomSeries({ chain: 'base', seed: 9, days: 120 });
    const { regimes } = createDayWriters(series, texts);
    const history = historyOfSeries(series, regimes, new Set(series.dates.slice(0, 100)));
    expect(labelStatistics('base', history, methodology)).toMatchObject({
      first_date: '2022-01-01',
      updated_through: '2022-04-10',
      labels: expect.arrayContaining([expect.objectContaining({ label: 'indeterminate' })]),
    });
    expect(history).toHaveLength(100);
  });
});
