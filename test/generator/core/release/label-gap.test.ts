import {
  countListed,
  explainLabelGap,
  type LabelGap,
  labelGapWords,
} from '../../../../generator/core/release/label-gap.js';
import type { InputSeries } from '../../../../generator/core/input/input-series.js';
import { computeRegimes } from '../../../../generator/core/methodology/regime-series.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import type { Chain, Methodology, MetricName } from '../../../../schemas/types.generated.js';
import { addDays } from '../../../../schemas/dates.js';

const { methodology } = await readProductTexts();
const FIRST = '2024-01-01';
const BITCOIN: readonly MetricName[] = [
  'tx_count',
  'active_addresses',
  'fees_total',
  'fee_median',
  'block_count',
  'block_weight',
];

/** Returns a made-up series in which a metric has a value on the dates that `has` accepts; all by default. */
function series(
  chain: Chain,
  days: number,
  metrics: { readonly [metric in MetricName]?: (t: number) => boolean } | readonly MetricName[],
): InputSeries {
  const dates = Array.from({ length: days }, (_, t) => addDays(FIRST, t));
  const entries = Array.isArray(metrics)
    ? (metrics as MetricName[]).map((metric) => [metric, () => true] as const)
    : Object.entries(metrics as Record<string, (t: number) => boolean>);
  return {
    chain,
    dates,
    present: dates.map(() => true),
    metrics: Object.fromEntries(
      entries.map(([metric, has]) => [metric, dates.map((_, t) => (has(t) ? 100 + (t % 7) : null))]),
    ),
    sources: [],
  };
}

function explain(input: InputSeries, of: Methodology = methodology): LabelGap | undefined {
  const { labels, dates } = computeRegimes(input, of);
  const entries = dates.map((date, t) => ({
    date,
    status: labels[t] === 'indeterminate' ? ('degraded' as const) : ('available' as const),
  }));
  return explainLabelGap(input, countListed(entries), of);
}

function wordsOf(input: InputSeries, of?: Methodology): string {
  const gap = explain(input, of);
  return gap === undefined ? '' : labelGapWords(input.chain, gap);
}

const always = (): boolean => true;
const before = (end: number) => (t: number) => t < end;
const from = (start: number) => (t: number) => t >= start;

describe('the explanation of a chain whose newest date has no label', () => {
  it('names the missing signals, the data quality, and the single metrics of which one would be enough', () => {
    expect(wordsOf(series('bitcoin', 700, ['tx_count', 'fees_total']))).toBe(
      'bitcoin: 0 of 700 days have a label: active_addresses, fee_median and use of block space are missing; data quality 40 %, 50 % needed; with active_addresses or fee_median: 60 %',
    );
  });

  it('names the smallest set of metrics if no single one is enough', () => {
    expect(wordsOf(series('ethereum', 700, ['tx_count', 'fees_total']))).toBe(
      'ethereum: 0 of 700 days have a label: active_addresses, fee_median, gas_price_mean and use of the gas target are missing; data quality 20 %, 50 % needed; with active_addresses and fee_median: 60 %',
    );
  });

  it('says which dimension has no signal if the data quality would be enough', () => {
    expect(wordsOf(series('arbitrum', 700, ['tx_count', 'active_addresses']))).toBe(
      'arbitrum: 0 of 700 days have a label: mean fee and fee_median are missing; data quality 50 %, but a label needs a signal of cost; with fee_median or fees_total: 75 %',
    );
  });

  it('treats a column without a value, or of zeros, like one that is absent', () => {
    const without = series('bitcoin', 700, ['tx_count', 'fees_total']);
    const words = wordsOf(without);
    const empty = { ...without.metrics, fee_median: without.dates.map(() => null) };
    const zeros = { ...without.metrics, fee_median: without.dates.map(() => 0) };
    for (const metrics of [empty, zeros]) expect(wordsOf({ ...without, metrics })).toBe(words);
  });

  it('counts the days with a label, and asks for the metric that ended rather than for another one', () => {
    const input = series('bitcoin', 700, { tx_count: always, fees_total: always, fee_median: before(640) });
    expect(wordsOf(input)).toMatch(
      /^bitcoin: \d+ of 700 days have a label, the last is 2025-10-\d\d: active_addresses and use of block space are missing; fee_median ended on 2025-10-01; data quality 4\d\.\d %, 50 % needed; with fee_median: 60 %$/,
    );
  });

  it('names the date of the first label if only time is missing', () => {
    expect(wordsOf(series('bitcoin', 60, BITCOIN))).toBe(
      'bitcoin: 0 of 60 days have a label: every signal needs 100 days of values; the first label is that of 2024-04-09',
    );
    expect(computeRegimes(series('bitcoin', 100, BITCOIN), methodology).labels.at(-1)).not.toBe(
      'indeterminate',
    );
    expect(explain(series('bitcoin', 99, BITCOIN))).toBeDefined();
    expect(explain(series('bitcoin', 100, BITCOIN))).toBeUndefined();
  });

  it('names the metric and the date if history is short and a metric is missing', () => {
    expect(wordsOf(series('bitcoin', 60, ['tx_count', 'fees_total']))).toMatch(
      /: tx_count and mean fee need 100 days of values; .* are missing; .*; with active_addresses or fee_median: 5\d(\.\d)? % on 2024-0\d-\d\d$/,
    );
  });

  it('names the date on which a metric that began lately is enough', () => {
    const input = series('bitcoin', 700, { tx_count: always, fees_total: always, fee_median: from(695) });
    expect(wordsOf(input)).toMatch(
      /fee_median needs 100 days of values; data quality 4.* %, 50 % needed; the first label is that of 2025-12-02$/,
    );
  });

  it('says that the newest rows are too few after a gap', () => {
    const input = series(
      'bitcoin',
      700,
      Object.fromEntries(BITCOIN.map((metric) => [metric, (t: number) => t < 660 || t > 697])),
    );
    expect(wordsOf(input)).toMatch(
      /: every signal has too few values in the last 7 days; data quality .*, 50 % needed; the next label is that of 2025-12-0\d$/,
    );
  });

  it('says that the newest date has no value', () => {
    expect(
      wordsOf(series('bitcoin', 700, Object.fromEntries(BITCOIN.map((metric) => [metric, before(699)])))),
    ).toBe(
      'bitcoin: 600 of 700 days have a label, the last is 2025-11-29: 2025-11-30 has no value that a label depends on',
    );
  });

  it('says why no date has a label, although the newest date has no value', () => {
    const everyThird = (t: number): boolean => t % 3 === 0;
    const input = series('bitcoin', 701, Object.fromEntries(BITCOIN.map((metric) => [metric, everyThird])));
    expect(wordsOf(input)).toMatch(
      /^bitcoin: 0 of 701 days have a label: every signal has too few values in the last 7 days; data quality 2\d(\.\d)? %, 50 % needed; /,
    );
    const ended = series('bitcoin', 700, Object.fromEntries(BITCOIN.map((metric) => [metric, before(600)])));
    expect(wordsOf(ended)).toMatch(/: every signal ended on 2025-08-22; data quality .*, 50 % needed; with /);
  });

  it('is absent for a chain whose newest date has a label, whatever its first year is', () => {
    expect(explain(series('bitcoin', 700, BITCOIN))).toBeUndefined();
    expect(
      explain(
        series(
          'bitcoin',
          700,
          BITCOIN.filter((metric) => metric !== 'fee_median'),
        ),
      ),
    ).toBeUndefined();
  });
});

it('the metrics that are named give a label, and no smaller set does', () => {
  for (const chain of ['bitcoin', 'ethereum', 'arbitrum', 'base'] as const) {
    for (const metrics of [['tx_count'], ['fee_median'], ['fees_total'], ['gas_used']] as MetricName[][]) {
      const input = series(chain, 500, metrics);
      const [best = []] = explain(input)?.remedy?.metrics ?? [];
      expect(best.length).toBeGreaterThan(0);
      expect(explain(series(chain, 500, [...metrics, ...best]))).toBeUndefined();
      for (const left of best)
        expect(
          explain(series(chain, 500, [...metrics, ...best.filter((each) => each !== left)])),
        ).toBeDefined();
    }
  }
});

it('the named data quality follows the weights of the methodology', () => {
  const signals = methodology.signals.map((each) =>
    each.signal === 'fee_median' ? { ...each, weight: 2 } : each,
  );
  expect(wordsOf(series('bitcoin', 700, ['tx_count', 'fees_total']), { ...methodology, signals })).toMatch(
    /data quality 33\.3 %, 50 % needed; with fee_median: 66\.[67] %$/,
  );
});
