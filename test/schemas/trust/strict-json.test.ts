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
  '"\\ud83d\\ude00"',
  '"\\\\ud800"',
  '12345678901234567890123456',
  '9'.repeat(300),
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
  ['a number of 400 digits', '9'.repeat(400)],
  ['half a character', '["\\ud800"]'],
  ['half a character in a name', '{"a":{"\\uDFFF":1}}'],
  ['more than two million quotation marks', `"${'\\"'.repeat(1_999_999)}"`],
  ['more than 16 MiB', `{${' '.repeat(2 ** 24 - 1)}}`],
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

it('parses two million quotation marks and 16 MiB', () => {
  expect(parse(`"${'\\"'.repeat(1_999_998)}"`)).toHaveLength(1_999_998);
  expect(parse(`{${' '.repeat(2 ** 24 - 2)}}`)).toEqual({});
});
