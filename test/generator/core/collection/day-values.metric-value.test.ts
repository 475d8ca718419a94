import { toMetricValue } from '../../../../generator/core/collection/day-values.js';

describe('a value of a metric', () => {
  it.each([
    ['tx_count', '9.0', { value: '9' }],
    ['tx_count', '0', { value: '0' }],
    ['fees_total', '9.44e-07', { value: '0.000000944' }],
    ['gas_limit_mean', '30000000.5', { value: '30000000.5' }],
    ['tx_count', '9.5', { expected: 'a whole number' }],
    ['block_weight', '9.5', { expected: 'a whole number' }],
    ['gas_used', '0.1', { expected: 'a whole number' }],
    ['fees_total', '-0.1', { expected: 'a number of at least 0' }],
    ['fees_total', 'NaN', { expected: 'a number' }],
    ['fees_total', '', { expected: 'a number' }],
  ] as const)('of %s reads %p as %p', (metric, text, result) => {
    expect(toMetricValue(metric, text)).toEqual(result);
  });
});
