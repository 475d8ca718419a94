import { WEEK_COLUMNS } from '../../../../generator/core/artifacts/week.js';
import { weeklySummaryFile } from '../../../../generator/core/artifacts/weekly-summary.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { shareWords } from '../../../../schemas/words.js';
import { CHAIN_IDS, LABEL_MEANINGS } from '../../../../schemas/catalog.js';
import type { Chain, DerivedDay, MetaDay, MetricName } from '../../../../schemas/types.generated.js';
import { randomSeries, withoutMetrics } from '../../../support/release/random-series.js';

const texts = await readProductTexts();
const { methodology, weeklySummary: template } = texts;
const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };
const DAYS = 400;
const SEEDS = Number(process.env['CRD_SEEDS'] ?? '40') / 10;

/** The meta records of a random chain, and the derived record of the last one. */
type Records = { readonly records: MetaDay[]; readonly derived: DerivedDay };

/** Returns the 30 records up to day `last` of a random series. */
function allRecordsOf(chain: Chain, seed: number, last = DAYS - 1): Records {
  const series = randomSeries({ chain, seed, days: DAYS, missingCells: 0.05, missingRows: 0.02 });
  const { meta, write: writeDay } = createDayWriters(series, texts);
  const provenance = { revision: STAMP.revision, updatedThrough: series.dates[last] ?? '' };
  return {
    records: Array.from({ length: 30 }, (_, i) => meta(last - 29 + i, provenance)),
    derived: writeDay('derived-day/1', last, provenance) as DerivedDay,
  };
}

const recordsOf = (...of: Parameters<typeof allRecordsOf>): MetaDay[] => allRecordsOf(...of).records;

function write(chain: Chain, records: readonly MetaDay[], derived?: DerivedDay, stamp = STAMP): string {
  const lastAvailable = records.findLast(({ status }) => status === 'available')?.date ?? null;
  return weeklySummaryFile(chain, {
    records,
    derived,
    lastAvailable,
    sources: [],
    methodology,
    address: '',
    template,
  }).content(stamp).text;
}

/** Returns the lines between a heading and the next empty line. */
function linesUnder(text: string, heading: string): string[] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith(heading)) + 1;
  expect(from).toBeGreaterThan(0);
  return lines.slice(from, lines.indexOf('', from));
}

/** Returns the first paragraph in one line. */
const openingOf = (text: string): string => text.split('\n\n')[1]?.replaceAll('\n', ' ') ?? '';

describe('a weekly summary of random data', () => {
  for (const chain of CHAIN_IDS) {
    it(`of ${chain} is 72 columns wide and matches the records of the last seven dates`, () => {
      for (let seed = 0; seed < SEEDS; seed += 1) {
        const { records, derived } = allRecordsOf(chain, seed, 40 + Math.floor((seed * (DAYS - 41)) / SEEDS));
        const text = write(chain, records, derived);
        expect(text).toMatch(/^[\x20-\x7e\n]+\n$/);
        expect(text).not.toMatch(/ \n|undefined|NaN|null|\[object/);
        expect(Math.max(...text.split('\n').map((line) => line.length))).toBe(WEEK_COLUMNS);
        const week = records.slice(-7);
        expect(linesUnder(text, 'Date ').map((line) => line.split(/ {2,}/))).toEqual(
          week.map(({ date, regime, confidence, status }) => [
            date,
            new Date(`${date}T00:00:00Z`).toLocaleDateString('en-US', { weekday: 'short', timeZone: 'UTC' }),
            regime.label,
            regime.label === 'indeterminate' ? '-' : shareWords(confidence.score),
            status,
          ]),
        );
      }
    });
  }

  it('opens with at most 60 words: what changed, then the state with its confidence', () => {
    const sentences = { one: 0, more: 0, none: 0, ranks: 0 };
    for (const chain of CHAIN_IDS) {
      for (let seed = 0; seed < SEEDS; seed += 1) {
        const { records, derived } = allRecordsOf(chain, seed, 200 + (seed % 199));
        const opening = openingOf(write(chain, records, derived));
        expect(opening.split(' ').length).toBeLessThanOrEqual(60);
        const turns = records.slice(-7).filter((record, i) => {
          const before = records.at(-8 + i)?.regime.label;
          return before !== record.regime.label;
        });
        const last = turns.at(-1);
        const turn = `from ${last?.regime.previous_label} to ${last?.regime.label} on ${last?.date}. `;
        if (turns.length === 0) expect(opening).toMatch(/^Against the week before, /);
        else if (turns.length === 1) expect(opening.startsWith(`The label turned ${turn}`)).toBe(true);
        else
          expect(
            opening.startsWith(
              `The label changed ${turns.length === 2 ? 'twice' : `${turns.length} times`}, last ${turn}`,
            ),
          ).toBe(true);
        sentences[turns.length === 0 ? 'none' : turns.length === 1 ? 'one' : 'more'] += 1;
        if (/ ranked among the year's (highest|lowest) \([\d.]+ %\)/.test(opening)) sentences.ranks += 1;
        const { regime, confidence } = records.at(-1) ?? {};
        expect(opening).toContain(
          regime?.label === 'indeterminate'
            ? ` ended the week without a label, for ${regime.run_days} day`
            : ` ended the week ${regime?.label}, on day ${regime?.run_days} of the run (confidence ${shareWords(confidence?.score ?? 0)}, ${confidence?.level}).`,
        );
      }
    }
    expect(Object.values(sentences).every((times) => times > 0)).toBe(true);
  });

  it('lists the largest moves first, and opens with the largest in each direction', () => {
    const { records, derived } = allRecordsOf('bitcoin', 3);
    const metrics = { ...derived.metrics };
    const set = (metric: MetricName, change_7d: number, percentile_365d: number): void => {
      metrics[metric] = {
        ma7: 1234.5,
        ma30: null,
        change_1d: null,
        change_7d,
        change_30d: null,
        percentile_365d,
      };
    };
    for (const metric of Object.keys(metrics) as MetricName[]) set(metric, 0.01, 0.5);
    set('fees_total', 2.7, 0.998);
    set('issuance', -0.16, 0.004);
    const text = write('bitcoin', records, { ...derived, metrics });
    expect(openingOf(text)).toContain(
      'Against the week before, fees rose most, by 270 %, and issuance fell most, by 16 %. ',
    );
    const held = records.map((record) => ({ ...record, regime: { ...record.regime, since: '2021-01-01' } }));
    expect(openingOf(write('bitcoin', held, { ...derived, metrics }))).toContain(
      "On the last day, fees ranked among the year's highest (99.8 %) and issuance among its lowest (0.4 %). ",
    );
    const lacking = held.map((record) => ({
      ...record,
      confidence: { ...record.confidence, missing_signals: ['utilization'] },
    }));
    expect(openingOf(write('bitcoin', lacking))).toMatch(/ Signals were missing on all 7 days\.$/);
    expect(linesUnder(text, 'Weekly moves').slice(0, 2)).toEqual([
      '  fees                           1,235 BTC      +270 %            99.8 %',
      '  issuance                       1,235 BTC       -16 %             0.4 %',
    ]);
    for (const metric of Object.keys(metrics) as MetricName[]) set(metric, 0.049, 0.5);
    expect(openingOf(write('bitcoin', records, { ...derived, metrics }))).toContain(
      'Against the week before, no metric moved by 5 % or more.',
    );
  });

  it('keeps to its columns with the longest numbers of real history', () => {
    const { records, derived } = allRecordsOf('bitcoin', 3);
    const long = { ma30: null, change_1d: null, change_30d: null, percentile_365d: 0.9996 };
    const metrics = {
      ...derived.metrics,
      hash_rate: { ...long, ma7: 1.09e6, change_7d: 20_400_000.4 }, // the change is that of fees in October 2010
    };
    const text = write('bitcoin', records, { ...derived, metrics });
    expect(linesUnder(text, 'Weekly moves')[0]).toBe(
      '  hash rate              1.09 million TH/s  +2.04 billion %      99.96 %',
    );
    expect(Math.max(...text.split('\n').map((line) => line.length))).toBe(WEEK_COLUMNS);
  });

  it('shows score changes that match the shown scores', () => {
    for (let seed = 0; seed < SEEDS; seed += 1) {
      for (const line of linesUnder(write('ethereum', recordsOf('ethereum', seed)), 'Scores')) {
        const [, current = '', before = '', change = ''] = line.trim().split(/\s+/);
        if (before === '-' || current === '-') expect(change).toBe('-');
        else expect(Number(change)).toBeCloseTo(Number(current) - Number(before), 6);
      }
    }
  });
});

it('calls the next date due only until it is late', () => {
  const { records } = allRecordsOf('base', 1);
  const text = (publishedAt: string): string => write('base', records, undefined, { ...STAMP, publishedAt });
  const due = /the next date is due by (\S+)\n/.exec(text('2000-01-01T00:00:00Z'))?.[1] ?? '';
  expect(text(due)).toContain(`\n            the next date is due by ${due}\n`);
  const later = due.replace('Z', '').replace(/\d$/, '1') + 'Z';
  expect(text(later)).toContain(`\n            the next date was due by ${due}, and is late\n`);
});

it('summarises a chain with three days of data, without drivers', () => {
  const series = randomSeries({ chain: 'base', seed: 1, days: 3 });
  const { meta } = createDayWriters(series, texts);
  const provenance = { revision: STAMP.revision, updatedThrough: series.dates[2] ?? '' };
  const text = write(
    'base',
    [0, 1, 2].map((t) => meta(t, provenance)),
  );
  expect(text).toContain('Regime      indeterminate for 3 days');
  expect(text).toContain(LABEL_MEANINGS.indeterminate);
  expect(text).toContain('Before      no earlier label');
  expect(text).toContain('\nConfidence  none, because there is no label\n');
  expect(linesUnder(text, 'Date ')).toHaveLength(3);
  expect(linesUnder(text, 'Drivers on')).toEqual([
    expect.stringContaining('signal'),
    '  no signal was available',
  ]);
});

it('says that nothing stands out only when a signal is available', () => {
  const records = recordsOf('arbitrum', 1).map((record) => ({ ...record, drivers: [] }));
  const text = write('arbitrum', records);
  expect(linesUnder(text, 'Drivers on')).toEqual([expect.stringContaining('signal'), '  nothing stands out']);
});

describe('the missing signals of a weekly summary', () => {
  /** Returns the summary of a chain without `metric` in the last `days` days. */
  function withMissing(chain: Chain, metric: MetricName, days: number): string {
    const whole = randomSeries({ chain, seed: 7, days: 480 });
    const series = withoutMetrics(whole, [metric], whole.dates.at(-days));
    const { meta } = createDayWriters(series, texts);
    const provenance = { revision: STAMP.revision, updatedThrough: series.dates.at(-1) ?? '' };
    return write(
      chain,
      Array.from({ length: 30 }, (_, i) => meta(450 + i, provenance)),
    );
  }

  it('are not mentioned when every signal is available', () => {
    const text = withMissing('arbitrum', 'block_count', 480);
    expect(text).not.toMatch(/missing signal|data quality/i);
  });

  it('are listed with their number of days, and the data quality has a line of its own', () => {
    const text = withMissing('arbitrum', 'fee_median', 480);
    expect(linesUnder(text, 'Days per missing signal')).toEqual(['  7  median fee']);
    expect(text).toMatch(/^Confidence {2}94\.8 %, high\nQuality {5}75 % of the data is there\n$/m);
  });

  it('count only the days of the week on which too few values were left', () => {
    const text = withMissing('ethereum', 'active_addresses', 6);
    expect(linesUnder(text, 'Days per missing signal')).toEqual(['  3  active addresses']);
  });
});
