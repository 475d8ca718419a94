import { EMPTY_STATE } from '../../../generator/collect/collection-store.js';
import { toCollectedChain } from '../../../generator/upkeep/collection-status.js';
import type { AwaitedDate, ChainState } from '../../../schemas/types.generated.js';

const AWAITED: AwaitedDate = {
  date: '2026-08-19',
  since: '2026-08-20T06:15:00Z',
  until: '2026-08-20T12:00:00Z',
  overdue: false,
  missing: ['fee_median'],
  sources: ['growthepie'],
  withheld: {},
  reasons: ['no fee_median yet.'],
};
const STATE: ChainState = {
  ...EMPTY_STATE,
  schedule: { source: 'growthepie', first_try_hours: 6.25, deadline_hours: 12 },
};

/** Returns the awaited dates at a time, and how late the chain is. */
function at(now: string, through: string | null, state: ChainState): unknown {
  const { awaited, late_seconds: late } = toCollectedChain(through, state, Date.parse(now));
  return [awaited.map(({ date, overdue }) => `${date}${overdue ? ' overdue' : ''}`), late];
}

describe('what a collection awaits at a time', () => {
  it('is nothing before the first try of the next date', () => {
    expect(at('2026-08-20T06:14:59Z', '2026-08-18', STATE)).toEqual([[], 0]);
  });

  it('has a date that is due, though no collection could read it, with its source, first try and deadline', () => {
    const { awaited } = toCollectedChain('2026-08-18', STATE, Date.parse('2026-08-20T06:15:00Z'));
    expect(awaited).toEqual([
      {
        date: '2026-08-19',
        since: '2026-08-20T06:15:00Z',
        until: '2026-08-20T12:00:00Z',
        overdue: false,
        missing: [],
        sources: ['growthepie'],
        withheld: {},
        reasons: [expect.stringContaining('No collection has read it yet')],
      },
    ]);
  });

  it('is overdue from its deadline on, also if no collection ran since, and the chain is late', () => {
    const state = { ...STATE, awaited: [AWAITED] };
    expect(at('2026-08-20T11:59:59Z', '2026-08-18', state)).toEqual([['2026-08-19'], 0]);
    expect(at('2026-08-20T12:00:00Z', '2026-08-18', state)).toEqual([['2026-08-19 overdue'], 0]);
    expect(at('2026-08-21T13:00:00Z', '2026-08-18', state)).toEqual([
      ['2026-08-19 overdue', '2026-08-20 overdue'],
      25 * 3600,
    ]);
  });

  it('has a date whose rest is overdue, though the chain is not late', () => {
    const state = { ...STATE, awaited: [AWAITED] };
    expect(at('2026-08-20T13:00:00Z', '2026-08-19', state)).toEqual([['2026-08-19 overdue'], 0]);
  });

  it('says of a chain without an accepted value only what a collection awaited', () => {
    expect(at('2026-08-20T13:00:00Z', null, { ...STATE, awaited: [AWAITED] })).toEqual([
      ['2026-08-19 overdue'],
      null,
    ]);
    expect(at('2026-08-20T13:00:00Z', '2026-08-01', EMPTY_STATE)).toEqual([[], null]);
  });
});
