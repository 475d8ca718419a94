import * as fc from 'fast-check';
import { isJsonNumber, parseJsonDigits } from '../../../../generator/core/collection/decimal.js';

describe('JSON whose numbers keep their digits', () => {
  it('wraps every number, and nothing else', () => {
    const text = '[9.0, -1.50e-7, "12", "a\\"3", {"4": 5, "x": null}, true]';
    expect(parseJsonDigits(text)).toEqual([
      { number: '9.0' },
      { number: '-1.50e-7' },
      '12',
      'a"3',
      { '4': { number: '5' }, x: null },
      true,
    ]);
  });

  it('is otherwise what JSON.parse returns', () => {
    const unwrap = (value: unknown): unknown => {
      if (isJsonNumber(value)) return Number(value.number);
      if (Array.isArray(value)) return value.map(unwrap);
      if (typeof value !== 'object' || value === null) return value;
      return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, unwrap(each)]));
    };
    fc.assert(
      fc.property(fc.json(), (text) => {
        fc.pre(!text.includes('__proto__'));
        expect(unwrap(parseJsonDigits(text))).toEqual(JSON.parse(text));
      }),
    );
  });

  it.each(['', '[1', '[NaN]', '[01]', '[1.]', '[+1]', '// 1\n[1]', '[1,]', "['1']", '[Infinity]', '[1] 2'])(
    'refuses %s',
    (text) => {
      expect(() => parseJsonDigits(text)).toThrow(/JSON/);
    },
  );

  it.each(['1,', '[],', '{},'])('refuses more values than fit into the memory: %s', (value) => {
    expect(() => parseJsonDigits(listOf(value, 1_000_000))).toThrow('JSON of more than 1,000,000 numbers');
  });

  it('reads the most values that it allows', () => {
    expect(parseJsonDigits(listOf('[],', 999_999))).toHaveLength(999_999);
  });
});

function listOf(value: string, count: number): string {
  return `[${value.repeat(count).slice(0, -1)}]`;
}
