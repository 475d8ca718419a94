import { CHAINS } from '../../schemas/catalog.js';
import { addDays } from '../../schemas/dates.js';
import { freshnessLimits, judgeFreshness } from '../../schemas/freshness.js';

const LIMITS = freshnessLimits('base', '2026-08-18');

it('a chain is late from the end of the next date plus the expected lag, and stale from that of the stale lag', () => {
  expect(LIMITS).toEqual({ late_after: '2026-08-21T00:00:00Z', stale_after: '2026-08-23T00:00:00Z' });
  expect(CHAINS.base).toMatchObject({ expectedLagDays: 1, staleAfterDays: 3 });
});

it.each([
  ['2026-08-19T00:00:00Z', 'fresh'],
  ['2026-08-20T23:59:59Z', 'fresh'],
  ['2026-08-21T00:00:00Z', 'late'],
  ['2026-08-22T23:59:59Z', 'late'],
  ['2026-08-23T00:00:00Z', 'stale'],
])('at %s it is %s', (instant, freshness) => {
  expect(judgeFreshness(LIMITS, Date.parse(instant))).toBe(freshness);
});

it('a newer available date moves both instants by as many days', () => {
  for (const days of [1, 2, 400]) {
    const moved = freshnessLimits('base', addDays('2026-08-18', days));
    for (const limit of ['late_after', 'stale_after'] as const)
      expect(moved[limit]?.slice(0, 10)).toBe(addDays((LIMITS[limit] ?? '').slice(0, 10), days));
  }
});

it('a chain without an available date is stale at any time', () => {
  const limits = freshnessLimits('base', null);
  expect(limits).toEqual({ late_after: null, stale_after: null });
  expect(judgeFreshness(limits, 0)).toBe('stale');
});
