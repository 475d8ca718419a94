import fc from 'fast-check';
import { createFeeList } from '../../../../generator/core/collection/decimal.js';
import { ascending, twiceMedian } from '../../../support/collection/evm-days.js';

const fee = fc.oneof(
  fc.bigInt({ min: 0n, max: 5n }),
  fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
  fc.bigInt({ min: 2n ** 64n - 2n, max: 2n ** 70n }),
);

describe('a list of fees', () => {
  it('has the sum and twice the median of any fees, also above 2^64', () => {
    fc.assert(
      fc.property(fc.array(fee, { maxLength: 40 }), (fees) => {
        const list = createFeeList();
        fees.forEach(list.add);
        expect(list.sum()).toBe(fees.reduce((sum, each) => sum + each, 0n));
        expect(list.twiceMedian() ?? null).toBe(twiceMedian(fees.toSorted(ascending)));
      }),
    );
  });

  it('takes more fees after the median was asked for, and grows', () => {
    const list = createFeeList();
    for (let i = 3000n; i > 0n; i -= 1n) list.add(i);
    expect(list.twiceMedian()).toBe(3001n);
    list.add(0n);
    expect(list.twiceMedian()).toBe(3000n);
  });
});
