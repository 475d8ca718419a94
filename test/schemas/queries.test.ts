import { CHAIN_IDS } from '../../schemas/catalog.js';
import { sha256Hex } from '../../schemas/digest.js';
import { BLOCKS_QUERIES, fillQuery, readQuery } from '../../schemas/queries.js';

const PORTABLE = [
  'count',
  'sum',
  'min',
  'max',
  'row_number',
  'coalesce',
  'floor',
  'sqrt',
  'abs',
  'cast',
  'decimal',
];
/** Words before a parenthesis that name no function. */
const NO_FUNCTIONS = ['as', 'over', 'varchar'];
const SPAN = { first: '2026-01-01', last: '2026-01-31' };

/** The queries, each with the number of columns that it has at least. */
const QUERIES = [
  ...CHAIN_IDS.map((name) => [name, 11] as const),
  ...BLOCKS_QUERIES.map((name) => [name, 7] as const),
];

describe.each(QUERIES)('the query of %s', (name, least) => {
  it('is ASCII text with its digest', async () => {
    const { text, sha256 } = await readQuery(name);
    expect(text).toMatch(/^[\n -~]*[^\n]\n$/);
    expect(sha256).toBe(sha256Hex(text));
  });

  it('has two parameters and no others', async () => {
    const { text } = await readQuery(name);
    expect(new Set(text.match(/\$\{.*?\}/g))).toEqual(new Set(['${first}', '${last}']));
    expect(fillQuery(text, SPAN)).not.toContain('$');
  });

  it('uses nothing in which engines differ', async () => {
    const { text } = await readQuery(name);
    const code = text.replace(/--.*/g, '').replace(/ \/ wei_per_(?:gwei|eth) /g, ''); // the quotient of two doubles
    expect(code).not.toMatch(/[/%]|\bmedian\b|approx|unnest|lambda|qualify|materialized|::/i);
    const functions = new Set(code.match(/\b[a-z_]+(?=\()/gi)?.map((name) => name.toLowerCase()));
    const others = [...functions].filter((name) => !PORTABLE.includes(name));
    expect(others.filter((name) => !NO_FUNCTIONS.includes(name))).toEqual([]);
  });

  it('gives each column as text', async () => {
    const { text } = await readQuery(name);
    const columns = /\nSELECT\n([\s\S]*?)\nFROM/.exec(text)?.[1]?.split(',\n') ?? [];
    expect(columns.length).toBeGreaterThanOrEqual(least);
    expect(
      columns.filter((column) => !/^ {2}CAST\(.* AS VARCHAR\(100\)\) AS [a-z0-9_]+$/.test(column)),
    ).toEqual([]);
  });
});

it.each(["2026-01-01' OR 'a' = 'a", '2026-02-30', '2026-1-1', ''])('a parameter %j is refused', (first) => {
  expect(() => fillQuery("'${first}'", { ...SPAN, first })).toThrow(RangeError);
  expect(() => fillQuery("'${first}'", { ...SPAN, last: first })).toThrow(RangeError);
});
