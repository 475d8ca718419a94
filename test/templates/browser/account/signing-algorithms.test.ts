import { withBothNames } from '../../../../templates/browser/account/signing-algorithms.js';

it.each([
  [
    ['RS256', 'EdDSA'],
    ['RS256', 'EdDSA', 'Ed25519'],
  ],
  [['Ed25519'], ['Ed25519', 'EdDSA']],
  [
    ['EdDSA', 'Ed25519'],
    ['EdDSA', 'Ed25519'],
  ],
  [['RS256'], ['RS256']],
  [[], []],
])('adds the other name of Ed25519 to a list that has one: %j', (algorithms, expected) => {
  expect(withBothNames(algorithms)).toEqual(expected);
});
