import { WEEKLY_COLUMNS, weeklySummaryFile } from '../../../../generator/core/artifacts/summary.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import { shareWords } from '../../../../generator/core/text/words.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { CHAIN_IDS, LABEL_MEANINGS } from '../../../../schemas/catalog.js';
import type { Chain, MetaDay, MetricName } from '../../../../schemas/types.generated.js';
import { randomSeries, withoutMetrics } from '../../../support/release/random-series.js';

const texts = await readProductTexts();
const { methodology, weeklySummary: template } = texts;
const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };
const DAYS = 400;
const SEEDS = Number(process.env['CRD_SEEDS'] ?? '40') / 10;

/** Returns the 30 records up to day `last` of a random series. */
function recordsOf(chain: Chain, seed: number, last = DAYS - 1): MetaDay[] {
  const series = randomSeries({ chain, seed, days: DAYS, missingCells: 0.05, missingRows: 0.02 });
  const { meta } = createDayWriters(series, texts);
  const provenance = { revision: STAMP.revision, updatedThrough: series.dates[last] ?? '' };
  return Array.from({ length: 30 }, (_, i) => meta(last - 29 + i, provenance));
}

function write(chain: Chain, records: readonly MetaDay[]): string {
  const lastAvailable = records.findLast(({ status }) => status === 'available')?.date ?? null;
  return weeklySummaryFile(chain, {
    records,
    lastAvailable,
    sources: [],
    methodology,
    address: '',
    template,
  }).content(STAMP).text;
}

/** Returns the lines between a heading and the next empty line. */
function linesUnder(text: string, heading: string): string[] {
  const lines = text.split('\n');
  const from = lines.findIndex((line) => line.startsWith(heading)) + 1;
  expect(from).toBeGreaterThan(0);
  return lines.slice(from, lines.indexOf('', from));
}

describe('a weekly summary of random data', () => {
  for (const chain of CHAIN_IDS) {
    it(`of ${chain} is 72 columns wide and matches the records of the last seven dates`, () => {
      for (let seed = 0; seed < SEEDS; seed += 1) {
        const records = recordsOf(chain, seed, 40 + Math.floor((seed * (DAYS - 41)) / SEEDS));
        const text = write(chain, records);
        expect(text).toMatch(/^[\x20-\x7e\n]+\n$/);
        expect(text).not.toMatch(/ \n|undefined|NaN|null|\[object/);
        expect(Math.max(...text.split('\n').map((line) => line.length))).toBe(WEEKLY_COLUMNS);
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
        const counted = linesUnder(text, 'Days per label').map((line) => Number(line.trim().split(' ')[0]));
        expect(counted.reduce((sum, days) => sum + days, 0)).toBe(7);
        expect(counted).toEqual(counted.toSorted((a, b) => b - a));
      }
    });
  }

  it('lists each label change, and shows score changes that match the shown scores', () => {
    let changes = 0;
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const records = recordsOf('ethereum', seed, 200 + (seed % 199));
      const text = write('ethereum', records);
      const pairs = records.slice(-7).flatMap((record, i) => {
        const before = records.at(-8 + i)?.regime.label;
        return before === record.regime.label
          ? []
          : [`  ${record.date}  from ${before} to ${record.regime.label}`];
      });
      changes += pairs.length;
      expect(linesUnder(text, 'Label changes')).toEqual(pairs.length === 0 ? ['  none'] : pairs);
      for (const line of linesUnder(text, 'Scores')) {
        const [, current = '', before = '', change = ''] = line.trim().split(/\s+/);
        if (before === '-' || current === '-') expect(change).toBe('-');
        else expect(Number(change)).toBeCloseTo(Number(current) - Number(before), 6);
      }
    }
    expect(changes).toBeGreaterThan(0);
  });
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

  it('are listed with their number of days, and the data quality that a higher level needs', () => {
    const text = withMissing('arbitrum', 'fee_median', 480);
    expect(linesUnder(text, 'Days per missing signal')).toEqual(['  7  median fee']);
    expect(text).toMatch(
      /^Confidence  99\.\d %, moderate\n {12}Data quality is 75 %; high confidence needs 80 %\.\n$/m,
    );
  });

  it('count only the days of the week on which too few values were left', () => {
    const text = withMissing('ethereum', 'active_addresses', 6);
    expect(linesUnder(text, 'Days per missing signal')).toEqual(['  3  active addresses']);
  });
});
