import type { Account } from '../../../../schemas/types.generated.js';
import { createAccount, deleteAccount } from '../../../../gateway/core/accounts/account.js';

const NOW = '2026-08-20T12:00:00Z';
const EARLIER = '2026-08-01T00:00:00Z';
const LATER = '2026-09-20T12:00:00Z';
const SUBSCRIPTION = {
  status: 'canceled',
  outcome: 'inactive',
  plan: 'research',
  chain: null,
  since: EARLIER,
  until: null,
  period_end: LATER,
  cancel_at: EARLIER,
} as const;
const ACCOUNT: Account = {
  schema: 'account/1',
  account: 'ada',
  keys: {
    Abc123xy: { label: 'notebook', created_at: EARLIER, revoked_at: null },
    Abc123xz: { label: null, created_at: EARLIER, revoked_at: EARLIER },
  },
  grants: [
    { plan: 'research', chain: null, since: EARLIER, until: LATER, reason: 'a guest', origin: 'manual' },
  ],
  billing: {
    customer: 'cus_1',
    checkout: { attempt: 1, session: null },
    subscriptions: { sub_1: SUBSCRIPTION },
    events: ['evt_1'],
  },
};
const DELETED = deleteAccount(ACCOUNT, NOW);
const withStatus = (changed: Partial<Record<'status' | 'outcome' | 'cancel_at', string | null>>): Account =>
  ({
    ...ACCOUNT,
    billing: { ...ACCOUNT.billing, subscriptions: { sub_1: { ...SUBSCRIPTION, ...changed } } },
  }) as Account; // with a valid subscription

it('revokes the keys, ends the grants of operators, and keeps nothing of the billing', () => {
  expect(DELETED).toEqual({
    schema: 'account/1',
    account: 'ada',
    keys: {
      Abc123xy: { label: 'notebook', created_at: EARLIER, revoked_at: NOW },
      Abc123xz: { label: null, created_at: EARLIER, revoked_at: EARLIER },
    },
    grants: [{ ...ACCOUNT.grants[0], until: NOW }],
    deleted_at: NOW,
  });
});

it('changes nothing when there is nothing to delete, or it was deleted before', () => {
  const empty = createAccount('ada');
  expect(deleteAccount(empty, NOW)).toBe(empty);
  expect(deleteAccount(DELETED, LATER)).toBe(DELETED);
});

it.each([
  [{ status: 'active', cancel_at: null }, 'Cancel it in the billing portal'],
  [{ status: 'active', cancel_at: LATER }, `ends at ${LATER}`],
  [{ status: 'past_due', cancel_at: null }, 'Cancel it'],
  [{ status: 'incomplete', cancel_at: null }, 'Cancel it'],
  [{ status: 'a_new_status', cancel_at: null }, 'Cancel it'],
])('refuses while a subscription is current: %j', (changed, detail) => {
  expect(() => deleteAccount(withStatus(changed), NOW)).toThrow(
    expect.objectContaining({
      code: 'already-subscribed',
      message: expect.stringContaining(detail),
    }) as Error,
  );
});

it.each(['absent', 'customer-deleted'])(
  'does not refuse for a subscription that is %s at Stripe',
  (outcome) => {
    expect(deleteAccount(withStatus({ status: 'active', outcome }), NOW).deleted_at).toBe(NOW);
  },
);
