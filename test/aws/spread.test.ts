import { readFile } from 'node:fs/promises';
import { createMemoryStore } from '../support/stores/memory-store.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { objectKey, OBJECTS_PREFIX } from '../../schemas/paths.js';
import { sha256Hex } from '../../schemas/digest.js';
import { publishSeries } from '../support/release/publish-series.js';
import { randomSeries } from '../support/release/random-series.js';

const readme = await readFile(new URL('../../infra/aws/README.md', import.meta.url), 'utf8');

/** Returns the chi-squared statistic of the digits against an even distribution over `cells`. */
function chiSquared(digits: readonly string[], cells: number): number {
  const counts = new Map<string, number>();
  for (const each of digits) counts.set(each, (counts.get(each) ?? 0) + 1);
  const expected = digits.length / cells;
  const seen = [...counts.values()].reduce((sum, count) => sum + (count - expected) ** 2 / expected, 0);
  return seen + (cells - counts.size) * expected;
}

it('the keys of a release are spread evenly over the partitions that S3 can create', async () => {
  const store = createMemoryStore();
  const inputs = CHAIN_IDS.map((chain, at) => randomSeries({ chain, seed: 70 + at, days: 80 }));
  await publishSeries(store, { inputs, asOf: '2022-03-22T06:00:00Z' });
  const digests: string[] = [];
  for await (const { key } of store.list(OBJECTS_PREFIX)) digests.push(key.slice(OBJECTS_PREFIX.length));
  expect(digests.length).toBeGreaterThan(1000);
  const bounds = [
    { length: 1, cells: 16, max: 44.3 }, // 15 degrees of freedom, p = 0.0001
    { length: 2, cells: 256, max: 346.5 }, // 255 degrees of freedom
  ];
  for (const { length, cells, max } of bounds) {
    expect(
      chiSquared(
        digests.map((each) => each.slice(0, length)),
        cells,
      ),
    ).toBeLessThan(max);
  }
});

it('keys that begin with dates are not spread evenly', () => {
  const dates = Array.from({ length: 4000 }, (_, i) => `2026-${i}`);
  expect(
    chiSquared(
      dates.map((each) => each.slice(0, 1)),
      16,
    ),
  ).toBeGreaterThan(1000);
  expect(objectKey(sha256Hex('a'))).toMatch(/^objects\/sha256\/[0-9a-f]{64}$/);
});

describe('the table of costs', () => {
  const rows = [
    ...readme.matchAll(
      /^\| ([^|]+)\| ([\d,.]+) ?(million|GB-s|GB|month) *\| \$([\d.]+) *\| \$([\d.]+) *\| \$([\d.]+) *\|$/gm,
    ),
  ];
  /** Costs that do not grow with the number of subscribers. */
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
  )('multiplies units and price for $item', ({ item, units, unit, price, one, hundred }) => {
    expect(one).toBeCloseTo(units * price, 1);
    expect(hundred).toBeCloseTo(fixed.test(unit) || fixed.test(item) ? one : 100 * units * price, -0.5); // to within $1.60
  });

  it('has correct totals', () => {
    const [, one, hundred] = /\*\*\$([\d.]+)\*\* *\| \*\*\$([\d.]+)\*\*/.exec(readme) ?? [];
    const sum = (column: number): string =>
      rows.reduce((total, row) => total + Number(row[column]), 0).toFixed(2);
    expect(rows.length).toBe(20);
    expect([one, hundred]).toEqual([sum(5), sum(6)]);
  });
});
