import * as fc from 'fast-check';
import { toMetricValue } from '../../../../generator/core/collection/day-values.js';
import { createTableReader } from '../../../../generator/core/input/input-series.js';

const COUNT = 'a whole number';
const MOST = 'a number of at most 2^53';
const LEAST = '0, or a number of at least 1e-30';
const LONG = 'a number of at most 400 digits after the point';

describe('a value of a metric', () => {
  it.each([
    ['tx_count', '9.0', { value: '9' }],
    ['tx_count', '0', { value: '0' }],
    ['tx_count', '-0', { value: '0' }],
    ['fees_total', '-0.0', { value: '0' }],
    ['tx_count', '301000.', { value: '301000' }],
    ['tx_count', '.5e1', { value: '5' }],
    ['fees_total', '.5', { value: '0.5' }],
    ['fees_total', '9.44e-07', { value: '0.000000944' }],
    ['fees_total', '1e-30', { value: `0.${'0'.repeat(29)}1` }],
    ['gas_limit_mean', '30000000.5', { value: '30000000.5' }],
    ['tx_count', '9007199254740992', { value: '9007199254740992' }],
    ['tx_count', '9.5', { expected: COUNT }],
    ['block_weight', '9.5', { expected: COUNT }],
    ['gas_used', '0.1', { expected: COUNT }],
    ['tx_count', '9007199254740993', { expected: MOST }],
    ['fees_total', '9007199254740992.5', { expected: MOST }],
    ['tx_count', '1e16', { expected: MOST }],
    ['fees_total', '1e17', { expected: MOST }],
    ['fees_total', '1e-31', { expected: LEAST }],
    ['gas_limit_mean', '1e-31', { expected: LEAST }],
    ['fees_total', '1e-999', { expected: LEAST }],
    ['fees_total', `0.1${'0'.repeat(400)}`, { expected: LONG }],
    ['fees_total', `0.${'0'.repeat(900)}1e901`, { expected: LONG }],
    ['fees_total', '0e401', { expected: LONG }],
    ['fees_total', '-0.1', { expected: 'a number of at least 0' }],
    ['fees_total', 'NaN', { expected: 'a number' }],
    ['fees_total', '1e999', { expected: 'a number' }],
    ['fees_total', '.', { expected: 'a number' }],
    ['fees_total', '', { expected: 'a number' }],
  ] as const)('of %s reads %p as %p', (metric, text, result) => {
    expect(toMetricValue(metric, text)).toMatchObject(result);
  });

  it('is what publish accepts in a file, as the same number: a collected value is never refused later', () => {
    fc.assert(
      fc.property(fc.constantFrom(...METRICS), cellText(), (metric, text) => {
        const read = toMetricValue(metric, text);
        const published = publish(metric, text);
        expect(published.faults).toHaveLength('value' in read ? 0 : 1);
        if (!('value' in read)) return;
        expect(published.value).toBe(Number(read.value));
        expect(publish(metric, read.value)).toEqual(published);
        expect(toMetricValue(metric, read.value)).toEqual(read);
      }),
      { numRuns: 2_000 },
    );
  });
});

const METRICS = ['tx_count', 'gas_used', 'fees_total', 'gas_limit_mean'] as const;

/** Returns what `publish` reads in a file with one value. */
function publish(metric: string, text: string): { value: number | null | undefined; faults: unknown[] } {
  const faults: unknown[] = [];
  const reader = createTableReader('ethereum', Date.parse('2026-01-01'), (fault) => faults.push(fault));
  reader.readHeader({ line: 1, cells: ['date', metric] });
  reader.readRow({ line: 2, cells: ['2025-01-01', text] });
  return { value: reader.rows()[0]?.values[0], faults };
}

/** Texts of a cell: numbers of all forms, many of them at the bounds, and texts that are none. */
function cellText(): fc.Arbitrary<string> {
  const digits = (maxLength: number): fc.Arbitrary<string> =>
    fc.string({ unit: fc.constantFrom(...Array.from('0123456789')), maxLength });
  const optional = (mark: string, text: fc.Arbitrary<string>): fc.Arbitrary<string> =>
    fc.oneof(
      fc.constant(''),
      text.map((each) => mark + each),
    );
  const number = fc
    .tuple(
      fc.constantFrom('', '', '', '-', '+'),
      fc.oneof(digits(18), fc.constantFrom('9007199254740992', '9007199254740993', '0'.repeat(790))),
      optional('.', fc.oneof(digits(6), digits(420))),
      optional(
        'e',
        fc.oneof(fc.integer({ min: -40, max: 20 }), fc.integer({ min: -900, max: 900 })).map(String),
      ),
    )
    .map((parts) => parts.join(''));
  const other = fc.string({
    unit: fc.constantFrom(...Array.from('0123456789.eE+- ninfa')),
    minLength: 1,
    maxLength: 8,
  });
  return fc.oneof({ weight: 5, arbitrary: number }, other).filter((text) => text !== '');
}
