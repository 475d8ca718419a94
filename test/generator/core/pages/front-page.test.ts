import { toChainFacts } from '../../../../generator/core/artifacts/chain-facts.js';
import { frontPage } from '../../../../generator/core/pages/front-page.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import type { Chain, MetricName } from '../../../../schemas/types.generated.js';
import { textOf } from '../../../support/pages/html-skeleton.js';
import { randomSeries, withoutMetrics } from '../../../support/release/random-series.js';

const texts = await readProductTexts();
const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };

/** Returns the text of the front page with one chain whose history has `days` dates, without some metrics. */
function pageText(chain: Chain, days: number, without: readonly MetricName[] = []): string {
  const series = withoutMetrics(randomSeries({ chain, seed: 7, days }), without);
  const { meta } = createDayWriters(series, texts);
  const provenance = { revision: STAMP.revision, updatedThrough: series.dates.at(-1) ?? '' };
  const facts = [toChainFacts(chain, [], [meta(days - 1, provenance)], [])];
  return textOf(frontPage(texts.site, { facts, methodologyVersion: 'v1' }).content(STAMP).text);
}

describe('the card of a chain on the front page', () => {
  it('states the confidence in the label', () => {
    expect(pageText('arbitrum', 480)).toMatch(/Confidence\s*[\d.]+ %, (high|moderate|low)/);
  });

  it('states no confidence for a day without a label', () => {
    const text = pageText('base', 3);
    expect(text).toMatch(/Confidence\s*none, because there is no label/);
    expect(text).not.toMatch(/%, (high|moderate|low)/);
  });

  it('names the signals that are missing, if any', () => {
    expect(pageText('arbitrum', 480, ['fee_median'])).toMatch(/Missing\s*median fee\s*Through/);
    expect(pageText('base', 480, ['fee_median', 'gas_used'])).toMatch(
      /Missing\s*median fee, use of block space\s*Through/,
    );
    expect(pageText('arbitrum', 480)).toMatch(/(high|moderate|low)\s*Through/);
  });
});
