import {
  canBuy,
  hasPortal,
  toAccountState,
  WAIT_MS,
} from '../../../../templates/browser/account/account-state.js';
import {
  BOUGHT,
  EARLIER,
  GRANTED,
  LATER,
  NOTHING,
  withSubscription,
} from '../../../support/pages/entitlements.js';
import { besideWords, stateWords } from '../../../../templates/browser/account/views/plan-words.js';

const NOW = Date.parse('2026-08-20T12:00:00Z');
const AT = { nowMs: NOW, openedMs: NOW, isBackFromPayment: false };

const held = { plan: 'single-chain', chain: 'base' };

it.each([
  ['nothing was bought', NOTHING, { kind: 'none' }],
  ['a plan is paid', withSubscription({}), { kind: 'active', held, renews: LATER, until: LATER }],
  [
    'a renewal failed',
    withSubscription({ state: 'past_due', outcome: 'grace' }),
    { kind: 'unpaid', held, until: LATER },
  ],
  [
    'the days of grace have passed',
    withSubscription({ state: 'past_due', outcome: 'grace', access_until: EARLIER }),
    { kind: 'stopped', held },
  ],
  [
    'Stripe gave up',
    withSubscription({ state: 'unpaid', outcome: 'inactive', access_until: null }),
    { kind: 'stopped', held },
  ],
  ['it is cancelled', withSubscription({ cancel_at: LATER }), { kind: 'cancelled', held, until: LATER }],
  [
    'it has ended',
    withSubscription({ state: 'canceled', outcome: 'inactive', access_until: null, cancel_at: EARLIER }),
    { kind: 'ended', held, ended: EARLIER },
  ],
  [
    'it was refunded',
    withSubscription({ outcome: 'refunded', access_until: null }),
    { kind: 'refunded', held },
  ],
  [
    'it was refunded and cancelled',
    withSubscription({ state: 'canceled', outcome: 'refunded', access_until: null, cancel_at: EARLIER }),
    { kind: 'ended', held, ended: EARLIER },
  ],
  [
    'the first payment is pending',
    withSubscription({ state: 'incomplete', outcome: 'inactive', access_until: null }),
    { kind: 'waiting' },
  ],
  [
    'the first payment was never made',
    withSubscription({ state: 'incomplete_expired', outcome: 'inactive', access_until: null }),
    { kind: 'not-paid' },
  ],
  [
    'a plan was granted after a refund, and the subscription can charge again',
    { ...GRANTED, subscription: { ...BOUGHT, outcome: 'refunded', access_until: null } },
    {
      kind: 'active',
      held: { plan: 'research', chain: null },
      renews: null,
      until: LATER,
      beside: { kind: 'refunded', held },
    },
  ],
  [
    'a payment is disputed',
    withSubscription({ outcome: 'disputed', access_until: null }),
    { kind: 'attention', outcome: 'disputed' },
  ],
  [
    'an operator granted a plan',
    GRANTED,
    { kind: 'active', held: { plan: 'research', chain: null }, renews: null, until: LATER },
  ],
])('says so when %s', (_when, entitlements, state) => {
  expect(toAccountState(entitlements, AT)).toEqual(state);
});

const PENDING = withSubscription({ state: 'incomplete', outcome: 'inactive', access_until: null });

it.each([
  ['a buyer came back', NOTHING, true],
  [
    'a buyer came back from a second purchase',
    withSubscription({ state: 'canceled', access_until: null }),
    true,
  ],
  ['a first payment is still to be confirmed', PENDING, false],
])('waits two minutes when %s, and then says what to do', (_when, entitlements, isBackFromPayment) => {
  const after = (ms: number) =>
    toAccountState(entitlements, { nowMs: NOW + ms, openedMs: NOW, isBackFromPayment });
  expect(after(WAIT_MS - 1)).toEqual({ kind: 'waiting' });
  expect(after(WAIT_MS)).toEqual({ kind: 'late' });
  expect(toAccountState(withSubscription({}), { ...AT, isBackFromPayment }).kind).toBe('active');
});

it('offers plans only to an account that can buy, and the portal only to a customer', () => {
  expect(canBuy(toAccountState(NOTHING, AT))).toBe(true);
  expect(canBuy(toAccountState(withSubscription({}), AT))).toBe(false);
  expect(canBuy(toAccountState(withSubscription({ outcome: 'refunded', access_until: null }), AT))).toBe(
    false,
  );
  expect(hasPortal(NOTHING)).toBe(false);
  expect(hasPortal(withSubscription({}))).toBe(true);
  expect(hasPortal(withSubscription({ outcome: 'customer-deleted' }))).toBe(false);
});

it.each([
  [withSubscription({}), 'Single Chain for Base', 'It renews on 20 September 2026.'],
  [withSubscription({ outcome: 'grace' }), 'payment failed', 'Your keys work until 20 September 2026'],
  [withSubscription({ cancel_at: LATER }), 'cancelled', 'Your keys work until 20 September 2026'],
  [GRANTED, 'Research', 'Your access ends on 20 September 2026.'],
])('names the date that matters', (entitlements, title, text) => {
  const words = stateWords(toAccountState(entitlements, AT));
  expect(words.title).toContain(title);
  expect(words.text).toContain(text);
});

it('does not say beside a grant that keys do not work', () => {
  const beside = withSubscription({ outcome: 'refunded', access_until: null });
  const paused = withSubscription({ state: 'unpaid', outcome: 'inactive', access_until: null });
  for (const entitlements of [beside, paused]) {
    const { text } = besideWords(toAccountState(entitlements, AT));
    expect(text).toContain('in the billing portal');
    expect(text).not.toContain('keys');
  }
});
