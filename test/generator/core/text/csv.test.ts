import fc from 'fast-check';
import { type Cell, csvLine } from '../../../../generator/core/text/csv.js';

const write = (type: 'number' | 'integer' | 'string' | 'boolean', cell: Cell): string =>
  csvLine([{ type }], [cell]);

it.each([
  [100, '100.0'],
  [-3, '-3.0'],
  [0, '0.0'],
  [-0, '0.0'],
  [0.5, '0.5'],
  [1.5e-7, '1.5e-7'],
  [1e21, '1.0e+21'],
  [-5e-324, '-5.0e-324'],
])('writes the number %d as %s', (number, text) => {
  expect(write('number', number)).toBe(text);
});

it('writes every finite number with a decimal point and the shortest digits that give the same double', () => {
  const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
  const whole = fc.maxSafeInteger();
  fc.assert(
    fc.property(fc.oneof(finite, whole), (number) => {
      const text = write('number', number);
      expect(text).toMatch(/^-?\d+\.\d+(e[+-]\d+)?$/);
      expect(Number(text)).toBe(number + 0); // there is no -0 in a file
      expect(text.replace(/\.0(?=e|$)/, '')).toBe(String(number));
    }),
  );
});

it('writes an integer without a decimal point', () => {
  fc.assert(
    fc.property(fc.maxSafeInteger(), (integer) => {
      expect(write('integer', integer)).toBe(String(integer));
    }),
  );
});

it('leaves a missing value empty, whatever its type', () => {
  const columns = (['number', 'integer', 'boolean', 'string', 'date'] as const).map((type) => ({ type }));
  expect(csvLine(columns, [null, null, null, null, undefined])).toBe(',,,,');
});

it('quotes only cells with a comma, a quote or a line break', () => {
  const columns = [{ type: 'string' }, { type: 'string' }, { type: 'boolean' }] as const;
  expect(csvLine(columns, ['one, "two"', 'a\nb', true])).toBe('"one, ""two""","a\nb",true');
});

it('writes numbers as earlier builds did when asked to', () => {
  expect(csvLine([{ type: 'number' }, { type: 'number' }], [100, 1e21], 'shortest')).toBe('100,1e+21');
});
