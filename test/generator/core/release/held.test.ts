import { isSameHeld, nextHeld, type Held } from '../../../../generator/core/release/held.js';

const NOTHING: Held = { hold: null };
const CHAIN: Held = { hold: null, holds: { bitcoin: 'a gap' } };
const BOTH: Held = { hold: 'all', holds: { bitcoin: 'a gap' } };

describe('nextHeld', () => {
  it.each<[string, Parameters<typeof nextHeld>, Held]>([
    ['holds the store', [NOTHING, 'all'], { hold: 'all' }],
    ['holds chains', [NOTHING, 'a gap', ['bitcoin']], CHAIN],
    [
      'holds a chain with a reason of its own',
      [CHAIN, 'b', ['base']],
      { ...CHAIN, holds: { bitcoin: 'a gap', base: 'b' } },
    ],
    ['replaces the reason of a chain', [CHAIN, 'b', ['bitcoin']], { hold: null, holds: { bitcoin: 'b' } }],
    ['keeps the holds of chains when it holds the store', [CHAIN, 'all'], BOTH],
    ['ends the hold of a chain only', [BOTH, null, ['bitcoin']], { hold: 'all' }],
    ['ends the hold of the last chain without a trace', [CHAIN, null, ['bitcoin']], NOTHING],
    ['ends every hold', [BOTH, null], NOTHING],
    ['ends nothing that is not held', [CHAIN, null, ['base']], CHAIN],
  ])('%s', (_what, args, expected) => {
    expect(nextHeld(...args)).toEqual(expected);
  });
});

it('isSameHeld compares the store and each chain', () => {
  expect(isSameHeld(CHAIN, { hold: null, holds: { bitcoin: 'a gap' } })).toBe(true);
  expect(isSameHeld(CHAIN, NOTHING)).toBe(false);
  expect(isSameHeld(CHAIN, BOTH)).toBe(false);
});
