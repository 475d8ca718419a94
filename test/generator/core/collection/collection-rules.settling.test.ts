import fc from 'fast-check';
import {
  DEFAULT_RULES,
  findRevisions,
  type Revision,
} from '../../../../generator/core/collection/collection-rules.js';
import type { DatedValues, DayValues } from '../../../../generator/core/collection/day-values.js';
import { addDays, parseInstant } from '../../../../schemas/dates.js';

const RULES = DEFAULT_RULES.base;
const TODAY = '2026-08-20';

/** Compares one date, `age` days before today, at 00:00 UTC today. The date ended `age - 1` days ago. */
function compare(age: number, from: DayValues, to: DayValues): Revision['kind'][] {
  const date = addDays(TODAY, -age);
  const nowMs = parseInstant(`${TODAY}T00:00:00Z`) ?? NaN;
  return findRevisions([{ date, values: from }], new Map([[date, to]]), { rules: RULES, nowMs }).map(
    ({ kind }) => kind,
  );
}

it.each<[string, number, DayValues, DayValues, Revision['kind'][]]>([
  ['the same value', 1, { tx_count: '100' }, { tx_count: '100' }, []],
  ['one per cent more within seven days', 8, { tx_count: '100' }, { tx_count: '101' }, ['revision']],
  ['one per cent more a day later', 9, { tx_count: '100' }, { tx_count: '101' }, ['drift']],
  ['two per cent more at once', 1, { tx_count: '100' }, { tx_count: '102' }, ['drift']],
  ['two per cent less at once', 1, { tx_count: '100' }, { tx_count: '98' }, ['drift']],
  ['a value instead of zero', 1, { tx_count: '0' }, { tx_count: '1' }, ['drift']],
  ['a missing value after sixty days', 61, {}, { tx_count: '100' }, ['fill-in']],
  ['a missing value later', 62, {}, { tx_count: '100' }, ['drift']],
  ['a value that the source no longer has', 1, { tx_count: '100' }, {}, []],
])('%s', (_what, age, from, to, kinds) => {
  expect(compare(age, from, to)).toEqual(kinds);
});

describe('a history of which more than twenty dates change', () => {
  const dates = (count: number): DatedValues[] =>
    Array.from({ length: count }, (_, i) => ({
      date: addDays(TODAY, -1 - i),
      values: { tx_count: '1000', fees_total: '5' },
    }));
  const kinds = (count: number): Set<Revision['kind']> => {
    const accepted = dates(count);
    const fresh = new Map(accepted.map(({ date }) => [date, { tx_count: '1001', fees_total: '5' }]));
    const rules = { ...RULES, settlingDays: 100 };
    const nowMs = parseInstant(`${TODAY}T00:00:00Z`) ?? NaN;
    return new Set(findRevisions(accepted, fresh, { rules, nowMs }).map(({ kind }) => kind));
  };

  it('changes nothing by itself, even within tolerance', () => {
    expect(kinds(20)).toEqual(new Set(['revision']));
    expect(kinds(21)).toEqual(new Set(['drift']));
  });
});

it('a change that a person accepted is a revision, whatever its size and age', () => {
  const accepted = [{ date: '2025-01-01', values: { tx_count: '1' } }];
  const fresh = new Map([['2025-01-01', { tx_count: '9' }]]);
  const nowMs = parseInstant(`${TODAY}T00:00:00Z`) ?? NaN;
  const accepts = (date: string, metric: string): boolean => date === '2025-01-01' && metric === 'tx_count';
  expect(findRevisions(accepted, fresh, { rules: RULES, nowMs, accepts })).toEqual([
    { date: '2025-01-01', metric: 'tx_count', from: '1', to: '9', kind: 'revision' },
  ]);
});

it('a value changes by itself only within tolerance and window, for any history', () => {
  const count = fc.integer({ min: 1, max: 1000 });
  fc.assert(
    fc.property(fc.array(fc.tuple(count, count), { minLength: 1, maxLength: 40 }), (pairs) => {
      const accepted = pairs.map(([from], i) => ({
        date: addDays(TODAY, -1 - i),
        values: { tx_count: String(from) },
      }));
      const fresh = new Map(accepted.map(({ date }, i) => [date, { tx_count: String(pairs[i]?.[1]) }]));
      const nowMs = parseInstant(`${TODAY}T00:00:00Z`) ?? NaN;
      const revisions = findRevisions(accepted, fresh, { rules: RULES, nowMs });
      const differing = pairs.filter(([from, to]) => from !== to).length;
      for (const { kind, from, to, date } of revisions) {
        const share = Math.abs(Number(to) - Number(from)) / Number(from);
        const isSmall = share <= 0.01 && date >= addDays(TODAY, -8) && differing <= 20;
        expect(kind).toBe(isSmall ? 'revision' : 'drift');
      }
    }),
    { numRuns: 200, seed: 1 },
  );
});
