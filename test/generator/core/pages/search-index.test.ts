import { gzipSync } from 'node:zlib';
import { siteFiles } from '../../../../generator/core/draft/site.js';
import { pricingPage } from '../../../../generator/core/pages/pricing-page.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { ACCOUNT_PATHS, PAGE_PATHS, PUBLIC_PATHS } from '../../../../schemas/paths.js';
import {
  createFinder,
  dateIn,
  impossibleDateIn,
  parseIndex,
  placesOfDate,
  snippetOf,
} from '../../../../templates/browser/search-places.js';

const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };
const product = await readProductTexts();
const texts = new Map(
  [...siteFiles(product), pricingPage(product.site, undefined)].map((file) => [
    file.path,
    file.content(STAMP).text,
  ]),
);
const index = texts.get(PAGE_PATHS.searchIndex) ?? '';
const places = parseIndex(index);

describe('the index of the search', () => {
  it('leads to places that exist, each with a title and a text', () => {
    const dynamic = [PAGE_PATHS.front, PAGE_PATHS.status, PAGE_PATHS.changes, ACCOUNT_PATHS.page] as string[];
    for (const [title, page, target, text] of places) {
      const [path = '', anchor] = target.split('#');
      const html = dynamic.includes(path) || path.startsWith(PAGE_PATHS.chains) ? '' : texts.get(path);
      expect([target, html === undefined]).toEqual([target, false]);
      if (anchor !== undefined) expect([target, html?.includes(`id="${anchor}"`)]).toEqual([target, true]);
      expect([target, title, page, text].includes('')).toBe(false);
    }
    expect(places.length).toBeGreaterThan(600);
  });

  it('has the words of the pages, as a reader sees them', () => {
    expect(index).not.toMatch(/&(?:amp|lt|gt|quot|#x\d+);|<\/|<(?:p|a|code|em|li)\b/);
  });

  it('is small', () => {
    expect(gzipSync(index).length).toBeLessThan(50_000);
  });
});

describe('a search', () => {
  const find = createFinder(places);
  it.each([
    ['look-ahead', '/docs/guides/join'],
    ['lookahead', '/docs/guides/join'],
    ['backfilled', '/docs/guides/join#exclude-backfilled-labels'],
    ['dormant', '/glossary#label.dormant'],
    ['verify', '/verify'],
    ['verfy', '/verify'],
    ['tx_count', '/glossary#signal.tx_count'],
    ['cancel my plan', '/pricing'],
    ['429', '/problems/rate-limited'],
    ['halving', '/chains/bitcoin/metrics'],
    ['the merge', '/chains/ethereum/metrics'],
    ['arbitrum fees chart', '/chains/arbitrum/metrics'],
    ['embed', '/chains/base/metrics'],
    ['base metrics', '/chains/base/metrics'],
    ['rss', '/docs/guides/revisions#follow-a-chain-in-a-feed-reader'],
    ['email alerts', '/docs/guides/revisions#follow-a-chain-in-a-feed-reader'],
    ['point in time', '/docs/guides/join'],
    ['refund', '/pricing#questions'],
    ['redistribute', '/pricing#questions'],
    ['excel', '/docs/guides/tools#other-tools'],
    ['jupyter', PUBLIC_PATHS.starterNotebook],
  ])('for "%s" finds %s among the first three', (query, path) => {
    expect(find(query, 3).map((place) => place.path)).toContain(path);
  });

  it('marks the words in a part of the text around the first one', () => {
    const text = `${'before '.repeat(60)}the label was dormant for a day ${'after '.repeat(60)}`;
    const parts = snippetOf(text, 'Dormant (label)');
    expect(parts.filter(({ isFound }) => isFound).map((part) => part.text)).toEqual(['label', 'dormant']);
    expect(parts.map((part) => part.text).join('').length).toBeLessThan(190);
    expect(snippetOf('a short text', '+*[')).toEqual([{ text: 'a short text', isFound: false }]);
  });
});

describe('a date in a search', () => {
  it.each([
    ['2024-04-20', '2024-04-20'],
    ['bitcoin 2024-04-20', '2024-04-20'],
    ['20 April 2024', '2024-04-20'],
    ['Apr 20, 2024', '2024-04-20'],
    ['1st may 2021', '2021-05-01'],
    ['April 20th, 2024', '2024-04-20'],
    ['2024/04/20', '2024-04-20'],
    ['ethereum 2024/4/5', '2024-04-05'],
    ['20240420', '2024-04-20'],
    ['20.04.2024', '2024-04-20'],
    ['2024/04-20', undefined],
    ['04/05/2024', undefined], // of May or of April
    ['202404', undefined],
    ['2024-02-30', undefined],
    ['april 2024', undefined],
    ['ma 3 2024', undefined],
    ['sha256', undefined],
  ])('of "%s" is %s', (query, date) => {
    expect(dateIn(query)).toBe(date);
  });

  it('of a day that does not exist is named as such', () => {
    const named = [
      '2023-06-31',
      'base 2024-02-30',
      '2023/6/31',
      '31.06.2023',
      '31 June 2023',
      'Feb 30th, 2024',
    ];
    expect(named.map(impossibleDateIn)).toEqual([
      '2023-06-31',
      '2024-02-30',
      '2023-06-31',
      '2023-06-31',
      '2023-06-31',
      '2024-02-30',
    ]);
    const others = ['2024-02-29', '29.02.2024', '20 April 2024', 'april 2024', 'top 50 march 2024'];
    const numbers = ['sha256', '12345678', '202404', '04/05/2024', 'eip 1559 2021'];
    expect([...others, ...numbers].flatMap((query) => impossibleDateIn(query) ?? [])).toEqual([]);
  });

  it('leads to the pages of the chains that have the day', () => {
    const chains = {
      bitcoin: {
        updated_through: '2024-04-30',
        days: { available: 20, degraded: 0, missing: 9, withdrawn: 1 },
      },
      base: { updated_through: '2024-04-19', days: { available: 1 } },
    };
    const pathsOf = (query: string): string[] =>
      placesOfDate(dateIn(query) ?? '', chains, query).map(({ path }) => path);
    expect(pathsOf('Base 2024-04-19')).toEqual(['/chains/base/2024-04-19', '/chains/bitcoin/2024-04-19']);
    expect(pathsOf('2024-04-19')).toEqual(['/chains/bitcoin/2024-04-19', '/chains/base/2024-04-19']);
    expect(pathsOf('2024-04-01')).toEqual(['/chains/bitcoin/2024-04-01']);
    expect(['2024-03-31', '2024-05-01'].flatMap(pathsOf)).toEqual([]);
  });
});
