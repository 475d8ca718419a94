import fc from 'fast-check';
import { CHAIN_IDS } from '../../../../schemas/catalog.js';
import {
  applyHeldChange,
  isSameHeld,
  nextHeld,
  reasonOfHeldChange,
  toHeldChange,
  type Held,
} from '../../../../generator/core/release/held.js';

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
    ['keeps the holds of chains when it ends the hold of the store', [BOTH, null], CHAIN],
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

describe('the change of what is on hold', () => {
  const reasons = fc.constantFrom('a gap', 'a fork', 'maintenance');
  const chains = fc.dictionary(fc.constantFrom(...CHAIN_IDS), reasons, { minKeys: 1 });
  const held = fc.record({ hold: fc.option(reasons), holds: chains }, { requiredKeys: ['hold'] });

  it('leads from the state before to the state after', () => {
    fc.assert(
      fc.property(held, held, (before, after) => {
        expect(applyHeldChange(before, toHeldChange(before, after))).toEqual(after);
      }),
    );
  });

  it('is empty, and has no reason, when nothing changes', () => {
    expect([toHeldChange(BOTH, BOTH), reasonOfHeldChange(BOTH, {})]).toEqual([{}, null]);
  });

  it('has no reason when holds with different reasons end', () => {
    expect(reasonOfHeldChange(BOTH, toHeldChange(BOTH, NOTHING))).toBeNull();
  });

  it.each<[string, Held, Held, string]>([
    ['that begins', NOTHING, CHAIN, 'a gap'],
    ['that ends', CHAIN, NOTHING, 'a gap'],
    ['that gets another reason', CHAIN, { hold: null, holds: { bitcoin: 'a fork' } }, 'a fork'],
  ])('has the reason of a hold %s', (_what, before, after, reason) => {
    expect(reasonOfHeldChange(before, toHeldChange(before, after))).toBe(reason);
  });
});
