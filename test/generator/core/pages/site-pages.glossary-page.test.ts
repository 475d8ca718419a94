import { glossaryPage } from '../../../../generator/core/pages/site-pages.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { textOf } from '../../../support/pages/html-skeleton.js';

const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };
const { site, glossary } = await readProductTexts();
const html = glossaryPage(site, glossary).content(STAMP).text;

it('has every entry once, in groups of which the long ones are closed', () => {
  const groups = [...html.matchAll(/<details class="group"( open)?>\n<summary><h2 id="([a-z]+)">/g)];
  expect(groups.flatMap(([, open, id]) => (open === undefined ? [] : [id]))).toEqual([
    'label',
    'status',
    'freshness',
    'signal',
  ]);
  expect(groups).toHaveLength(html.match(/<section/g)?.length ?? 0);
  const entries = [...html.matchAll(/<dt id="([^"]+)">/g)].map(([, id = '']) => id);
  expect(entries.sort()).toEqual(glossary.map(({ id }) => id).sort());
});

it('says what "high" and "low" are each time, and keeps the freshness of a chain apart from the status of a day', () => {
  const text = textOf(html);
  for (const words of [
    'high (confidence)',
    'high (level of an axis',
    'low (confidence)',
    'low (level of an axis',
  ])
    expect(text).toContain(words);
  const section = html.slice(html.indexOf('<h2 id="status">'), html.indexOf('<h2 id="freshness">'));
  expect(section).toContain('id="status.degraded"');
  expect(section).not.toContain('id="freshness.');
});
