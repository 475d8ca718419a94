import { toChainFacts, type ChainFacts } from '../../../../generator/core/artifacts/chain-facts.js';
import { toChartPoint } from '../../../../generator/core/artifacts/chart-data.js';
import { frontPage } from '../../../../generator/core/pages/front-page.js';
import { crawlerFiles } from '../../../../generator/core/pages/release-pages.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { weeklyArchivePath, weeklySummaryPath } from '../../../../schemas/paths.js';
import type { Chain, MetaDay, MetricName } from '../../../../schemas/types.generated.js';
import { textOf } from '../../../support/pages/html-skeleton.js';
import { randomSeries, withoutMetrics } from '../../../support/release/random-series.js';

const texts = await readProductTexts();
const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };

/** Returns the facts of a chain whose history has `days` dates, without some metrics. */
function factsOf(
  chain: Chain,
  days: number,
  without: readonly MetricName[] = [],
  lastAvailable?: string,
): ChainFacts {
  const series = withoutMetrics(randomSeries({ chain, seed: 7, days }), without);
  const { meta } = createDayWriters(series, texts);
  const through = series.dates.at(-1) ?? '';
  const provenance = { revision: STAMP.revision, updatedThrough: through };
  const record = meta(days - 1, provenance);
  const facts = toChainFacts(chain, [], { lastRecords: [record], points: [toChartPoint(record)] }, []);
  return { ...facts, lastAvailable: lastAvailable ?? through };
}

/** Returns the text of the front page with one chain. */
function pageText(...chain: Parameters<typeof factsOf>): string {
  const options = { facts: [factsOf(...chain)], methodologyVersion: 'v1' };
  return textOf(frontPage(texts.site, options).content(STAMP).text);
}

it('the files for crawlers name only chains that are published', () => {
  const files = crawlerFiles(texts.site, { facts: [factsOf('base', 3)], methodologyVersion: 'v1' });
  const [sitemap = '', , llms = ''] = files.map((file) => file.content(STAMP).text);
  expect(sitemap.match(/\/chains\/[\w/-]+/g)).toEqual([
    '/chains/base',
    expect.stringMatching(/^\/chains\/base\/\d{4}-\d{2}-\d{2}$/),
    '/chains/base/metrics',
  ]);
  expect(llms).toContain('day of Base: how');
  expect(llms).not.toMatch(/bitcoin/i);
});

it('the files for crawlers name the weekly summaries and their archive', () => {
  const files = crawlerFiles(texts.site, { facts: [factsOf('base', 3)], methodologyVersion: 'v1' });
  const llms = files.at(-1)?.content(STAMP).text ?? '';
  for (const path of [weeklySummaryPath('base'), weeklyArchivePath('base', 'YYYY')])
    expect(llms).toContain(path);
});

it('the front page credits a source once, whether or not its attribution begins with "Source:"', () => {
  const facts = ['growthepie.', 'Source: growthepie.'].map((attribution) => ({
    ...factsOf('base', 3),
    sources: [{ name: 'growthepie', licence: 'CC BY 4.0', attribution }],
  }));
  for (const each of facts) {
    const html = frontPage(texts.site, { facts: [each], methodologyVersion: 'v1' }).content(STAMP).text;
    expect(textOf(html)).toContain('licence CC BY 4.0. Attribution: growthepie.');
  }
});

describe('the card of a chain on the front page', () => {
  it('states the confidence in the label', () => {
    expect(pageText('arbitrum', 480)).toMatch(/since \d+ \w+ \d{4}, \d+ days? · confidence [\d.]+ %/);
  });

  it('states no confidence for a day without a label', () => {
    const text = pageText('base', 3);
    expect(text).toContain('Not enough evidence to say.');
    expect(text).toContain('no day has a regime yet');
    expect(text).not.toMatch(/confidence [\d.]+ %/);
  });

  it('names what a chain never publishes, without an alarm', () => {
    expect(pageText('base', 480, ['fee_median', 'gas_used'])).toContain(
      'Missing: median fee and use of block space.',
    );
    expect(pageText('arbitrum', 480)).not.toMatch(/Missing|No regime/);
  });

  it('says since when there is no regime, and what is missing', () => {
    const text = pageText('arbitrum', 480, ['fee_median'], '2023-04-20');
    expect(text).toContain('No regime since 21 April 2023. Missing: median fee.');
  });

  it('shows the last known regime when there is none now, and its day', () => {
    const facts = toChainFacts('base', [], { lastRecords: lastRecords(), points: [] }, []);
    const { runs } = facts.landing;
    const earlier = { label: 'expanding', first: '2023-01-01', last: '2023-06-05' } as const;
    const landing = { ...facts.landing, runs: [earlier, ...runs] };
    const page = frontPage(texts.site, { facts: [{ ...facts, landing }], methodologyVersion: 'v1' });
    const html = page.content(STAMP).text;
    expect(html).toContain('<p class="regime regime-expanding"><span>expanding</span></p>');
    expect(textOf(html)).toContain('the last known regime, on 5 June 2023');
  });
});

/** Returns the records of a chain without a label. */
function lastRecords(): MetaDay[] {
  const series = withoutMetrics(randomSeries({ chain: 'base', seed: 7, days: 3 }), ['fee_median']);
  const { meta } = createDayWriters(series, texts);
  return [meta(2, { revision: STAMP.revision, updatedThrough: series.dates[2] ?? '' })];
}
