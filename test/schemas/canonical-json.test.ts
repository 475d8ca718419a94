import fc from 'fast-check';
import { canonicalJson } from '../../schemas/canonical-json.js';

/** Returns the double with these bits, in the notation of RFC 8785 Appendix B: most significant byte first. */
function doubleOf(hex: string): number {
  return Buffer.from(hex, 'hex').readDoubleBE(0);
}

/** Returns the same JSON value with the members of every object inserted in reverse order. */
function withMembersReversed(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withMembersReversed);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([key, member]) => [key, withMembersReversed(member)]);
  return Object.fromEntries(members.reverse());
}

/**
 * Returns an arbitrary of JSON values without lone surrogates, and without -0, which JSON.stringify and JCS both write
 * as 0.
 */
const jsonValue = () =>
  fc.jsonValue({ stringUnit: 'binary' }).map((value): unknown => JSON.parse(JSON.stringify(value)));

describe('the vectors of RFC 8785', () => {
  it('3.2.2: literals, numbers and strings are written as in ECMAScript', () => {
    const input = String.raw`{
      "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    expect(canonicalJson(JSON.parse(input))).toBe(
      String.raw`{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],"string":"€$\u000f\nA'B\"\\\\\"/"}`,
    );
  });

  it('3.2.3: members are sorted by UTF-16 code units, at every depth', () => {
    const input = {
      '\u20ac': 'Euro Sign',
      '\r': 'Carriage Return',
      '\ufb33': 'Hebrew Letter Dalet With Dagesh',
      '1': 'One',
      '\ud83d\ude02': 'Smiley',
      '\u0080': 'Control',
      '\u00f6': 'Latin Small Letter O With Diaeresis',
    };
    const output =
      '{"\\r":"Carriage Return","1":"One","\u0080":"Control","ö":"Latin Small Letter O With Diaeresis",' +
      '"€":"Euro Sign","😂":"Smiley","\ufb33":"Hebrew Letter Dalet With Dagesh"}';
    expect(canonicalJson(input)).toBe(output);
    expect(canonicalJson([{ outer: input }])).toBe(`[{"outer":${output}}]`);
  });

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('Appendix B: the double %s is written %s', (hex, text) => {
    expect(canonicalJson(doubleOf(hex))).toBe(text);
  });

  it.each(['7fffffffffffffff', '7ff0000000000000', 'fff0000000000000'])(
    'Appendix B: the double %s is an error',
    (hex) => {
      expect(() => canonicalJson(doubleOf(hex))).toThrow(TypeError);
    },
  );
});

describe('the canonical text', () => {
  it.each([
    ['an empty object', {}, '{}'],
    ['an empty array', [], '[]'],
    ['an empty key', { '': 0 }, '{"":0}'],
    ['an object without prototype', Object.assign(Object.create(null), { b: 1, a: 2 }), '{"a":2,"b":1}'],
    [
      'a key that objects inherit',
      JSON.parse('{"toString":1,"__proto__":2}'),
      '{"__proto__":2,"toString":1}',
    ],
    [
      'keys that look like numbers, sorted as text',
      { 10: 'b', 9: 'c', 1: 'a' },
      '{"1":"a","10":"b","9":"c"}',
    ],
    ['upper case before lower case', { a: 1, B: 2 }, '{"B":2,"a":1}'],
    ['a prefix before the longer key', { ab: 1, a: 2 }, '{"a":2,"ab":1}'],
    ['line separators, as they are', '\u2028\u2029', '"\u2028\u2029"'],
    [
      'control characters, in short or lower case',
      '\b\t\n\f\r\u001f\u007f',
      '"\\b\\t\\n\\f\\r\\u001f\u007f"',
    ],
    ['text that Unicode could normalize, as it is', 'e\u0301', '"e\u0301"'],
    ['non-BMP keys before U+FFFF', { '\uffff': 1, '\u{10000}': 2 }, '{"\u{10000}":2,"\uffff":1}'],
    ['a small fee', 9.44e-7, '9.44e-7'],
  ])('contains %s', (_what, value, text) => {
    expect(canonicalJson(value)).toBe(text);
  });

  it('parses to the original value', () => {
    fc.assert(
      fc.property(jsonValue(), (value) => {
        expect(JSON.parse(canonicalJson(value))).toEqual(value);
      }),
    );
  });

  it('is stable: serializing its value again gives the same text', () => {
    fc.assert(
      fc.property(jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
      }),
    );
  });

  it('does not depend on the order in which members were added', () => {
    fc.assert(
      fc.property(jsonValue(), (value) => {
        expect(canonicalJson(withMembersReversed(value))).toBe(canonicalJson(value));
      }),
    );
  });

  it('preserves every bit of a double', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        expect(JSON.parse(canonicalJson(value)) === value).toBe(true);
      }),
    );
  });
});

describe('a value that JSON cannot represent exactly', () => {
  class Point {
    readonly x = 1;
  }
  const withHole = [1, , 3];

  it.each([
    ['undefined', undefined, '$: undefined'],
    ['an undefined member', { a: { b: undefined } }, '$.a.b: undefined'],
    ['an undefined element', { a: [1, undefined] }, '$.a[1]: undefined'],
    ['a hole in an array', { a: withHole }, '$.a[1]: undefined'],
    ['NaN', { a: NaN }, '$.a: NaN'],
    ['infinity', [Infinity], '$[0]: Infinity'],
    ['negative infinity', [[-Infinity]], '$[0][0]: -Infinity'],
    ['a lone high surrogate', { a: 'x\ud800' }, '$.a: a lone surrogate'],
    ['a lone low surrogate', ['\udc00x'], '$[0]: a lone surrogate'],
    ['surrogates in the wrong order', '\udc00\ud800', '$: a lone surrogate'],
    ['a lone surrogate in a key', { a: { '\ud800': 1 } }, '$.a: a lone surrogate'],
    ['a bigint', { a: 1n }, '$.a: bigint'],
    ['a function', { a: () => 1 }, '$.a: function'],
    ['a method that would convert', { a: 1, toJSON: () => 2 }, '$.toJSON: function'],
    ['a symbol', [Symbol('s')], '$[0]: symbol'],
    ['a Date', { a: new Date(0) }, '$.a: not a plain object'],
    ['a Map', { a: new Map([['b', 1]]) }, '$.a: not a plain object'],
    ['a Set', [new Set([1])], '$[0]: not a plain object'],
    ['bytes', { a: new Uint8Array([1]) }, '$.a: not a plain object'],
    ['a boxed number', { a: Object(1) }, '$.a: not a plain object'],
    ['a class instance', { a: [new Point()] }, '$.a[0]: not a plain object'],
  ])('throws for %s with its path', (_what, value, message) => {
    expect(() => canonicalJson(value)).toThrow(TypeError);
    expect(() => canonicalJson(value)).toThrow(message);
  });
});
