import Stripe from 'stripe';
import { toBillingEvent } from '../../gateway/io/billing/stripe-webhook.js';
import { STRIPE_EVENTS } from '../../gateway/core/billing/stripe-events.js';

const stripe = new Stripe('sk_test_nothingisasked');
const SECRET = 'whsec_thisisthesecretofthetests';
const OTHER = 'whsec_thisisanothersecretofthem';
const NOW = Date.parse('2026-08-20T12:00:00Z');

const toEvent = (type: string, object: object): object => ({
  id: 'evt_1',
  object: 'event',
  type,
  livemode: false,
  data: { object },
});
const SUBSCRIPTION = toEvent('customer.subscription.updated', {
  id: 'sub_1',
  customer: 'cus_1',
  metadata: { account: 'acme' },
});

/** A header as Stripe makes it. */
function sign(payload: string, { secret = SECRET, ageSeconds = 0 } = {}): string {
  const timestamp = Math.floor(NOW / 1000) - ageSeconds;
  return stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
}

const take = (
  payload: string,
  signature: string | undefined,
  secrets: readonly string[] = [SECRET],
): unknown => toBillingEvent(stripe, { body: Buffer.from(payload), signature, secrets, nowMs: NOW });

const PLAIN = JSON.stringify(SUBSCRIPTION);
const TAKEN = {
  id: 'evt_1',
  type: 'customer.subscription.updated',
  isLive: false,
  customer: 'cus_1',
  charge: null,
  account: 'acme',
};
const REFUSED = expect.objectContaining({ code: 'webhook-signature-invalid' });

it('takes an event that was signed within five minutes, before or after by our clock', () => {
  for (const ageSeconds of [0, 299, 300, -300]) {
    expect(take(PLAIN, sign(PLAIN, { ageSeconds }))).toEqual(TAKEN);
  }
});

it('takes a body as it came, also pretty-printed, and with letters of other scripts', () => {
  const pretty = JSON.stringify({ ...SUBSCRIPTION, note: 'Grüße 你好' }, null, 2);
  expect(take(pretty, sign(pretty))).toEqual(TAKEN);
});

it('takes either of two secrets during a rotation, and a header with signatures of both', () => {
  expect(take(PLAIN, sign(PLAIN, { secret: OTHER }), [SECRET, OTHER])).toEqual(TAKEN);
  const both = `${sign(PLAIN, { secret: OTHER })},${sign(PLAIN).replace(/^t=\d+,/, '')}`;
  expect(take(PLAIN, both, [SECRET])).toEqual(TAKEN);
});

it.each<[string, () => unknown]>([
  ['no signature', () => take(PLAIN, undefined)],
  ['an empty one', () => take(PLAIN, '')],
  ['one that is none', () => take(PLAIN, 't=abc,v1=00')],
  ['an old one', () => take(PLAIN, sign(PLAIN, { ageSeconds: 301 }))],
  ['one of the future', () => take(PLAIN, sign(PLAIN, { ageSeconds: -301 }))],
  ['one of another secret', () => take(PLAIN, sign(PLAIN, { secret: OTHER }))],
  ['one of another body', () => take(`${PLAIN} `, sign(PLAIN))],
  ['an altered body', () => take(PLAIN.replace('acme', 'evil'), sign(PLAIN))],
  ['an empty body', () => take('', sign(''))],
  ['a body that is no event', () => take('[]', sign('[]'))],
  ['a body that is not JSON', () => take('event', sign('event'))],
  ['no secret to compare with', () => take(PLAIN, sign(PLAIN), [])],
])('refuses %s', (_what, work) => {
  expect(work).toThrow(REFUSED as Error);
});

it.each(Object.entries(STRIPE_EVENTS))('finds whose an event is: %s', (type, { source }) => {
  const objects = {
    customer: { id: 'x', customer: { id: 'cus_1' }, metadata: {}, client_reference_id: 'acme' },
    itself: { id: 'cus_1', metadata: { account: 'acme' } },
    charge: { id: 'dp_1', charge: 'ch_1' },
  };
  const payload = JSON.stringify(toEvent(type, objects[source]));
  expect(take(payload, sign(payload))).toMatchObject(
    source === 'charge'
      ? { customer: null, charge: 'ch_1', account: null }
      : { customer: 'cus_1', account: 'acme' },
  );
});

it('finds nobody in an event that is about nobody', () => {
  const payload = JSON.stringify(
    toEvent('product.created', { id: 'prod_1', metadata: null, customer: null }),
  );
  expect(take(payload, sign(payload))).toMatchObject({ customer: null, charge: null, account: null });
});
