import { readFileSync } from 'node:fs';
import { docsPage } from '../../../../generator/core/pages/docs-pages.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { assembleAccountPage } from '../../../../gateway/core/http/account-page.js';
import { compileErrorPage } from '../../../../gateway/core/http/error-page.js';
import { GatewayError, toProblem } from '../../../../gateway/core/problems.js';

const SITE = {
  name: 'Data <of> "Example"',
  base_url: 'https://data.example.com',
  contact: 'data@example.com',
  terms_url: 'https://example.com/terms',
  privacy_url: 'https://example.com/privacy',
  publisher: 'Example & Sons',
  notice: 'Sample data, on purpose.',
};
const STAMP = { revision: '2026-08-20.000001', sequence: 1, publishedAt: '2026-08-20T06:00:00Z' };
const readTemplate = (name: string): string =>
  readFileSync(new URL(`../../../../templates/pages/${name}`, import.meta.url), 'utf8');

const page = assembleAccountPage({ html: readTemplate('account.html.hbs'), css: '', script: '' }, []);
const account = new TextDecoder().decode(page.html(SITE));
const error = compileErrorPage(
  readTemplate('error.html.hbs'),
  '/account/style.css',
)({
  problem: toProblem(new GatewayError('not-found'), 'request-1'),
  path: '/doc',
  query: '',
  canRetry: false,
  origin: undefined,
  site: SITE,
  publicPaths: new Set<string>(),
});

/** Returns the paths and names of the links in a part of a page. */
function linksIn(part: 'header' | 'footer', html: string): string[] {
  const text = html.slice(html.indexOf(`<${part}`), html.indexOf(`</${part}>`));
  return [...text.matchAll(/href="([^"]*)"[^>]*>([^<]*)</g)].map(
    ([, path = '', name = '']) => `${path} ${name}`,
  );
}

it('the account page and the pages of problems have the header, the notice and the footer of the published pages', async () => {
  const { site } = await readProductTexts(SITE);
  const docs = docsPage(site).content(STAMP).text;
  expect(linksIn('header', docs)).toContain('/account Account');
  expect(linksIn('footer', docs)).toContain('/status Status');
  expect(linksIn('footer', docs)).toContain('mailto:data@example.com Contact');
  for (const part of ['header', 'footer'] as const) {
    expect(linksIn(part, account)).toEqual(linksIn(part, docs));
    expect(linksIn(part, error)).toEqual(linksIn(part, docs));
  }
  for (const html of [docs, account, error]) {
    expect(html).toContain('<p class="notice">Sample data, on purpose.</p>');
    expect(html).toContain('Published by Example &amp; Sons.');
  }
});

it('the account page has the name of the site in its title, as text', () => {
  expect(account).toContain('<title>Account · Data &lt;of&gt; &quot;Example&quot;</title>');
  expect(account).not.toContain('<of>');
  expect(account).toContain('<a href="/account" aria-current="page">');
});
