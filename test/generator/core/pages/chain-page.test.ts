import { toChartPoint } from '../../../../generator/core/artifacts/chart-data.js';
import { chainPage } from '../../../../generator/core/pages/chain-page.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { textOf } from '../../../support/pages/html-skeleton.js';
import { seriesStatistics } from '../../../support/release/series-statistics.js';
import { randomSeries, withoutMetrics } from '../../../support/release/random-series.js';
import type { Chain, MetricName } from '../../../../schemas/types.generated.js';

const texts = await readProductTexts();
const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };
const DAYS = 480;

/** Returns the text of the page of a chain whose input never has the metrics `missing`. */
function pageText(chain: Chain, missing: readonly MetricName[], seed = 7): string {
  const series = withoutMetrics(randomSeries({ chain, seed, days: DAYS }), missing);
  const { meta } = createDayWriters(series, texts);
  const provenance = { revision: STAMP.revision, updatedThrough: series.dates.at(-1) ?? '' };
  const records = Array.from({ length: 30 }, (_, i) => meta(DAYS - 30 + i, provenance));
  const points = records.map(toChartPoint);
  const { methodology } = texts;
  const statistics = seriesStatistics(series, methodology);
  const options = { records, points, statistics, lastAvailable: null, methodology, sources: [] };
  const html = chainPage(texts.site, chain, options).content(STAMP).text;
  return textOf(html);
}

describe('the page of a chain', () => {
  it('says how long the regime lasted and up to which date, not what it is now', () => {
    const text = pageText('arbitrum', []);
    expect(text).toMatch(/[A-Z][a-z]+ for \d+ days?, up to \d+ \w+ \d{4}: [a-z ,]+\./);
    expect(text.slice(0, text.indexOf('What each label has meant'))).not.toContain('has been');
  });

  it('says for how long there was no regime', () => {
    expect(pageText('base', ['fee_median', 'fees_total'])).toMatch(/No regime for \d+ days?, up to/);
  });

  it('says nothing about missing signals when none is missing', () => {
    expect(pageText('arbitrum', [])).toMatch(/Data quality\s*100 %\s/);
  });

  it('names the missing signal beside the data quality', () => {
    expect(pageText('arbitrum', ['fee_median'])).toMatch(/Data quality\s*75 %, without median fee/);
  });

  it('names all missing signals in the order of the methodology', () => {
    expect(pageText('ethereum', ['active_addresses', 'fee_median'])).toMatch(
      /Data quality\s*60 %, without active addresses and median fee/,
    );
  });

  it('says that no signal was available, when all are missing', () => {
    const text = pageText('arbitrum', ['tx_count', 'active_addresses', 'fees_total', 'fee_median']);
    expect(text).toContain('no signal was available');
    expect(text).not.toContain('nothing stands out');
  });

  it('states no confidence for a day without a label', () => {
    const text = pageText('base', ['fee_median', 'fees_total']);
    expect(text).toMatch(/Data quality\s*[\d.]+ %, without mean fee and median fee/);
    expect(text).toMatch(/Confidence\s*none, because there is no label/);
    expect(text).toMatch(/\d\d-\d\dindeterminate–/);
  });

  it('says in the past tense what each label has meant, and never what will be', () => {
    const text = pageText('arbitrum', []);
    const section = text.slice(text.indexOf('What each label has meant'), text.indexOf('Files'));
    expect(section).toContain('days from 1 January 2022 to 25 April 2023 have a label.');
    expect(section).toMatch(
      /Of the days with a label, demand has been high on [\d.]+ % \(\d+ days?\), normal on/,
    );
    expect(section).toMatch(/counts among the days and runs\. Its length does not count/);
    expect(section).toMatch(/On the median day, Arbitrum had [\d.]+ times the transactions/);
    expect(section).not.toMatch(/\b(will|forecast|expect|likely)/);
  });

  it('shows fees and use in columns, and only those that a chain has', () => {
    expect(pageText('ethereum', [])).toContain('LabelDaysShareAll feesMean gas priceTransactionsRuns');
    expect(pageText('ethereum', ['gas_price_mean', 'fees_total'])).toContain(
      'ShareMedian feeTransactionsRuns',
    );
  });

  it('says that no day has a label, without tables', () => {
    const text = pageText('base', ['fee_median', 'fees_total']);
    expect(text).toContain('No day from 1 January 2022 to 25 April 2023 has a label.');
    expect(text).not.toContain('Longest run');
  });
});
