import { existsSync } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import product from '../../package.json' with { type: 'json' };
import { fillSections, REFERENCE_FILES } from '../../scripts/generate/generate-reference.js';
import { renderReference } from '../../scripts/generate/reference-sections.js';
import { readAnchors, readMarkdownPages, readTable, ROOT } from './markdown-pages.js';

const pages = await readMarkdownPages();
const pageOf = (name: string): string => pages.get(name) ?? '';

describe('the Markdown pages', () => {
  it('link only to files and headings that exist', async () => {
    const broken: string[] = [];
    for (const [name, page] of pages) {
      for (const [, target = ''] of page.matchAll(/\]\((?!https?:)([^)\s]+)\)/g)) {
        const [file = '', anchor] = target.split('#');
        const linked = file === '' ? name : path.posix.join(path.posix.dirname(name), file);
        const exists = await access(path.join(ROOT, linked)).then(
          () => true,
          () => false,
        );
        const hasAnchor = anchor === undefined || readAnchors(pageOf(linked)).has(anchor);
        if (!exists || !hasAnchor) broken.push(`${name}: ${target}`);
      }
    }
    expect(broken).toEqual([]);
  });

  it('are linked from another page', () => {
    const linked = [...pages].flatMap(([name, page]) =>
      [...page.matchAll(/\]\((?!https?:)([^)\s#]+)/g)].map(([, target = '']) =>
        path.posix.join(path.posix.dirname(name), target),
      ),
    );
    expect([...pages.keys()].filter((name) => name !== 'README.md' && !linked.includes(name))).toEqual([]);
  });

  it('have no table cell of more than 100 characters', () => {
    const read = [...pages].filter(([name]) => !name.startsWith('schemas/methodology/')); // read as a web page
    const long = read.flatMap(([name, page]) =>
      page
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .flatMap((line) => line.split('|').map((cell) => cell.trim()))
        .filter((cell) => cell.length > 100)
        .map((cell) => `${name}: ${cell}`),
    );
    expect(long).toEqual([]);
  });

  it('run only commands of this package by npx, because npm would fetch any other from strangers', () => {
    const ours = [...Object.keys(product.bin), ...Object.keys(product.devDependencies)];
    const others = [...pages].flatMap(([name, page]) =>
      [...page.matchAll(/\bnpx (?!--no-install )([\w@/.-]+)/g)]
        .map(([, command = '']) => command)
        .filter((command) => !ours.includes(command) && !(command === 'cdk' && name.startsWith('infra/aws')))
        .map((command) => `${name}: ${command}`),
    );
    expect(others).toEqual([]);
  });

  it('name only npm scripts that exist', () => {
    const unknown = [...pages].flatMap(([name, page]) =>
      [...page.matchAll(/\bnpm run (?:--silent )?([\w:-]+)/g)]
        .map(([, script = '']) => script)
        // infra/aws has a package of its own.
        .filter((script) => !Object.hasOwn(product.scripts, script) && !name.startsWith('infra/aws'))
        .map((script) => `${name}: ${script}`),
    );
    expect(unknown).toEqual([]);
  });
});

describe('the pages for developers', () => {
  /** A source file in code: not a URL, and without a placeholder. */
  const FILE = /`(?![/.])([\w./@-]+\/[\w.@-]+\.(?:ts|mjs|js|json|py|md|sql|sh))`/g;

  it.each(['CONTRIBUTING.md', 'DECISIONS.md', 'README.md'])('%s names only files that exist', (page) => {
    const named = [...pageOf(page).matchAll(FILE)].map(([, file = '']) => file);
    const folders = ['', 'generator', 'gateway'].map((folder) => path.join(ROOT, folder));
    const isAbsent = (file: string): boolean =>
      !folders.some((folder) => existsSync(path.join(folder, file)));
    expect(named.filter((file) => !file.startsWith('dist/')).filter(isAbsent)).toEqual([]);
  });
});

describe('the README', () => {
  it('has at most 160 lines', () => {
    expect(pageOf('README.md').split('\n').length).toBeLessThanOrEqual(160);
  });

  it('lists folders that exist', async () => {
    const folders = readTable(pageOf('README.md'), '| folder | contents |').map(([folder = '']) => folder);
    expect(folders.length).toBeGreaterThan(5);
    await Promise.all(folders.map((folder) => access(path.join(ROOT, folder))));
  });
});

describe('the reference pages', () => {
  it.each(REFERENCE_FILES)('%s is up to date with the source: if not, run "npm run docs"', (name) => {
    const page = pageOf(name);
    expect(page).toContain('<!-- generated: ');
    expect(fillSections(page, renderReference())).toBe(page);
  });

  it('contain every section that can be generated', () => {
    const texts = REFERENCE_FILES.map(pageOf).join('\n');
    for (const section of renderReference().keys()) expect(texts).toContain(`<!-- generated: ${section} -->`);
  });

  it('reject a section that does not exist', () => {
    expect(() => fillSections('<!-- generated: x -->\n<!-- end -->', new Map())).toThrow('"x"');
  });
});
