import fc from 'fast-check';
import { createRollingWindow } from '../../../../generator/core/statistics/baseline.js';

describe('the rolling window', () => {
  it('has the same statistics as its sorted values each time it has moved', () => {
    const value = fc
      .oneof(fc.double({ min: -20, max: 20, noNaN: true }), fc.integer({ min: -3, max: 3 }))
      .map((x) => x + 0); // turns -0 into 0: a sort may put it before or after 0
    fc.assert(
      fc.property(
        fc.array(value, { minLength: 1, maxLength: 60 }),
        fc.integer({ min: 1, max: 20 }),
        (values, size) => {
          const window = createRollingWindow(size + 1); // a value enters before another leaves
          values.forEach((entering, t) => {
            window.add(entering);
            if (t >= size) window.remove(values[t - size] ?? NaN);
            const inWindow = values.slice(Math.max(0, t - size + 1), t + 1);
            const centre = medianOf(inWindow);
            expect(window.median()).toBe(centre);
            expect(window.medianDistance(centre)).toBe(medianOf(inWindow.map((x) => Math.abs(x - centre))));
          });
        },
      ),
    );
  });
});

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const upper = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? NaN) + upper) / 2;
}
