import { renderMarkdown } from '../../../../generator/core/pages/markdown-html.js';
import { methodologyPage } from '../../../../generator/core/pages/site-pages.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';

const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };
const { site, methodology, methodologyText } = await readProductTexts();
const html = methodologyPage(site, methodology, methodologyText).content(STAMP).text;

it('explains the idea first, then gives the text, and lists all thresholds last', () => {
  const places = [
    '<h1',
    'two questions are asked of a chain',
    'Design goals',
    'id="0-arithmetic"',
    'id="thresholds"',
  ];
  const found = places.map((place) => html.indexOf(place));
  expect(found).not.toContain(-1);
  expect(found).toEqual([...found].sort((a, b) => a - b));
});

it('links the files that the text names, but no path with a placeholder', () => {
  for (const path of ['/api/v1/methodology/v1.md', '/api/v1/thresholds/defaults', '/api/v1/glossary'])
    expect(html).toContain(`<a href="${path}"><code>${path}</code></a>`);
  expect(html).not.toMatch(/href="[^"]*[[\]]/);
});

it('makes headers of the first cells of a table with an empty corner, and of no other', () => {
  const corner = String(renderMarkdown('|  | low |\n|---|---|\n| demand | quiet |\n').opening);
  expect(corner).toContain('<th scope="row">demand</th>');
  expect(corner).toContain('<td>quiet</td>');
  const plain = String(renderMarkdown('| a | low |\n|---|---|\n| demand | quiet |\n').opening);
  expect(plain).toContain('<td>demand</td>');
});
