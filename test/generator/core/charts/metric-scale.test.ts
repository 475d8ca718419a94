import fc from 'fast-check';
import { scaleFor, toScale } from '../../../../generator/core/charts/metric-scale.js';
import { numberWords } from '../../../../schemas/words.js';

const values = fc.array(fc.oneof(fc.constant(null), fc.double({ min: 1e-9, max: 1e18, noNaN: true })), {
  minLength: 1,
  maxLength: 60,
});
const kinds = fc.constantFrom('linear' as const, 'log' as const);

it('places every value between the ends of its axis, in order', () => {
  fc.assert(
    fc.property(kinds, values, (kind, drawn) => {
      const known = drawn.filter((value) => value !== null).sort((a, b) => a - b);
      const { place } = toScale(kind, drawn);
      const places = known.map((value) => place(value) ?? NaN);
      for (const [i, each] of places.entries()) {
        expect(each).toBeGreaterThanOrEqual(-1e-9);
        expect(each).toBeLessThanOrEqual(1 + 1e-9);
        if (i > 0) expect(each).toBeGreaterThanOrEqual(places[i - 1] ?? NaN);
      }
    }),
  );
});

it('has two to seven ticks, from one end of the axis to the other', () => {
  fc.assert(
    fc.property(kinds, values, (kind, drawn) => {
      const { ticks, low, high } = toScale(kind, drawn);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
      expect(ticks.length).toBeLessThanOrEqual(7);
      expect([ticks[0], ticks.at(-1)]).toEqual([low, high]);
      expect(ticks).toEqual([...new Set(ticks)].sort((a, b) => a - b));
    }),
  );
});

it('writes the number of each tick differently, however little the values vary', () => {
  const least = fc.double({ min: 1e-9, max: 1e18, noNaN: true });
  const spread = fc.double({ min: -8, max: 3, noNaN: true }).map((power) => 1 + 10 ** power);
  fc.assert(
    fc.property(kinds, least, spread, (kind, low, ratio) => {
      const { ticks } = toScale(kind, [low, low * ratio]);
      const words = ticks.map(numberWords);
      expect(words).toEqual([...new Set(words)]);
      expect(ticks.length).toBeGreaterThanOrEqual(2);
    }),
    { numRuns: 2000 },
  );
});

it.each([
  ['linear', [29_999_980, 30_000_011], [29_900_000, 30_000_000, 30_100_000]],
  ['linear', [7152.2, 7153], [7152, 7153]],
  ['linear', [0.991, 0.999], [0.99, 1]],
  ['linear', [3, 47], [0, 10, 20, 30, 40, 50]],
  ['linear', [960, 1010], [960, 970, 980, 990, 1000, 1010]],
  ['linear', [0, 0], [0, 1]],
  ['linear', [null], [0, 0.2, 0.4, 0.6, 0.8, 1]],
  ['log', [0.02, 4], [0.01, 0.1, 1, 10]],
  ['log', [1e-7, 1e9], [1e-7, 0.001, 10, 100_000, 1e9]],
  ['log', [null], [1, 2, 3, 5, 7, 10]],
  ['log', [0, null], [0, 1]],
] as const)('labels the axis that is asked to be %s of %j with %j', (kind, drawn, ticks) => {
  expect(toScale(kind, drawn).ticks).toEqual(ticks);
});

it('cannot place zero on a log axis', () => {
  expect(toScale('log', [1, 10]).place(0)).toBeNull();
  expect(toScale('linear', [1, 10]).place(0)).toBe(0);
});

it('chooses a log axis only for values over two powers of ten, not for a single outlier', () => {
  const steady = Array.from({ length: 300 }, (_, t) => 100 + t);
  expect(scaleFor(steady)).toBe('linear');
  expect(scaleFor([...steady, 1e9])).toBe('linear');
  expect(scaleFor(steady.map((value, t) => value * 2 ** (t / 20)))).toBe('log');
  expect(scaleFor([null, 0])).toBe('linear');
});
