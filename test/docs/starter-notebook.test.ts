import { readFileSync } from 'node:fs';
import path from 'node:path';
import { CHAIN_IDS, LABEL_MEANINGS } from '../../schemas/catalog.js';
import { bundlePath, calendarPath, methodologyTextPath, PUBLIC_PATHS } from '../../schemas/paths.js';
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
  it('uses exactly the expected API paths', () => {
    const named = [...source.matchAll(/\/api\/v1\/[\w./{}-]*\w/g)].map(([found]) => found);
    const paths = [calendarPath('base'), bundlePath('gold', 'base', '90d')].map((each) =>
      each.replace('base', '{CHAIN}'),
    );
    const { featureSchema, status, glossary, changes } = PUBLIC_PATHS;
    const expected = [...paths, featureSchema, status, glossary, changes, methodologyTextPath('v1')];
    expect(named.sort()).toEqual(expected.sort());
  });

  it('has a different colour for each label', () => {
    const found = [...source.matchAll(/^ {4}"(\w+)": "(#[0-9A-F]{6})",$/gm)];
    expect(found.map(([, label]) => label)).toEqual(Object.keys(LABEL_MEANINGS));
    expect(new Set(found.map(([, , colour]) => colour)).size).toBe(found.length);
  });

  const settings = [...source.matchAll(/environ\.get\("(\w+)"/g)].map(([, name = '']) => name);

  it('names every chain and every setting in the first cell', () => {
    expect(settings).toHaveLength(4);
    const [firstCell = ''] = notebook.cells.map(sourceOf);
    for (const name of [...settings, ...CHAIN_IDS]) expect(firstCell).toContain(`\`${name}\``);
  });

  it('reads only settings that the README of the templates lists', () => {
    expect(settings).toHaveLength(4);
    for (const name of settings) expect(readme).toContain(`| \`${name}\``);
  });
});
