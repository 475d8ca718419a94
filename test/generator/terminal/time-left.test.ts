import { estimateSecondsLeft } from '../../../generator/terminal/time-left.js';

/** Returns the estimates during a stage of 100 items, after each item. `secondsOf` is the duration of an item. */
function estimates(secondsOf: (item: number) => number): { atSeconds: number; left: number }[] {
  let elapsedMs = 0;
  return Array.from({ length: 100 }, (_, item) => {
    elapsedMs += secondsOf(item) * 1_000;
    return {
      atSeconds: elapsedMs / 1_000,
      left: estimateSecondsLeft({ elapsedMs, done: item + 1, total: 100 }),
    };
  }).flatMap(({ atSeconds, left }) => (left === undefined ? [] : [{ atSeconds, left }]));
}

describe('estimateSecondsLeft', () => {
  it('is exact at a steady speed', () => {
    for (const { atSeconds, left } of estimates(() => 1)) expect(left).toBe(100 - atSeconds);
  });

  it('stays near the duration of a short stage that begins slowly', () => {
    // The first item takes five of ten seconds. The speed so far would say 495 seconds.
    const found = estimates((item) => (item === 0 ? 5 : 5 / 99));
    expect(found.length).toBeGreaterThan(80);
    for (const { atSeconds, left } of found) expect(left).toBeLessThanOrEqual(Math.ceil(9 * atSeconds));
    expect(Math.max(...found.map(({ left }) => left))).toBeLessThanOrEqual(50);
  });

  it('does not jump when single items are slow', () => {
    const found = estimates((item) => (item % 10 === 9 ? 1.9 : 0.9)).map(({ left }) => left);
    const jumps = found.slice(1).map((left, i) => Math.abs(left - (found[i] ?? 0)));
    expect(Math.max(...jumps)).toBeLessThan(10);
  });

  it('says nothing before two seconds and a tenth of the work', () => {
    expect(estimateSecondsLeft({ elapsedMs: 1_999, done: 50, total: 100 })).toBeUndefined();
    expect(estimateSecondsLeft({ elapsedMs: 60_000, done: 9, total: 100 })).toBeUndefined();
    expect(estimateSecondsLeft({ elapsedMs: 60_000, done: 0, total: 0 })).toBeUndefined();
  });

  it('is zero when a total was too low', () => {
    expect(estimateSecondsLeft({ elapsedMs: 10_000, done: 12, total: 10 })).toBe(0);
  });
});
