import { createServerClock } from '../../../../infra/store/s3/s3-store.js';

const DATE = 'Wed, 19 Aug 2026 06:00:00 GMT';

describe('the clock of a server', () => {
  it('is unknown until a response has a date', () => {
    const clock = createServerClock(() => 0);
    expect(clock.now()).toBeUndefined();
    clock.note(undefined);
    clock.note('yesterday');
    clock.note('Sat, 13 Sep 275760 00:00:00 GMT');
    expect(clock.now()).toBeUndefined();
  });

  it('continues from the latest date, independently of this machine', () => {
    let elapsedMs = 1_000;
    const clock = createServerClock(() => elapsedMs);
    clock.note('Tue, 18 Aug 2026 06:00:00 GMT');
    clock.note(DATE);
    elapsedMs += 90_000;
    expect(new Date(clock.now() ?? NaN).toISOString()).toBe('2026-08-19T06:01:30.000Z');
  });
});
