import { readFileSync } from 'node:fs';
import { compileErrorPage, toErrorView, type ErrorFacts } from '../../../../gateway/core/http/error-page.js';
import { GatewayError, PROBLEMS, toProblem, type ProblemCode } from '../../../../gateway/core/problems.js';

const TEMPLATE = readFileSync(new URL('../../../../templates/pages/error.html.hbs', import.meta.url), 'utf8');
const render = compileErrorPage(TEMPLATE, '/account/style.css');
const FILE = '/api/v1/files/gold/base/latest.json';

const factsOf = (code: ProblemCode, path: string, detail?: string): ErrorFacts => ({
  problem: toProblem(new GatewayError(code, detail === undefined ? {} : { detail }), 'request-1'),
  path,
  query: '',
  canRetry: false,
  origin: 'https://data.example.com',
  site: { name: 'A & B', base_url: 'https://data.example.com' },
  publicPaths: new Set(['/', '/docs', '/chains/base', '/api/v1/summary/base']),
});

it.each(Object.keys(PROBLEMS) as ProblemCode[])(
  'says of %s what to do, without a part for programs',
  (code) => {
    const html = render(factsOf(code, '/api/v1/keys'));
    expect(html).toContain(`<h1><small>${PROBLEMS[code].status}</small> ${PROBLEMS[code].title}</h1>`);
    expect(html).toContain('<strong>What to do:</strong> ');
    expect(html).toContain(`<a href="/problems/${code}">`);
    expect(html).toContain('request-1');
    expect(html).not.toMatch(/`|undefined|<p class="lead"><\/p>|<script|<style| style=/);
  },
);

it.each(['"><script>alert(1)</script>', "'onload=alert(1) x='", '<img src=x>', '{{title}}', '&lt;b&gt;'])(
  'shows the path %s only as text',
  (hostile) => {
    const html = render(factsOf('not-found', `/${hostile}`, `No ${hostile}.`));
    expect(html).not.toContain('<script');
    expect(html).not.toContain('<img');
    expect(html.replace(/<dd>.*<\/dd>|<p>.*<\/p>/g, '')).not.toMatch(/alert|onload|&lt;b/);
  },
);

it('cuts a long path', () => {
  const html = render(factsOf('not-found', `/${'a'.repeat(8_000)}`));
  expect(html.length).toBeLessThan(4_000);
});

it('shows the command for exactly this subscriber file, which sends the key only to the gateway', () => {
  const [download] = toErrorView(factsOf('api-key-missing', FILE)).download;
  expect(download?.command).toBe(
    `curl -sSL --fail-with-body -H "Authorization: Bearer $CRD_API_KEY" 'https://data.example.com${FILE}'`,
  );
  expect(toErrorView(factsOf('api-key-missing', '/api/v1/keys')).download).toEqual([]);
  expect(toErrorView(factsOf('store-unavailable', FILE)).download).toEqual([]);
  expect(toErrorView(factsOf('not-entitled', FILE)).download).toEqual([]);
  expect(toErrorView({ ...factsOf('api-key-missing', FILE), origin: undefined }).download).toEqual([]);
});

it('keeps a path with a quote inside the quotes of the command', () => {
  const [download] = toErrorView(factsOf('api-key-missing', `${FILE}';touch x;'`)).download;
  expect(download?.command).toContain(`'https://data.example.com${FILE}%27;touch x;%27'`);
});

it.each([
  ['revision=2023-09-27.000001', '?revision=2023-09-27.000001'],
  ["revision=2023-09-27.000001=';touch x;'", '?revision=2023-09-27.000001'],
  ["revision=';touch x;'", ''],
  ['utm_source=x', ''],
])('adds to the command nothing of the query %s but a valid revision', (query, kept) => {
  const [download] = toErrorView({ ...factsOf('api-key-missing', FILE), query }).download;
  expect(download?.command).toContain(`'https://data.example.com${FILE}${kept}'`);
});

it('lists the chains that exist in the place of an unknown one', () => {
  const { parts, nearest } = toErrorView(factsOf('not-found', '/chains/dogecoin'));
  expect([parts, nearest]).toEqual([
    [{ name: 'chain', values: [{ value: 'base', path: '/chains/base' }] }],
    [],
  ]);
});

it('suggests the nearest paths, and always the front page and the documentation', () => {
  const suggestions = (path: string) => {
    const { nearest, actions } = toErrorView(factsOf('not-found', path));
    return [nearest[0]?.paths[0]?.path, ...actions.map(({ href }) => href)];
  };
  expect(suggestions('/chain/base')).toEqual(['/chains/base', '/', '/docs']);
  expect(suggestions('/api/v1/files/gold/base/manifest')).toEqual([
    '/api/v1/files/gold/base/manifest.json',
    '/',
    '/docs',
  ]);
  expect(suggestions('/wp-admin/setup-config.php')).toEqual([undefined, '/', '/docs']);
});

it('explains an unknown address and a limit without words for programs', () => {
  const unknown = render(factsOf('not-found', '/doc'));
  expect(unknown).toContain('Nothing is published at this address.');
  expect(unknown).not.toContain('the resource is not yours');
  const detail = 'The limit is 60 requests per minute for each address without a valid key. Wait 57 s.';
  const limited = render(factsOf('rate-limited', '/docs', detail));
  expect(limited).toContain('Wait 57 s.');
  expect(limited).not.toContain('Retry-After');
});

it('has the name of the site in its title and header', () => {
  const html = render(factsOf('not-found', '/doc'));
  expect(html).toContain('<title>404: Not found · A &amp; B</title>');
  expect(html).toContain('<a class="brand" href="/">A &amp; B</a>');
});

it('offers to try again only if that can help', () => {
  const names = (canRetry: boolean) =>
    toErrorView({ ...factsOf('rate-limited', '/docs'), canRetry }).actions.map(({ name }) => name);
  expect(names(true)).toEqual(['Try again', 'Read the documentation']);
  expect(names(false)).toEqual(['Read the documentation']);
});
