import { releasePages } from '../../../../generator/core/pages/release-pages.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { toChartPoint } from '../../../../generator/core/artifacts/chart-data.js';
import { toChainFacts } from '../../../../generator/core/artifacts/chain-facts.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import type { ChainChanges, ReleaseChanges, Site } from '../../../../schemas/types.generated.js';
import { textOf } from '../../../support/pages/html-skeleton.js';
import { randomSeries } from '../../../support/release/random-series.js';
import { readFeed } from '../../../support/release/read-feeds.js';

const STAMP = { revision: '2023-02-05.000001', sequence: 2, publishedAt: '2023-02-05T06:00:00Z' };
const SITE: Site = { name: 'A & B', base_url: 'https://data.example.com' };
const SPAN = { days: 1, first_date: '2023-02-03', last_date: '2023-02-03' };

const chain = (parts: Partial<ChainChanges>): ChainChanges => ({
  updated_through: '2023-02-03',
  new: null,
  restated: null,
  withdrawn: null,
  label_changes: [],
  ...parts,
});
const release = (publishedAt: string, parts: Partial<ReleaseChanges>): ReleaseChanges => ({
  revision: `${publishedAt.slice(0, 10)}.000001`,
  sequence: 1,
  published_at: publishedAt,
  chains: {},
  reason: null,
  rollback: null,
  ...parts,
});

/** Returns the text of the status page and of the page of changes, and the feed. */
async function render(...releases: readonly ReleaseChanges[]): Promise<readonly [string, string, string]> {
  const texts = await readProductTexts(SITE);
  const series = randomSeries({ chain: 'base', seed: 1, days: 40 });
  const { meta } = createDayWriters(series, texts);
  const record = meta(39, { revision: STAMP.revision, updatedThrough: series.dates[39] ?? '' });
  const facts = [toChainFacts('base', [], { lastRecords: [record], points: [toChartPoint(record)] }, [])];
  const options = { facts, hold: null, holds: { base: 'the source moves' }, methodologyVersion: 'v1' };
  const [status = '', changes = '', feed = ''] = releasePages(texts.site, options, releases).map(
    (file) => file.content(STAMP).text,
  );
  return [textOf(status), textOf(changes), feed];
}

it('the status page says which releases came late, and by how much', async () => {
  const chains = { base: chain({ new: SPAN }), ethereum: chain({ new: SPAN }) };
  const [status] = await render(
    release('2023-02-08T06:00:00Z', { chains }),
    release('2023-02-04T06:00:00Z', { chains }),
    release('2023-02-03T06:00:00Z', { reason: 'other words' }),
  );
  expect(status).toMatch(
    /2023-02-08 06:00\s*2023-02-08\.000001\s*2\s*0\s*no: Ethereum 3 February 2023, 3 days late; Base/,
  );
  expect(status).toMatch(/2023-02-04 06:00\s*2023-02-04\.000001\s*2\s*0\s*yes/);
  expect(status).toMatch(/2023-02-03\.000001\s*0\s*0\s*–/);
  expect(status).toContain('Base is on hold: the source moves.');
});

it('the status page counts days with and without a regime, and says how far the regimes reach', async () => {
  const [status] = await render(release('2023-02-08T06:00:00Z', {}));
  expect(status).toMatch(/Data to\s*Regimes to\s*Next day by/);
  expect(status).toMatch(/Days with a regime\s*Days without a regime/);
  expect(status).toContain('A day has no regime if there is too little evidence for one.');
  expect(status).toContain('Base: no day has a regime yet.');
  expect(status).not.toMatch(/complete/i);
});

it('the page of changes gives the reason, the corrected days and the regimes that changed', async () => {
  const labels = [{ date: '2023-02-01', from: 'steady', to: 'quiet' }] as const;
  const corrected = chain({
    restated: { ...SPAN, days: 2, last_date: '2023-02-04' },
    label_changes: [...labels],
  });
  const [, changes] = await render(
    release('2023-02-05T06:00:00Z', { reason: 'the source was corrected', chains: { base: corrected } }),
    release('2023-02-04T06:00:00Z', { rollback: '2023-02-01.000001', hold: 'a bad day' }),
    release('2023-02-03T06:00:00Z', {}),
  );
  for (const words of [
    'Reason: the source was corrected',
    'Base: 2 days corrected, 3 February 2023 to 4 February 2023.',
    'Base: the regime of 1 February 2023 is now quiet, not steady.',
    'Rolled back to revision 2023-02-01.000001.',
    'Publication is on hold: a bad day.',
    'Only files about the data changed. No day changed.',
  ])
    expect(changes).toContain(words);
});

it('the feed is Atom with an entry for each release, newest first', async () => {
  const [, , feed] = await render(
    release('2023-02-05T06:00:00Z', { reason: 'a < b & c' }),
    release('2023-02-04T06:00:00Z', {}),
  );
  const texts = (element: string): string[] =>
    [...feed.matchAll(new RegExp(`<${element}[^>]*>([^<]*)</${element}>`, 'g'))].map(([, text = '']) => text);
  expect(texts('title')).toEqual([
    'A &amp; B: releases',
    'Release 2023-02-05.000001',
    'Release 2023-02-04.000001',
  ]);
  expect(texts('updated')[0]).toBe('2023-02-05T06:00:00Z');
  expect(texts('id').slice(1)).toEqual([
    'tag:chain-reference-data.invalid,2026:release/2023-02-05.000001',
    'tag:chain-reference-data.invalid,2026:release/2023-02-04.000001',
  ]);
  expect(texts('content')[0]).toContain('Reason: a &lt; b &amp; c');
});

it('no two entries of the feed have the same instant, even if releases share a second, and none depends on the others', async () => {
  const at = '2023-02-05T06:00:00Z';
  const releases = [3, 2, 1].map((number) => release(at, { revision: `2023-02-05.00000${number}` }));
  const instantsOf = async (...shown: ReleaseChanges[]): Promise<string[]> =>
    readFeed((await render(...shown))[2]).entries.map(({ updated }) => updated);
  const instants = await instantsOf(...releases);
  expect(instants).toEqual(['2023-02-05T06:00:00.000003Z', '2023-02-05T06:00:00.000002Z', at]);
  expect(await instantsOf(...releases.slice(0, 1))).toEqual(instants.slice(0, 1));
});
