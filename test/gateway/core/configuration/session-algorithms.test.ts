import {
  otherNameOf,
  SESSION_ALGORITHMS,
} from '../../../../gateway/core/configuration/session-algorithms.js';

it('has no algorithm with a shared secret, and none without a signature', () => {
  expect(SESSION_ALGORITHMS.filter((name) => /^HS|^none$/i.test(name))).toEqual([]);
});

it.each([
  ['EdDSA', 'Ed25519'],
  ['Ed25519', 'EdDSA'],
  ['ES256', undefined],
  ['__proto__', undefined],
  [7, undefined],
  [undefined, undefined],
])('knows the other name of %p: %p', (name, expected) => {
  expect(otherNameOf(name)).toBe(expected);
});
