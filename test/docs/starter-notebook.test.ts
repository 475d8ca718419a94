import { readFileSync } from 'node:fs';
import path from 'node:path';
import { makeWheel } from '../../generator/core/artifacts/python-wheel.js';
import { LABELS } from '../../generator/core/charts/chart-style.js';
import { readProductTexts } from '../../generator/texts/product-texts.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { REGIME_COLOURS } from '../../schemas/palette.js';
import { methodologyTextPath, PUBLIC_PATHS, wheelPath } from '../../schemas/paths.js';
import {
  formatNotebook,
  NOTEBOOK_FILE,
  sourceOf,
  type Notebook,
} from '../../scripts/python/format-notebook.js';

const text = readFileSync(NOTEBOOK_FILE, 'utf8');
const notebook = JSON.parse(text) as Notebook; // checked by the first test
const source = notebook.cells.map(sourceOf).join('\n\n');
const readme = readFileSync(path.join(path.dirname(NOTEBOOK_FILE), 'README.md'), 'utf8');

describe('the form of the starter notebook', () => {
  it('follows nbformat 4.5 and has only Markdown and code cells', () => {
    expect([notebook.nbformat, notebook.nbformat_minor]).toEqual([4, 5]);
    expect(new Set(notebook.cells.map(({ cell_type }) => cell_type))).toEqual(new Set(['markdown', 'code']));
  });

  it('is canonical: `npm run notebook` changes nothing', () => {
    expect(formatNotebook(text)).toBe(text);
  });

  it('gives each cell a unique id of lower-case letters and dashes', () => {
    const ids = notebook.cells.map(({ id }) => id);
    expect(ids.filter((id) => !/^[a-z][a-z-]{0,63}$/.test(id))).toEqual([]);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it('has no empty cell and no line of more than 120 characters', () => {
    expect(notebook.cells.filter((cell) => sourceOf(cell).trim() === '')).toEqual([]);
    expect(source.split('\n').filter((line) => line.length > 120)).toEqual([]);
  });
});

describe('formatting a notebook', () => {
  const edited = {
    metadata: { kernelspec: { name: 'other' }, widgets: {} },
    nbformat_minor: 5,
    nbformat: 4,
    cells: [
      { source: 'a\nb\n\n', id: 'x', metadata: { scrolled: true }, cell_type: 'markdown' },
      { source: ['c'], outputs: [{}], id: 'y', metadata: {}, cell_type: 'code', execution_count: 7 },
    ],
  };
  const formatted = formatNotebook(JSON.stringify(edited));

  it('removes outputs and run metadata, and keeps the cells', () => {
    expect(JSON.parse(formatted)).toEqual({
      cells: [
        { cell_type: 'markdown', id: 'x', metadata: {}, source: ['a\n', 'b'] },
        { cell_type: 'code', execution_count: null, id: 'y', metadata: {}, outputs: [], source: ['c'] },
      ],
      metadata: {
        kernelspec: { display_name: 'Python 3', language: 'python', name: 'python3' },
        language_info: { name: 'python' },
      },
      nbformat: 4,
      nbformat_minor: 5,
    });
  });

  it('is idempotent', () => {
    expect(formatNotebook(formatted)).toBe(formatted);
  });
});

describe('the content of the starter notebook', () => {
  it('uses exactly the expected API paths', async () => {
    const named = [...source.matchAll(/\/api\/v1\/[\w./{}-]*\w/g)].map(([found]) => found);
    const { glossary, changes } = PUBLIC_PATHS;
    const wheel = wheelPath(makeWheel((await readProductTexts()).python).name);
    expect(named.sort()).toEqual([wheel, glossary, changes, methodologyTextPath('v1')].sort());
  });

  it('draws each label in its colour', () => {
    const listOf = (name: string): string[] =>
      [...(new RegExp(`^${name} = \\[(.*)\\]$`, 'm').exec(source)?.[1] ?? '').matchAll(/"([^"]+)"/g)].map(
        ([, item = '']) => item,
      );
    const known = LABELS.filter((label) => label !== 'indeterminate');
    expect(listOf('LABELS')).toEqual(known);
    expect(listOf('COLOURS')).toEqual(known.map((label) => REGIME_COLOURS[label]?.light));
  });

  const settings = [...source.matchAll(/environ\.get\("(\w+)"/g)].map(([, name = '']) => name);
  const described = [...settings, 'CRD_API_KEY']; // which the client reads by itself

  it('names every chain and every setting in the first cell', () => {
    expect(settings).toHaveLength(2);
    const [firstCell = ''] = notebook.cells.map(sourceOf);
    for (const name of [...described, ...CHAIN_IDS]) expect(firstCell).toContain(`\`${name}\``);
  });

  it('has the settings that the README of the templates lists', () => {
    for (const name of described) expect(readme).toContain(`| \`${name}\``);
  });
});
