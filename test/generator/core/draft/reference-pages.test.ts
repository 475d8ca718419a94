import { docsPage } from '../../../../generator/core/pages/api/docs-page.js';
import { methodologyPage } from '../../../../generator/core/pages/methodology-page.js';
import { renderMarkdown } from '../../../../generator/core/pages/markdown-html.js';
import { thresholdTables } from '../../../../generator/core/pages/threshold-tables.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { openApiDocument } from '../../../../schemas/openapi.js';
import { PROBLEMS } from '../../../../schemas/problems.js';
import { attributesOf, skeletonOf, textOf } from '../../../support/pages/html-skeleton.js';

type Node = { readonly [name: string]: Node };

const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };
const { site, methodology, methodologyText } = await readProductTexts();
const document = openApiDocument() as unknown as Node; // its members are looked up by name
const docs = docsPage(site).content(STAMP).text;
const text = textOf(docs).replace(/\s+/g, ' ');

/** Returns the HTML of an operation's section; '' if the page does not contain it. */
function sectionOf(operation: string): string {
  const from = docs.indexOf(`id="operation-${operation}"`);
  return from < 0 ? '' : docs.slice(from, docs.indexOf('</article>', from));
}

/** Returns the node if it is a string, otherwise ''. */
const wordOf = (node: Node | undefined): string => (typeof node === 'string' ? node : '');

const resolve = (node: Node | undefined): Node => {
  const ref = node?.['$ref'] as unknown;
  if (typeof ref !== 'string') return node ?? {};
  return resolve(
    ref
      .slice(2)
      .split('/')
      .reduce<Node | undefined>((at, part) => at?.[part], document),
  );
};

const OPERATIONS = Object.entries(document['paths'] ?? {}).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => ({ path, method, operation, get: item['get'] })),
);

describe('the API reference', () => {
  it.each(OPERATIONS.map((each) => [wordOf(each.operation['operationId']), each] as const))(
    'shows the path, parameters, responses, headers and security of %s',
    (name, { path, method, operation, get }) => {
      const own = sectionOf(name);
      const section = own === '' && method === 'head' ? sectionOf(wordOf(get?.['operationId'])) : own;
      expect(section).toContain(`<code>${path}</code>`);
      expect(section).toContain(`<code>${name}</code>`);
      for (const parameter of Object.values(operation['parameters'] ?? {}).map(resolve)) {
        expect(section).toContain(`<code>${wordOf(parameter['name'])}</code>`);
      }
      for (const [status, answer] of Object.entries(operation['responses'] ?? {})) {
        expect(section).toContain(`>${status}</th>`);
        const { content = {}, headers = {} } = resolve(answer);
        for (const media of Object.keys(content)) expect(section).toContain(media);
        for (const header of Object.keys(headers)) expect(section).toContain(`<code>${header}</code>`);
      }
      for (const scheme of Object.values(operation['security'] ?? {}).flatMap((each) => Object.keys(each))) {
        expect(section).toContain(scheme);
      }
    },
  );

  it('shows every schema with its members, and every header, problem and security scheme', () => {
    const { schemas = {}, headers = {}, securitySchemes = {} } = document['components'] ?? {};
    const ids = new Set(attributesOf(docs, 'id'));
    for (const [name, schema] of Object.entries(schemas)) {
      expect(ids).toContain(`schema-${name.replaceAll('.', '-')}`);
      const from = docs.indexOf(`id="schema-${name.replaceAll('.', '-')}"`);
      const section = docs.slice(from, docs.indexOf('</section>', from));
      for (const member of Object.keys(schema['properties'] ?? {}))
        expect(section).toContain(`<code>${member}</code>`);
    }
    for (const name of Object.keys(headers)) expect(ids).toContain(`header-${name.toLowerCase()}`);
    for (const name of Object.keys(securitySchemes)) expect(text).toContain(name);
    for (const code of Object.keys(PROBLEMS)) expect(docs).toContain(`href="/problems/${code}"`);
  });

  it('has unique ids, and a target for each of its internal links', () => {
    const ids = attributesOf(docs, 'id');
    expect(new Set(ids).size).toBe(ids.length);
    for (const href of attributesOf(docs, 'href'))
      if (href.startsWith('#')) expect(ids).toContain(href.slice(1));
    expect(skeletonOf(docs).filter((tag) => /script|style/.test(tag))).toEqual([
      'script src defer',
      '/script',
    ]);
  });

  it('shows the conditions of a schema that its members do not show, as JSON Schema', () => {
    expect(text).toContain('Conditions of gold-day');
    const shown = [...docs.matchAll(/<pre[^>]*aria-label="Conditions of [^"]*"><code>([^<]*)/g)].map(
      ([, json = '']) => textOf(json),
    );
    expect(shown.length).toBeGreaterThan(3);
    for (const json of shown) expect(Object.keys(JSON.parse(json) as object).length).toBeGreaterThan(0);
  });
});

describe('the methodology page', () => {
  const html = methodologyPage(site, methodology, methodologyText).content(STAMP).text;

  it('has an anchor for each heading, and a table of contents that links to the sections', () => {
    const { headings } = renderMarkdown(methodologyText);
    const ids = attributesOf(html, 'id');
    expect(headings.length).toBeGreaterThan(10);
    for (const { id } of headings) expect(ids).toContain(id);
    expect(new Set(ids).size).toBe(ids.length);
    for (const { id, level } of headings)
      if (level === 2) expect(attributesOf(html, 'href')).toContain(`#${id}`);
  });

  it('shows exactly the numbers of the data', () => {
    const numbers: number[] = [];
    const { quantities: _formulas, ...thresholds } = methodology;
    JSON.stringify(thresholds, (_key, value: unknown) => {
      if (typeof value === 'number') numbers.push(value);
      return value;
    });
    const rows = thresholdTables(methodology).flatMap(({ rows: own }) => own);
    const shown = rows.map(({ value }) => value).filter((value) => /^-?[\d.e-]+$/.test(value));
    expect(shown.sort()).toEqual(numbers.map(String).sort());
    for (const { name, value } of rows)
      expect(html).toMatch(new RegExp(`<code>${name}</code></th><td class="number">${value}<`));
  });

  it('gives two headings with the same text different ids', () => {
    const { headings } = renderMarkdown('# A b\n\n## A b\n\n### A, b!\n\n## Ü\n');
    expect(headings.map(({ id }) => id)).toEqual(['a-b', 'a-b-2', 'a-b-3', 'part']);
  });
});
