import type { Account, AccountSubscription } from '../../../../schemas/types.generated.js';
import { createAccount } from '../../../../gateway/core/accounts/account.js';
import { describeSubscription } from '../../../../gateway/core/billing/subscription.js';

const NOW = Date.parse('2026-08-20T12:00:00Z');
const EARLIER = '2026-08-01T00:00:00Z';
const LATER = '2026-09-01T00:00:00Z';

/** A subscription to Research from the start of July, with access. */
const RESEARCH: AccountSubscription = {
  status: 'active',
  outcome: 'granted',
  plan: 'research',
  chain: null,
  since: '2026-07-01T00:00:00Z',
  until: LATER,
  period_end: '2026-08-29T00:00:00Z',
  cancel_at: null,
};
const SINGLE: AccountSubscription = { ...RESEARCH, plan: 'single-chain', chain: 'base' };
const ENDED = { status: 'canceled', until: EARLIER };

function accountWith(...subscriptions: readonly AccountSubscription[]): Account {
  const named = subscriptions.map((each, index) => [`sub_${index}`, each]);
  const billing = { customer: null, subscriptions: Object.fromEntries(named) };
  return { ...createAccount('acme'), billing } as unknown as Account; // its other members are not read
}

describe('the subscription that is shown to its owner', () => {
  it.each<[string, AccountSubscription, AccountSubscription]>([
    ['with access rather than a newer one without', SINGLE, { ...RESEARCH, ...ENDED, since: EARLIER }],
    [
      'with access rather than a newer one that ends now',
      SINGLE,
      { ...RESEARCH, since: EARLIER, until: '2026-08-20T12:00:00Z' },
    ],
    [
      'with access rather than a newer one that never granted any',
      SINGLE,
      { ...RESEARCH, since: EARLIER, until: null },
    ],
    ['to the higher plan rather than a newer one to the lower', RESEARCH, { ...SINGLE, since: EARLIER }],
    ['that is newer, of two to the same plan', { ...SINGLE, since: EARLIER }, SINGLE],
    [
      'that is newer, of two without access',
      { ...SINGLE, ...ENDED, since: EARLIER },
      { ...RESEARCH, ...ENDED },
    ],
  ])('is the one %s', (_name, shown, other) => {
    const { status, outcome, plan, chain, since, until } = shown;
    const expected = { state: status, outcome, plan, chain, since, access_until: until };
    expect(describeSubscription(accountWith(shown, other), NOW)).toMatchObject(expected);
    expect(describeSubscription(accountWith(other, shown), NOW)).toMatchObject(expected);
  });

  it('is described with the end of its period and its cancellation', () => {
    const cancelled = { ...SINGLE, cancel_at: '2026-08-25T00:00:00Z' };
    expect(describeSubscription(accountWith(cancelled), NOW)).toEqual({
      state: 'active',
      outcome: 'granted',
      plan: 'single-chain',
      chain: 'base',
      since: '2026-07-01T00:00:00Z',
      period_end: '2026-08-29T00:00:00Z',
      cancel_at: '2026-08-25T00:00:00Z',
      access_until: LATER,
    });
  });

  it('is none for an account without subscriptions', () => {
    expect(describeSubscription(createAccount('acme'), NOW)).toBeNull();
    expect(describeSubscription(accountWith(), NOW)).toBeNull();
  });
});
