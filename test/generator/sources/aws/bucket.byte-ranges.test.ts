import fc from 'fast-check';
import {
  type ByteRange,
  planRanges,
  splitRanges,
  totalBytes,
} from '../../../../generator/sources/aws/bucket.js';

const KB = 1024;
const MB = 1024 * KB;
const range = (start: number, end: number): ByteRange => ({ start, end });

describe('planRanges', () => {
  it('joins ranges that touch or overlap, in their order', () => {
    const needed = [range(20, 30), range(0, 10), range(10, 15), range(25, 40)];
    expect(planRanges(needed, 100)).toEqual([range(0, 15), range(20, 40)]);
  });

  it('reads what is near at once', () => {
    const needed = [range(0, 10 * MB), range(10 * MB + 200 * KB, 20 * MB)];
    expect(planRanges(needed, 30 * MB)).toEqual([range(0, 20 * MB)]);
  });

  it('does not read 256 KiB in vain', () => {
    const needed = [range(0, 10 * MB), range(10 * MB + 256 * KB, 20 * MB)];
    expect(planRanges(needed, 30 * MB)).toEqual(needed);
  });

  it('joins the nearest ranges first if not all may be joined', () => {
    const needed = [range(0, 460 * KB), range(550 * KB, MB), range(MB + 20 * KB, 2 * MB)];
    expect(planRanges(needed, 3 * MB)).toEqual([range(0, 460 * KB), range(550 * KB, 2 * MB)]);
  });

  it('leaves out what was read before, and empty ranges', () => {
    expect(planRanges([range(0, 10), range(50, 90), range(95, 99), range(7, 7)], 60)).toEqual([
      range(0, 10),
      range(50, 60),
    ]);
    expect(planRanges([], 60)).toEqual([]);
  });

  it('covers all that is needed, in disjoint ranges, with at most a twentieth more', () => {
    const needed = fc.array(
      fc.tuple(fc.nat(40 * MB), fc.nat(2 * MB)).map(([start, length]) => range(start, start + length)),
    );
    fc.assert(
      fc.property(needed, fc.nat(45 * MB), (ranges, end) => {
        const planned = planRanges(ranges, end);
        for (const [i, { start }] of planned.entries()) {
          if (i > 0) expect(start).toBeGreaterThan(planned[i - 1]?.end ?? Infinity);
        }
        const used = ranges.filter(({ start, end: last }) => start < Math.min(last, end));
        for (const { start, end: last } of used) {
          expect(planned.some((each) => each.start <= start && Math.min(last, end) <= each.end)).toBe(true);
        }
        expect(totalBytes(planned)).toBeLessThanOrEqual(1.05 * totalBytes(used));
      }),
    );
  });
});

it('splitRanges gives the same bytes in pieces of at most 4 MiB', () => {
  expect(splitRanges([range(1, 9 * MB), range(10 * MB, 10 * MB + 1)])).toEqual([
    range(1, 4 * MB + 1),
    range(4 * MB + 1, 8 * MB + 1),
    range(8 * MB + 1, 9 * MB),
    range(10 * MB, 10 * MB + 1),
  ]);
});
