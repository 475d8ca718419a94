import * as fc from 'fast-check';
import { isWhole, multiplyToInteger, toDecimalText } from '../../../../generator/core/collection/decimal.js';

describe('canonical decimal text', () => {
  it.each([
    ['9.0', '9'],
    ['1734842', '1734842'],
    ['007.50', '7.5'],
    ['0.000', '0'],
    ['-0.0', '0'],
    ['-1.50', '-1.5'],
    ['9.44e-07', '0.000000944'],
    ['1.5E3', '1500'],
    ['1.2345e2', '123.45'],
    ['12e+0', '12'],
    ['.5', '0.5'],
    ['5.', '5'],
    ['0.10000000000000000555', '0.10000000000000000555'],
  ])('writes %s as %s', (text, decimal) => {
    expect(toDecimalText(text)).toBe(decimal);
  });

  it.each([
    '',
    ' 1',
    '1 ',
    '+1',
    '.',
    '.e5',
    '-',
    '1,000',
    '0x10',
    'NaN',
    'Infinity',
    '1e',
    '1e401',
    '1e-401',
    '1e999999999',
    '9'.repeat(801),
  ])('refuses %p', (text) => {
    expect(toDecimalText(text)).toBeUndefined();
  });

  it('is shifted by a power of ten without loss', () => {
    expect(toDecimalText('123456789012345678901', -8)).toBe('1234567890123.45678901');
    expect(toDecimalText('1.5e-3', 6)).toBe('1500');
    expect(toDecimalText('many', 6)).toBeUndefined();
  });

  it('is the same number as before, for every double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        const text = toDecimalText(String(value)) ?? '';
        expect(text).toMatch(/^-?(0|[1-9]\d*)(\.\d*[1-9])?$/);
        expect(Number(text)).toBe(value === 0 ? 0 : value);
        expect(toDecimalText(text)).toBe(text);
        expect(isWhole(text)).toBe(Number.isInteger(value));
      }),
    );
  });

  it.each([
    ['1.5', 86_400n, '129600'],
    ['0.00001', 50_000n, '1'],
    ['0.00001', 49_999n, '0'],
    ['-0.00001', 50_000n, '-1'],
    ['-0.00001', 49_999n, '0'],
    ['12.345678901234567', 86_400_000_000n, '1066666657067'],
  ])('multiplies %s by %s to %s, halves away from zero', (text, factor, product) => {
    expect(multiplyToInteger(text, factor)).toBe(product);
  });
});
