import { parseInstant, toInstant } from '../../../schemas/dates.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import { assertNotBefore, withoutUnfinished } from '../../../generator/publish/prepare-plan.js';
import { randomSeries } from '../../support/release/random-series.js';
import { machineClock, type TrustedClock } from '../../../generator/state/trusted-clock.js';

const PUBLISHED_AT = '2026-08-21T06:15:00Z';
const record = { revision: '2026-08-21.000001', published_at: PUBLISHED_AT } as ReleaseRecord; // only these are read

const ms = (instant: string): number => parseInstant(instant) ?? NaN;
const ownClock = (instant: string): TrustedClock => machineClock(() => ms(instant));
const storeClock = (instant: string): TrustedClock => ({
  nowMs: ms(instant),
  name: 'the clock of s3://bucket',
});

describe('an as-of before the current release is refused', () => {
  it('with advice to set the clock of a machine that is behind the clock of the store', () => {
    const own = '2026-08-21T05:40:00Z';
    expect(() => assertNotBefore(ms(own), record, storeClock('2026-08-21T06:20:00Z'), ownClock(own))).toThrow(
      `--as-of ${own} is before the current release, published at ${PUBLISHED_AT}. This machine's clock is 40 minutes behind the clock of s3://bucket: set it, and run again.`,
    );
  });

  it('with advice to choose a later one, if both clocks agree', () => {
    const now = '2026-08-21T06:20:00Z';
    expect(() => assertNotBefore(ms('2026-08-20T06:15:00Z'), record, storeClock(now), ownClock(now))).toThrow(
      'Use that instant or a later one.',
    );
  });

  it('as a release from the future, if the clock of the store is behind it too', () => {
    const now = '2026-08-20T06:20:00Z';
    expect(() => assertNotBefore(ms(now), record, storeClock(now), ownClock(now))).toThrow(
      /is from the future: .* the clock of s3:\/\/bucket shows/,
    );
  });
});

it('an as-of at the instant of the current release is accepted', () => {
  const own = ownClock(PUBLISHED_AT);
  expect(() => assertNotBefore(ms(PUBLISHED_AT), record, own, own)).not.toThrow();
});

it('a chain whose newest date has not ended becomes a fault, and the others stay', () => {
  const [short, long] = [
    randomSeries({ chain: 'base', seed: 1, days: 3 }),
    randomSeries({ chain: 'arbitrum', seed: 1, days: 4 }),
  ];
  const input = { series: [short, long], faults: [], invalid: [] };
  const during = `${long.dates.at(-1) ?? ''}T12:00:00Z`;
  const found = withoutUnfinished(input, storeClock(during));
  expect(found).toMatchObject({ series: [short], invalid: ['arbitrum'] });
  expect(found.faults).toEqual([
    expect.objectContaining({
      message: `date ${long.dates.at(-1) ?? ''} has not ended by the clock of s3://bucket, ${during}`,
    }),
  ]);
  const dayAfter = storeClock(toInstant(ms(during) + 86_400_000));
  expect(withoutUnfinished(input, dayAfter)).toEqual(input);
});
