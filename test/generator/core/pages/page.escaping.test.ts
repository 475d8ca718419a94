import { CHAIN_IDS } from '../../../../schemas/catalog.js';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import fc from 'fast-check';
import { compileHtmlTemplates, trustHtml } from '../../../../generator/core/text/text-template.js';
import { chainPage } from '../../../../generator/core/pages/chain-page.js';
import { examplePages, guidePages } from '../../../../generator/core/pages/docs-pages.js';
import { frontPage } from '../../../../generator/core/pages/front-page.js';
import { renderMarkdown, renderMarkdownLine } from '../../../../generator/core/pages/markdown-html.js';
import { toChainFacts } from '../../../../generator/core/artifacts/chain-facts.js';
import { toChartPoint } from '../../../../generator/core/artifacts/chart-data.js';
import { createDayWriters } from '../../../../generator/core/records/day-writers.js';
import { readProductTexts } from '../../../../generator/texts/product-texts.js';
import { SAMPLE_PATHS } from '../../../../schemas/release-paths.js';
import type { MetaDay, SourceSegment } from '../../../../schemas/types.generated.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import { readCurrent } from '../../../support/release/read-release.js';
import { publishSeries } from '../../../support/release/publish-series.js';
import { randomSeries } from '../../../support/release/random-series.js';
import { seriesStatistics } from '../../../support/release/series-statistics.js';
import { attributesOf, skeletonOf, textOf } from '../../../support/pages/html-skeleton.js';

const FOLDER = path.join(import.meta.dirname, '../../../../templates/pages');
const STAMP = { revision: '2023-02-05.000001', sequence: 1, publishedAt: '2023-02-05T06:00:00Z' };
const texts = await readProductTexts();
const { methodology, site } = texts;

const series = randomSeries({ chain: 'base', seed: 3, days: 40 });
const { meta } = createDayWriters(series, texts);
const records = Array.from({ length: 30 }, (_, i): MetaDay =>
  meta(10 + i, { revision: STAMP.revision, updatedThrough: series.dates[39] ?? '' }),
);

const points = records.map(toChartPoint);

/** Texts that an attacker might use to change a page or to run code in it. */
const PLANTED = [
  '<script>alert(1)</script>',
  '"><img src=x onerror=alert(1)>',
  "' autofocus onfocus='alert(1)",
  '</li></ul></main><h1>Other</h1>',
  '{{headline}}{{{hash}}}{{#each days}}',
  '&lt;b&gt; &amp; &#60;i&#62;',
  '<!-- --><![CDATA[ ]]>',
  '=HYPERLINK("http://evil.example","x")',
  '`code` **bold** [a](javascript:alert(1)) | a | b |',
  'javascript:alert(1)',
];
const hostile = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.constantFrom(...PLANTED),
    fc
      .array(
        fc.constantFrom(
          ...PLANTED,
          '<',
          '>',
          '"',
          "'",
          '&',
          '=',
          '`',
          '/',
          ' ',
          'a',
          '{{',
          '}}',
          '\u{1F600}',
          'é',
        ),
        { minLength: 1, maxLength: 8 },
      )
      .map((parts) => parts.join('')),
    fc.string({ minLength: 1, unit: 'grapheme' }),
  );

const statistics = seriesStatistics(series, methodology);

function chainHtml(sources: readonly SourceSegment[]): string {
  const options = { records, points, statistics, lastAvailable: null, methodology, sources };
  return chainPage(site, 'base', options).content(STAMP).text;
}

describe('hostile text in sources.json', () => {
  it('is shown on the chain page as text and adds no tags', () => {
    const plain = chainHtml([{ name: 'x', licence: 'x', attribution: 'x', notes: 'x' }]);
    fc.assert(
      fc.property(hostile(), hostile(), hostile(), hostile(), (name, licence, attribution, notes) => {
        const html = chainHtml([{ name, licence, attribution, notes }]);
        expect(skeletonOf(html)).toEqual(skeletonOf(plain));
        for (const shown of [name, `Licence: ${licence}`, `Attribution: ${attribution}`, `Notes: ${notes}`]) {
          expect(textOf(html)).toContain(shown);
        }
      }),
    );
  });

  it('does not change the calendar, the weekly summaries, the methodology text, the SQL or the files for crawlers', async () => {
    const digestsWith = async (words: string): Promise<string[][]> => {
      const store = createMemoryStore();
      const sources = [{ name: words, licence: words, attribution: words, url: words, notes: words }];
      await publishSeries(store, { inputs: [{ ...series, sources }], asOf: '2022-06-01' });
      const { public: files } = await readCurrent(store);
      return Object.entries(files)
        .filter(
          ([file, { type }]) =>
            /^text\/(csv|plain|markdown)/.test(type) &&
            !file.includes('/examples/') &&
            !SAMPLE_PATHS.includes(file), // records, which name their source
        )
        .map(([file, { sha256 }]) => [file, sha256]);
    };
    const plain = await digestsWith('x');
    const archives = plain.filter(([file = '']) => file.includes('/weekly-summaries/'));
    expect(archives.length).toBeGreaterThan(0);
    expect(plain.length - archives.length).toBe(6 + CHAIN_IDS.length);
    expect(await digestsWith(PLANTED.join(' '))).toEqual(plain);
  });

  it('becomes a link only if it is an http or https URL', () => {
    fc.assert(
      fc.property(
        fc.oneof(
          hostile(),
          hostile().map((rest) => `https://a.example/${rest}`),
        ),
        (url) => {
          const html = chainHtml([{ name: 'x', licence: 'x', url }]);
          skeletonOf(html);
          const links = attributesOf(html, 'href').filter((href) => !/^[/#]/.test(href));
          expect(links).toEqual(/^https?:\/\//i.test(url) ? [url] : []);
        },
      ),
    );
  });
});

it('the front page shows hostile text of a source as text and gets no additional tags', () => {
  const front = (words: string): string => {
    const sources = [{ name: words, licence: words, attribution: words }];
    const facts = [toChainFacts('base', [], { lastRecords: records, points }, sources)];
    return frontPage(site, { facts, methodologyVersion: 'v1' }).content(STAMP).text;
  };
  fc.assert(
    fc.property(hostile(), (words) => {
      expect(skeletonOf(front(words))).toEqual(skeletonOf(front('x')));
      expect(textOf(front(words))).toContain(`; licence ${words}.`);
    }),
  );
});

it('the pages of examples and guides show hostile code as text and get no additional tags', () => {
  const example = (text: string): string => {
    const examples = [{ name: 'a.py', text: `# Does a thing: python3 a.py\n${text}` }];
    return examplePages({ ...site, examples })[0]?.content(STAMP).text ?? '';
  };
  const guide = (text: string): string => {
    const download = { text: '# A title\n\nA lead.\n\n## Do it\n', codes: [{ file: 'do-it.py', text }] };
    return guidePages({ ...site, guides: { ...site.guides, download } })[0]?.content(STAMP).text ?? '';
  };
  fc.assert(
    fc.property(hostile(), (text) => {
      for (const page of [example, guide]) {
        expect(skeletonOf(page(text))).toEqual(skeletonOf(page('x')));
        expect(textOf(page(text))).toContain(text.trimEnd());
      }
    }),
  );
});

it('renderMarkdown creates only the tags of its rules, and no link that runs code', () => {
  const known =
    /^\/?(h[1-6]|p|em|strong|code|pre|ul|ol|li|blockquote|hr|br|a|img|table|thead|tbody|tr|th|td|div|s)\b/;
  fc.assert(
    fc.property(fc.array(hostile(), { minLength: 1 }), (lines) => {
      for (const html of [
        renderMarkdown(lines.join('\n')).opening.toString(),
        renderMarkdownLine(lines.join(' ')).toString(),
      ]) {
        for (const tag of skeletonOf(html.replace(/ (alt|title|src|href)="[^"]*"/g, '')))
          expect(tag).toMatch(known);
        for (const href of attributesOf(html, 'href'))
          expect(href).not.toMatch(/^\s*(javascript|data|vbscript):/i);
      }
    }),
  );
});

describe('HTML templates', () => {
  const templates = compileHtmlTemplates({
    page: '<p title="{{a}}">{{a}}</p>{{> part}}',
    part: '<b>{{a}}</b>',
  });

  it('escape every value, also in partials', () => {
    expect(templates.page({ a: `<>"'&` })).toBe(
      '<p title="&lt;&gt;&quot;&#x27;&amp;">&lt;&gt;&quot;&#x27;&amp;</p><b>&lt;&gt;&quot;&#x27;&amp;</b>',
    );
  });

  it('do not escape trusted HTML, and throw for a missing value', () => {
    expect(templates.part({ a: trustHtml('<i>x</i>') })).toBe('<b><i>x</i></b>');
    expect(() => templates.page({})).toThrow(/not defined/);
  });

  it('contain no logic: only values, lists and partials, all escaped', async () => {
    const allowed =
      /^\{\{(?:#each [\w.]+|else|\/each|[\w.]+|\.\.\/\w+|this|> @?[\w-]+(?: \w+)?|#> layout|\/layout)\}\}$/;
    const names = (await readdir(FOLDER)).filter((name) => name.endsWith('.hbs'));
    expect(names.length).toBeGreaterThan(5);
    for (const name of names) {
      const source = await readFile(path.join(FOLDER, name), 'utf8');
      const tags = source.match(/\{\{.*?\}\}+/g) ?? [];
      expect(tags.filter((tag) => !allowed.test(tag))).toEqual([]);
      const own =
        /<script (?:src="\{\{this\}\}" defer fetchpriority="low"|type="module" src="\{\{script\}\}")><\/script>|<script type="application\/ld\+json">\{\{this\}\}<\/script>|<style>\{\{this\}\}<\/style>/g;
      const plain = source.replace(own, ''); // our own files
      expect(plain).not.toMatch(/<script|<style|\sstyle=|\son[a-z]+=|https?:/i);
    }
  });
});
