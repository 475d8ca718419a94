import { siteFiles } from '../../../../generator/core/draft/site.js';
import { methodologyPage, thresholdTables } from '../../../../generator/core/pages/site-pages.js';
import { renderMarkdown } from '../../../../generator/core/pages/markdown-html.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { EXAMPLE_NAMES, GUIDE_NAMES, type GuideName } from '../../../../schemas/catalog.js';
import {
  ACCOUNT_PATHS,
  examplePath,
  exampleViewPath,
  guidePath,
  operationPath,
  PAGE_PATHS,
  problemPath,
  PUBLIC_PATHS,
} from '../../../../schemas/paths.js';
import { openApiDocument } from '../../../../schemas/openapi.js';
import { PROBLEMS } from '../../../../schemas/problems.js';
import { attributesOf, skeletonOf, textOf } from '../../../support/pages/html-skeleton.js';

type Node = { readonly [name: string]: Node };

const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };
const texts = await readProductTexts();
const { site, methodology, methodologyText } = texts;
const document = openApiDocument() as unknown as Node; // its members are looked up by name

/** The HTML of each page of the documentation, by its path. */
const DOCS: ReadonlyMap<string, string> = new Map(
  siteFiles(texts)
    .filter(({ path }) => path === PAGE_PATHS.docs || path.startsWith(`${PAGE_PATHS.docs}/`))
    .map((page) => [page.path, page.content(STAMP).text]),
);
const htmlOf = (path: string): string => DOCS.get(path) ?? '';

/** Paths that other parts of a release or the gateway serve. */
const ELSEWHERE: readonly string[] = [
  PAGE_PATHS.front,
  PAGE_PATHS.chains,
  PAGE_PATHS.pricing,
  PAGE_PATHS.status,
  PAGE_PATHS.changes,
  PAGE_PATHS.feed,
  ACCOUNT_PATHS.page,
  PUBLIC_PATHS.release,
  PUBLIC_PATHS.openapi,
  ...EXAMPLE_NAMES.map(examplePath),
];

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
    'has a page with the path, parameters, responses, headers and security of %s',
    (name, { path, method, operation, get }) => {
      const owner = method === 'head' ? wordOf(get?.['operationId']) : name;
      const page = htmlOf(operationPath(owner));
      expect(page).toContain(`<code>${path}</code>`);
      expect(page).toContain(`<code>${name}</code>`);
      for (const parameter of Object.values(operation['parameters'] ?? {}).map(resolve)) {
        expect(page).toContain(`<code>${wordOf(parameter['name'])}</code>`);
      }
      for (const [status, answer] of Object.entries(operation['responses'] ?? {})) {
        expect(page).toContain(`>${status}</th>`);
        const { content = {}, headers = {} } = resolve(answer);
        for (const media of Object.keys(content)) expect(page).toContain(media);
        for (const header of Object.keys(headers)) expect(page).toContain(`<code>${header}</code>`);
      }
      for (const scheme of Object.values(operation['security'] ?? {}).flatMap((each) => Object.keys(each))) {
        expect(page).toContain(scheme);
      }
      if (method !== 'head') {
        expect(htmlOf(PAGE_PATHS.api)).toContain(`href="${operationPath(name)}"`);
        expect(textOf(page)).toMatch(new RegExp(`curl -sS[^]*${path.replace(/\{.*/, '')}`));
      }
    },
  );

  it('has a sample of every response that the document has an example of', () => {
    for (const { method, operation } of OPERATIONS.filter((each) => each.method !== 'head')) {
      const answers = Object.entries(operation['responses'] ?? {}).filter(([status]) => /^2/.test(status));
      const contents = answers.flatMap(([, answer]) => Object.values(resolve(answer)['content'] ?? {}));
      if (!contents.some((each) => each['examples'] !== undefined || each['example'] !== undefined)) continue;
      const name = wordOf(operation['operationId']);
      expect([method, name, htmlOf(operationPath(name))]).toEqual([
        method,
        name,
        expect.stringContaining('aria-label="Response 20'),
      ]);
    }
  });

  it('has a sample of the file, if the response is a link to it', () => {
    for (const [operation, schema] of [
      ['getBundle', 'bundle'],
      ['getManifest', 'manifest'],
      ['getDay', 'derived-day'],
      ['getBrief', 'brief-day'],
    ] as const)
      expect(htmlOf(operationPath(operation))).toContain(`aria-label="The file: ${schema}, sample"`);
  });

  it('shows every schema with its members, and every header, problem and security scheme', () => {
    const { schemas = {}, headers = {}, securitySchemes = {} } = document['components'] ?? {};
    const page = htmlOf(PAGE_PATHS.apiSchemas);
    for (const [name, schema] of Object.entries(schemas)) {
      const from = page.indexOf(`id="schema-${name.replaceAll('.', '-')}"`);
      expect([name, from < 0]).toEqual([name, false]);
      const section = page.slice(from, page.indexOf('</details>', from));
      for (const member of Object.keys(schema['properties'] ?? {}))
        expect(section).toContain(`<code>${member}</code>`);
    }
    const index = htmlOf(PAGE_PATHS.api);
    const ids = new Set(attributesOf(index, 'id'));
    for (const name of Object.keys(headers)) expect(ids).toContain(`header-${name.toLowerCase()}`);
    for (const name of Object.keys(securitySchemes)) expect(textOf(index)).toContain(name);
    for (const code of Object.keys(PROBLEMS)) expect(index).toContain(`href="${problemPath(code as never)}"`);
  });

  it('shows the conditions of a schema that its members do not show, as JSON Schema', () => {
    const page = htmlOf(PAGE_PATHS.apiSchemas);
    const shown = [...page.matchAll(/<pre[^>]*aria-label="Conditions of [^"]*"><code>([^<]*)/g)].map(
      ([, json = '']) => textOf(json),
    );
    expect(shown.length).toBeGreaterThan(3);
    for (const json of shown) expect(Object.keys(JSON.parse(json) as object).length).toBeGreaterThan(0);
  });
});

describe('the documentation', () => {
  const fromSite = new Map(siteFiles(texts).map(({ path }) => [path, DOCS.get(path) ?? null]));

  it.each([...DOCS.keys()])('has unique ids, and only links to what exists, on %s', (path) => {
    const page = htmlOf(path);
    const ids = attributesOf(page, 'id');
    expect(new Set(ids).size).toBe(ids.length);
    for (const href of attributesOf(page, 'href')) {
      const [target = '', fragment] = href.split('#');
      if (target !== '' && !fromSite.has(target)) expect(ELSEWHERE).toContain(target);
      const html = target === '' ? page : fromSite.get(target);
      if (fragment !== undefined && html !== null && html !== undefined)
        expect([href, attributesOf(html, 'id')]).toEqual([href, expect.arrayContaining([fragment])]);
    }
    expect(skeletonOf(page).filter((tag) => /script|style/.test(tag))).toEqual([
      'script src defer fetchpriority',
      '/script',
    ]);
  });

  it.each(Object.entries(site.guides))('shows all code of the guide %s, from its files', (name, guide) => {
    const path = name === 'quickstart' ? PAGE_PATHS.docs : guidePath(name as GuideName);
    const shown = textOf(htmlOf(path));
    expect(guide.codes.length).toBeGreaterThan(5);
    for (const { file, text } of guide.codes)
      expect([file, shown]).toEqual([file, expect.stringContaining(text.trimEnd())]);
    for (const tab of ['python', 'curl', 'javascript']) expect(htmlOf(path)).toContain(`data-tab="${tab}"`);
    const blocks = htmlOf(path).match(/<pre data-copy/g) ?? [];
    expect(blocks).toHaveLength(guide.codes.length);
  });

  it.each(site.examples.map(({ name, text }) => [name, text] as const))(
    'shows the example %s, to copy and to download',
    (name, text) => {
      const page = htmlOf(exampleViewPath(name));
      expect(textOf(page)).toContain(text.trimEnd());
      expect(page).toContain(`href="${examplePath(name)}" download="${name}"`);
    },
  );

  it('is listed on each of its pages, which mark themselves', () => {
    const listed = [
      PAGE_PATHS.docs,
      PAGE_PATHS.api,
      PAGE_PATHS.apiSchemas,
      ...GUIDE_NAMES.map(guidePath),
      ...EXAMPLE_NAMES.map(exampleViewPath),
    ];
    for (const [path, page] of DOCS) {
      const list = page.slice(
        page.indexOf('<nav class="docs-list"'),
        page.indexOf('</nav>', page.indexOf('docs-list')),
      );
      expect(attributesOf(list, 'href').sort()).toEqual([...listed].sort());
      expect([path, list.includes(`href="${path}" aria-current="page"`)]).toEqual([
        path,
        listed.includes(path as never),
      ]);
    }
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
