import fc from 'fast-check';
import {
  changesOf,
  datesOf,
  formatLedger,
  formatMetricsCsv,
  parseLedger,
  toSegments,
} from '../../../../generator/core/collection/ledger.js';
import { toDate } from '../../../../schemas/dates.js';
import type { LedgerLine } from '../../../../schemas/types.generated.js';

/** Returns a line of the ledger of base. */
function line(date: string, values: Record<string, string>, changes: Partial<LedgerLine> = {}): LedgerLine {
  return {
    chain: 'base',
    date,
    values,
    source: 'growthepie',
    rule: 'day',
    reason: null,
    lineage: '0'.repeat(64),
    accepted_at: '2026-08-20T06:15:00Z',
    ...changes,
  };
}

const REVISED = { rule: 'revision', reason: 'source revised within its settling window' } as const;
const LINES = [
  line('2026-08-19', { tx_count: '10', fees_total: '0.5' }),
  line('2026-08-18', { tx_count: '9' }),
  line('2026-08-19', { tx_count: '11' }, REVISED),
  line(
    '2026-08-18',
    { gas_used: '7' },
    { source: 'evm-node', rule: 'fill-in', reason: 'block metrics came late' },
  ),
];

describe('a ledger', () => {
  it('is text that reads back as the same lines', () => {
    expect(parseLedger(formatLedger(LINES))).toEqual(LINES);
    expect(parseLedger('')).toEqual([]);
  });

  it('grows by appending: the text of more lines begins with the text of fewer', () => {
    for (let count = 0; count < LINES.length; count += 1)
      expect(formatLedger(LINES).startsWith(formatLedger(LINES.slice(0, count)))).toBe(true);
  });

  it.each([
    ['a cut line', formatLedger(LINES).slice(0, -1), /no line end/],
    ['a line that is no JSON', 'tx_count\n', /JSON/],
    ['a price', formatLedger(LINES).replace('"fees_total"', '"price_usd"'), /ledger-line/],
  ])('is refused with %s', (_what, text, message) => {
    expect(() => parseLedger(text)).toThrow(message);
  });

  it('gives each date the values of its last lines, ascending', () => {
    expect(datesOf(LINES)).toEqual([
      {
        date: '2026-08-18',
        values: { tx_count: '9', gas_used: '7' },
        sources: { tx_count: 'growthepie', gas_used: 'evm-node' },
      },
      {
        date: '2026-08-19',
        values: { tx_count: '11', fees_total: '0.5' },
        sources: { tx_count: 'growthepie', fees_total: 'growthepie' },
      },
    ]);
  });

  it('records what a later line changed, with its reason, and no first value', () => {
    expect(changesOf(LINES)).toEqual([
      { chain: 'base', date: '2026-08-19', metric: 'tx_count', from: '10', to: '11', reason: REVISED.reason },
      {
        chain: 'base',
        date: '2026-08-18',
        metric: 'gas_used',
        from: null,
        to: '7',
        reason: 'block metrics came late',
      },
    ]);
  });
});

describe('the input that a ledger yields', () => {
  it('is a CSV with the columns that have values, in the order of the catalog', () => {
    expect(formatMetricsCsv('base', datesOf(LINES))).toBe(
      'date,tx_count,gas_used,fees_total\n2026-08-18,9,7,\n2026-08-19,11,,0.5\n',
    );
  });

  it('does not depend on how values were split into lines', () => {
    const pairs = fc.uniqueArray(
      fc.tuple(fc.integer({ min: 10, max: 28 }), fc.constantFrom('tx_count', 'gas_used', 'fees_total')),
      { selector: ([day, metric]) => `${day} ${metric}`, maxLength: 20 },
    );
    fc.assert(
      fc.property(pairs, fc.infiniteStream(fc.integer({ min: 0, max: 99 })), (cells, order) => {
        const single = cells.map(([day, metric], i) => line(`2026-08-${day}`, { [metric]: String(i + 1) }));
        const shuffled = single
          .map((each) => ({ each, at: order.next().value as number }))
          .sort((a, b) => a.at - b.at)
          .map(({ each }) => each);
        expect(formatMetricsCsv('base', datesOf(shuffled))).toBe(formatMetricsCsv('base', datesOf(single)));
      }),
      { seed: 3 },
    );
  });

  it('names the sources from the date on which they change', () => {
    const describe = (source: string): { name: string; licence: string; url: string } => ({
      name: source,
      licence: 'CC BY 4.0',
      url: `https://${source}.example`,
    });
    const lines = [
      line('2026-08-18', { tx_count: '9' }),
      line('2026-08-19', { tx_count: '11', gas_used: '7' }),
      line('2026-08-19', { gas_used: '7' }, { source: 'evm-node' }),
    ];
    const schedule = { first_try_hours: 1, deadline_hours: 12, settling_days: 3 };
    expect(toSegments(datesOf(lines), describe, schedule)).toEqual([
      { name: 'growthepie', licence: 'CC BY 4.0', url: 'https://growthepie.example' },
      {
        from: '2026-08-19',
        name: 'evm-node and growthepie',
        licence: 'CC BY 4.0',
        url: 'https://evm-node.example',
        schedule,
      },
    ]);
  });

  it('no longer names a source 60 dates after its last value', () => {
    const dateOf = (t: number): string => toDate(20_000 + t);
    const lines = Array.from({ length: 100 }, (_, t) => [
      line(dateOf(t), { tx_count: '9' }),
      ...(t < 10 ? [line(dateOf(t), { gas_used: '7' }, { source: 'evm-node' })] : []),
    ]).flat();
    const segments = toSegments(datesOf(lines), (name) => ({ name, licence: 'CC0' }), undefined);
    expect(segments).toEqual([
      { name: 'evm-node and growthepie', licence: 'CC0' },
      { from: dateOf(70), name: 'growthepie', licence: 'CC0' },
    ]);
  });
});
