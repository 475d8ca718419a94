import { parseStrict } from '../../../schemas/trust/strict-json.js';

const parse = (text: string): unknown => parseStrict(Buffer.from(text))?.value;

it.each([
  '{}',
  '[]',
  '0',
  'null',
  ' {"a": [1, {"b": "c:d,{["}], "\\"e\\\\": true} ',
  '{"__proto__":{"a":1},"constructor":2}',
  '"\\u007f"',
])('parses %s', (text) => {
  expect(parse(text)).toEqual(JSON.parse(text));
});

it.each([
  ['another byte order mark', '\uFEFF{}'],
  ['a repeated member', '{"a":1,"a":1}'],
  ['a repeated member with an escape', '{"a":1,"\\u0061":1}'],
  ['a repeated member inside', '[{"a":{"b":1,"b":2}}]'],
  ['a number that is not finite', '{"a":1e999}'],
  ['a number that JSON does not have', 'NaN'],
  ['an end that is missing', '{"a":1'],
  ['more than a value', '{} {}'],
  ['nothing', ''],
  ['33 levels', `${'['.repeat(33)}${']'.repeat(33)}`],
  ['a million brackets', '['.repeat(1_000_000)],
  ['more than a million values', `[${'0,'.repeat(1_000_001)}0]`],
])('refuses %s', (_, text) => {
  expect(parseStrict(Buffer.from(text))).toBeUndefined();
});

it('refuses bytes that are not UTF-8', () => {
  for (const bytes of [
    [0x22, 0xff, 0x22],
    [0x22, 0xed, 0xa0, 0x80, 0x22],
    [0xfe, 0xff, 0x00, 0x7b],
  ])
    expect(parseStrict(Buffer.from(bytes))).toBeUndefined();
});

it('parses 32 levels and a million values', () => {
  expect(parse(`${'['.repeat(32)}${']'.repeat(32)}`)).toBeDefined();
  expect(parse(`[${'0,'.repeat(999_999)}0]`)).toHaveLength(1_000_000);
});
