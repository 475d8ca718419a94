import { checkForm } from '../../../../templates/browser/verify/check-form.js';

const TIMESTAMP = {
  schema: 'timestamp/1',
  site: 'https://data.example.com',
  sequence: 3,
  sha256: 'a'.repeat(64),
  as_of: '2026-03-04T06:00:00Z',
  expires: '2026-03-06T06:00:00Z',
};

it('accepts a document with the members that verification reads', () => {
  expect(checkForm('timestamp', TIMESTAMP)).toBe(TIMESTAMP);
});

it.each([
  [
    'another schema',
    { ...TIMESTAMP, schema: 'timestamp/2' },
    'has the schema timestamp/2, which this page does not know',
  ],
  ['a member of another type', { ...TIMESTAMP, sequence: '3' }, 'sequence is not a number'],
  ['a missing member', { schema: 'timestamp/1' }, 'site is not a string'],
  ['no object', 'timestamp/1', 'not an object'],
  ['null', null, 'not an object'],
])('refuses %s', (_title, value, words) => {
  expect(() => checkForm('timestamp', value)).toThrow(words);
});
