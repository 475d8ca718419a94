import { chainPage } from '../../../../generator/core/pages/chain-page.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { textOf } from '../../../support/pages/html-skeleton.js';
import { randomSeries, withoutMetrics } from '../../../support/release/random-series.js';
import type { Chain, MetricName } from '../../../../schemas/types.generated.js';

const texts = await readProductTexts();
const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };
const DAYS = 480;

/** Returns the text of the page of a chain whose input never has the metrics `missing`. */
function pageText(chain: Chain, missing: readonly MetricName[]): string {
  const series = withoutMetrics(randomSeries({ chain, seed: 7, days: DAYS }), missing);
  const { meta } = createDayWriters(series, texts);
  const provenance = { revision: STAMP.revision, updatedThrough: series.dates.at(-1) ?? '' };
  const records = Array.from({ length: 30 }, (_, i) => meta(DAYS - 30 + i, provenance));
  const options = { records, lastAvailable: null, methodology: texts.methodology, sources: [] };
  const html = chainPage(texts.site, chain, options).content(STAMP).text;
  return textOf(html);
}

describe('the page of a chain', () => {
  it('says nothing about missing signals when none is missing', () => {
    expect(pageText('arbitrum', [])).not.toMatch(/Missing signals|Data quality allows/);
  });

  it('names the missing signal and the level that data quality allows', () => {
    const text = pageText('arbitrum', ['fee_median']);
    expect(text).toContain('Missing signals: median fee. Data quality allows at most moderate confidence.');
    expect(text).toMatch(/\d+ of 100, (moderate|low)/);
  });

  it('names all missing signals in the order of the methodology', () => {
    expect(pageText('ethereum', ['active_addresses', 'fee_median'])).toContain(
      'Missing signals: active addresses, median fee. Data quality allows at most moderate confidence.',
    );
  });

  it('states no limit when data quality is exactly enough for high confidence', () => {
    const text = pageText('bitcoin', ['fee_median']);
    expect(text).toContain('Missing signals: median fee.');
    expect(text).not.toContain('Data quality allows');
  });

  it('states no limit for a day without a label', () => {
    const text = pageText('base', ['fee_median', 'fees_total']);
    expect(text).toContain('Missing signals: mean fee, median fee.');
    expect(text).not.toContain('Data quality allows');
  });
});
