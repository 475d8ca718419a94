import { MAX_EVENTS, MAX_SUBSCRIPTIONS } from '../../../../gateway/core/billing/billing-record.js';
import { mergeBilling } from '../../../../gateway/core/billing/merge-billing.js';
import type { AccountSubscription, Billing } from '../../../../schemas/types.generated.js';

const SESSION = {
  id: 'cs_1',
  plan: 'research',
  chain: null,
  opened_at: '2026-08-01T00:00:00Z',
} as const;

const subscription = (until: string | null): AccountSubscription => ({
  ...{ status: 'active', outcome: 'granted', plan: 'research', chain: null },
  ...{ since: '2026-08-01T00:00:00Z', until, period_end: null, cancel_at: null },
});
const billing = (changes: Partial<Billing> = {}): Billing => ({
  ...{ customer: 'cus_1', checkout: { attempt: 1, session: null }, subscriptions: {}, events: [] },
  ...changes,
});
const ids = (prefix: string, count: number): string[] =>
  Array.from({ length: count }, (_, i) => `${prefix}_${i}`);

describe('merging the billing state of a backup', () => {
  it('takes the only state that there is', () => {
    expect(mergeBilling(undefined, undefined)).toBeUndefined();
    expect(mergeBilling(undefined, billing())).toEqual(billing());
    expect(mergeBilling(billing(), undefined)).toEqual(billing());
  });

  it('keeps the state of the account when the backup has another customer', () => {
    const saved = billing({ customer: 'cus_2', events: ['evt_1'] });
    expect(mergeBilling(billing(), saved)).toEqual(billing());
  });

  it('keeps the processed events of both, those of the account first, up to the limit', () => {
    const current = billing({ events: ['evt_3', 'evt_2'] });
    const saved = billing({ events: ['evt_2', 'evt_1'] });
    expect(mergeBilling(current, saved)?.events).toEqual(['evt_3', 'evt_2', 'evt_1']);
    const many = billing({ events: ids('evt_new', MAX_EVENTS) });
    expect(mergeBilling(many, saved)?.events).toEqual(many.events);
  });

  it.each([
    ['an earlier attempt', 1, null, 2, null, 2, null],
    ['a later attempt', 2, null, 1, SESSION, 2, null],
    ['the same attempt, without a session', 1, null, 1, SESSION, 1, SESSION],
    ['the same attempt, with a session', 1, SESSION, 1, null, 1, SESSION],
  ] as const)(
    'never takes a checkout attempt back: the account has %s',
    (_what, attempt, session, savedAttempt, savedSession, expectedAttempt, expectedSession) => {
      const current = billing({ checkout: { attempt, session } });
      const saved = billing({ checkout: { attempt: savedAttempt, session: savedSession } });
      expect(mergeBilling(current, saved)?.checkout).toEqual({
        attempt: expectedAttempt,
        session: expectedSession,
      });
    },
  );

  it('keeps a subscription that ended since, and adds one that the account does not list', () => {
    const current = billing({ subscriptions: { sub_1: subscription(null) } });
    const later = subscription('2026-09-30T00:00:00Z');
    const saved = billing({ subscriptions: { sub_1: later, sub_2: later } });
    expect(mergeBilling(current, saved)?.subscriptions).toEqual({ sub_1: subscription(null), sub_2: later });
  });

  it('adds no subscription that the account may have dropped', () => {
    const full = Object.fromEntries(ids('sub', MAX_SUBSCRIPTIONS).map((id) => [id, subscription(null)]));
    const saved = billing({ subscriptions: { sub_dropped: subscription('2026-09-30T00:00:00Z') } });
    expect(mergeBilling(billing({ subscriptions: full }), saved)?.subscriptions).toEqual(full);
  });
});
