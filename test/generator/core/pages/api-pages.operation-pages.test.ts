import { operationPages } from '../../../../generator/core/pages/api-pages.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { operationPath } from '../../../../schemas/paths.js';

const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };
const { site } = await readProductTexts();
const pages = operationPages(site).map((file) => ({ path: file.path, html: file.content(STAMP).text }));
const captionsOf = (html: string): string[] =>
  [...html.matchAll(/<caption>([^<]*)/g)].map(([, caption = '']) => caption);

it('have no column for the meaning of members when no member has one', () => {
  const html = pages.find(({ path }) => path === operationPath('getRelease'))?.html ?? '';
  const members = html.slice(html.indexOf('<details'), html.indexOf('</details>'));
  expect(members).toContain('<th scope="col">Type</th></tr>');
  for (const page of pages) {
    const tables = page.html.match(/<table>[^]*?<\/table>/g) ?? [];
    for (const table of tables.filter((each) => each.includes('>Meaning</th>')))
      expect([page.path, /<td class="meaning">[^<]*[^<\s]|<td class="meaning"><[^/]/.test(table)]).toEqual([
        page.path,
        true,
      ]);
  }
});

it('say what a table shows once, and not again as its caption', () => {
  for (const { path, html } of pages) {
    expect([path, captionsOf(html).filter((caption) => caption === 'Responses')]).toEqual([path, []]);
    const summaries = [...html.matchAll(/<summary>Members of <code>([^<]*)/g)].map(([, name = '']) => name);
    for (const name of summaries) expect(captionsOf(html)).not.toContain(`Members of ${name}`);
  }
});
