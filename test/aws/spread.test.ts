import { readFile } from 'node:fs/promises';
import { objectKey, parseObjectKey } from '../../schemas/paths.js';
import { sha256Hex } from '../../schemas/digest.js';

const readme = await readFile(new URL('../../infra/README.md', import.meta.url), 'utf8');
const golden = await readFile(new URL('../golden/release/keys.txt', import.meta.url), 'utf8');

/** How far counts are from even, as chi-squared says; `cells` of them. */
function chiSquared(digits: readonly string[], cells: number): number {
  const counts = new Map<string, number>();
  for (const each of digits) counts.set(each, (counts.get(each) ?? 0) + 1);
  const expected = digits.length / cells;
  const seen = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return seen + (cells - counts.size) * expected;
}

it('the keys of a release spread evenly over the parts that S3 may make of them', () => {
  const digests = [...new Set(golden.match(/objects\/sha256\/[0-9a-f]{64}/g))].map(
    (key) => parseObjectKey(key) ?? '',
  );
  expect(digests.length).toBeGreaterThan(1000);
  const bounds = [
    { length: 1, cells: 16, most: 44.3 }, // of 15 degrees of freedom: one in ten thousand
    { length: 2, cells: 256, most: 346.5 }, // of 255
  ];
  for (const { length, cells, most } of bounds) {
    expect(
      chiSquared(
        digests.map((each) => each.slice(0, length)),
        cells,
      ),
    ).toBeLessThan(most);
  }
});

it('keys that are no digests would not', () => {
  const dates = Array.from({ length: 4000 }, (_, i) => `2026-${i}`);
  expect(
    chiSquared(
      dates.map((each) => each.slice(0, 1)),
      16,
    ),
  ).toBeGreaterThan(1000);
  expect(objectKey(sha256Hex('a'))).toMatch(/^objects\/sha256\/[0-9a-f]{64}$/);
});

describe('the costs that are told', () => {
  const rows = [
    ...readme.matchAll(
      /^\| ([^|]+)\| ([\d,.]+) ?(million|GB-s|GB|month) *\| \$([\d.]+) *\| \$([\d.]+) *\| \$([\d.]+) *\|$/gm,
    ),
  ];
  const fixed = /month|storage/;

  it.each(
    rows.map(([, item = '', units = '', unit = '', price = '', one = '', hundred = '']) => ({
      item: item.trim(),
      units: Number(units.replaceAll(',', '')),
      unit,
      price: Number(price),
      one: Number(one),
      hundred: Number(hundred),
    })),
  )('$item is units by price', ({ item, units, unit, price, one, hundred }) => {
    expect(one).toBeCloseTo(units * price, 1);
    expect(hundred).toBeCloseTo(fixed.test(unit) || fixed.test(item) ? one : 100 * units * price, -0.5);
  });

  it('are added up', () => {
    const [, one, hundred] = /\*\*\$([\d.]+)\*\* *\| \*\*\$([\d.]+)\*\*/.exec(readme) ?? [];
    const sum = (column: number): string =>
      rows.reduce((total, row) => total + Number(row[column]), 0).toFixed(2);
    expect(rows.length).toBe(13);
    expect([one, hundred]).toEqual([sum(5), sum(6)]);
  });
});
