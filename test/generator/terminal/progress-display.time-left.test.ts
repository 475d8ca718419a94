import fc from 'fast-check';
import {
  estimateSecondsLeft,
  nextPace,
  NO_PACE,
  type Pace,
  timeLeftWords,
} from '../../../generator/terminal/progress-display.js';

/** Returns the pace of a stage whose items take these seconds. */
function paceOf(seconds: readonly number[]): Pace {
  let elapsedMs = 0;
  return seconds.reduce((pace, each, i) => {
    elapsedMs += each * 1_000;
    return nextPace(pace, { elapsedMs, done: i + 1 });
  }, NO_PACE);
}

/** Returns the estimates during a stage of 100 items, after each item. `secondsOf` is the duration of an item. */
function estimates(secondsOf: (item: number) => number): { atSeconds: number; left: number }[] {
  const seconds = Array.from({ length: 100 }, (_, item) => secondsOf(item));
  return seconds.flatMap((_, item) => {
    const pace = paceOf(seconds.slice(0, item + 1));
    const left = estimateSecondsLeft(pace, 100);
    return left === undefined ? [] : [{ atSeconds: pace.elapsedMs / 1_000, left }];
  });
}

describe('estimateSecondsLeft', () => {
  it('is exact at a steady speed', () => {
    const found = estimates(() => 1);
    expect(found.length).toBeGreaterThan(90);
    for (const { atSeconds, left } of found) expect(left).toBeCloseTo(100 - atSeconds, 6);
  });

  it('is never negative, zero, longer than a day or not a number, whatever the clock and the counts do', () => {
    const step = fc.record({
      elapsedMs: fc.oneof(
        fc.integer({ min: -10_000, max: 1e9 }),
        fc.double({ min: 0, max: 1e6, noNaN: true }),
      ),
      done: fc.integer({ min: -5, max: 1_000 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), fc.nat(1_000), (steps, total) => {
        const left = estimateSecondsLeft(steps.reduce(nextPace, NO_PACE), total);
        if (left === undefined) return;
        expect(left).toBeGreaterThanOrEqual(1);
        expect(left).toBeLessThanOrEqual(86_400);
      }),
    );
  });

  it('does not change by much when an item takes up to three times as long as the others', () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 1, max: 3, noNaN: true }), { minLength: 20, maxLength: 60 }),
        (items) => {
          const [before, after] = [paceOf(items.slice(0, -1)), paceOf(items)].map((pace) =>
            estimateSecondsLeft(pace, 120),
          );
          if (before === undefined || after === undefined) throw new Error('no estimate');
          expect(Math.abs(after - before) / before).toBeLessThan(0.25);
        },
      ),
    );
  });

  it('follows a change of speed within a minute', () => {
    const pace = paceOf([...Array<number>(60).fill(0.1), ...Array<number>(30).fill(2)]);
    const left = estimateSecondsLeft(pace, 190) ?? 0;
    expect(left).toBeGreaterThan(140); // 100 items of 2 seconds; the mean speed since the start would say 73
    expect(left).toBeLessThanOrEqual(200);
  });

  it('says nothing before three seconds and a twentieth of the work, when nothing is left, and for more than a day', () => {
    expect(estimateSecondsLeft(nextPace(NO_PACE, { elapsedMs: 2_999, done: 50 }), 100)).toBeUndefined();
    expect(estimateSecondsLeft(nextPace(NO_PACE, { elapsedMs: 60_000, done: 4 }), 100)).toBeUndefined();
    expect(estimateSecondsLeft(nextPace(NO_PACE, { elapsedMs: 60_000, done: 0 }), 0)).toBeUndefined();
    expect(estimateSecondsLeft(nextPace(NO_PACE, { elapsedMs: 10_000, done: 12 }), 10)).toBeUndefined();
    expect(estimateSecondsLeft(nextPace(NO_PACE, { elapsedMs: 20_000_000, done: 10 }), 100)).toBeUndefined();
  });
});

describe('timeLeftWords', () => {
  it.each([
    [1, 'a few seconds left'],
    [4.9, 'a few seconds left'],
    [6, 'about 5 s left'],
    [33, 'about 35 s left'],
    [58, 'about 1 min left'],
    [100, 'about 2 min left'],
    [4_500, 'about 75 min left'],
    [3 * 3_600, 'about 3 h left'],
  ])('rounds %d seconds to "%s"', (seconds, words) => {
    expect(timeLeftWords(seconds)).toBe(words);
  });

  it('is within a third of the estimate from ten seconds on', () => {
    fc.assert(
      fc.property(fc.double({ min: 10, max: 86_400, noNaN: true }), (seconds) => {
        const [, number = '', unit = ''] = /^about (\d+) (s|min|h) left$/.exec(timeLeftWords(seconds)) ?? [];
        const shown = Number(number) * ({ s: 1, min: 60, h: 3_600 }[unit] ?? Number.NaN);
        expect(Math.abs(shown - seconds) / seconds).toBeLessThan(0.35);
      }),
    );
  });
});
