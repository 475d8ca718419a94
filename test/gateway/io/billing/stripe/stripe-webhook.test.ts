import Stripe from 'stripe';
import { toBillingEvent } from '../../../../../gateway/io/billing/stripe/stripe-webhook.js';
import { STRIPE_EVENTS } from '../../../../../gateway/core/billing/stripe-events.js';

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

/** Returns the signature header of Stripe. */
function sign(payload: string, { secret = SECRET, ageSeconds = 0 } = {}): string {
  const timestamp = Math.floor(NOW / 1000) - ageSeconds;
  return stripe.webhooks.generateTestHeaderString({ payload, secret, timestamp });
}

const verify = (
  payload: string,
  signature: string | undefined,
  secrets: readonly string[] = [SECRET],
): unknown => toBillingEvent(stripe, { body: Buffer.from(payload), signature, secrets, nowMs: NOW });

const PLAIN = JSON.stringify(SUBSCRIPTION);
const EXPECTED = {
  id: 'evt_1',
  type: 'customer.subscription.updated',
  isLive: false,
  customer: 'cus_1',
  charge: null,
  account: 'acme',
};
const REFUSED = expect.objectContaining({ code: 'webhook-signature-invalid' });

it('accepts an event signed at most five minutes before or after the current time', () => {
  for (const ageSeconds of [0, 299, 300, -300]) {
    expect(verify(PLAIN, sign(PLAIN, { ageSeconds }))).toEqual(EXPECTED);
  }
});

it('verifies the exact bytes of the body, also pretty-printed and with non-ASCII characters', () => {
  const pretty = JSON.stringify({ ...SUBSCRIPTION, note: 'Grüße 你好' }, null, 2);
  expect(verify(pretty, sign(pretty))).toEqual(EXPECTED);
});

it('accepts either of two secrets during a rotation, and a header with signatures of both', () => {
  expect(verify(PLAIN, sign(PLAIN, { secret: OTHER }), [SECRET, OTHER])).toEqual(EXPECTED);
  const both = `${sign(PLAIN, { secret: OTHER })},${sign(PLAIN).replace(/^t=\d+,/, '')}`;
  expect(verify(PLAIN, both, [SECRET])).toEqual(EXPECTED);
});

it.each<[string, () => unknown]>([
  ['no signature', () => verify(PLAIN, undefined)],
  ['an empty signature', () => verify(PLAIN, '')],
  ['a malformed signature', () => verify(PLAIN, 't=abc,v1=00')],
  ['an old signature', () => verify(PLAIN, sign(PLAIN, { ageSeconds: 301 }))],
  ['a signature from the future', () => verify(PLAIN, sign(PLAIN, { ageSeconds: -301 }))],
  ['a signature with another secret', () => verify(PLAIN, sign(PLAIN, { secret: OTHER }))],
  ['a signature of another body', () => verify(`${PLAIN} `, sign(PLAIN))],
  ['an altered body', () => verify(PLAIN.replace('acme', 'evil'), sign(PLAIN))],
  ['an empty body', () => verify('', sign(''))],
  ['a body that is not an event', () => verify('[]', sign('[]'))],
  ['a body that is not JSON', () => verify('event', sign('event'))],
  ['any event without a secret', () => verify(PLAIN, sign(PLAIN), [])],
])('rejects %s', (_what, work) => {
  expect(work).toThrow(REFUSED as Error);
});

it.each(Object.entries(STRIPE_EVENTS))(
  'reads the customer, charge and account of an event: %s',
  (type, { source }) => {
    const objects = {
      customer: { id: 'x', customer: { id: 'cus_1' }, metadata: {}, client_reference_id: 'acme' },
      itself: { id: 'cus_1', metadata: { account: 'acme' } },
      charge: { id: 'dp_1', charge: 'ch_1' },
    };
    const payload = JSON.stringify(toEvent(type, objects[source]));
    expect(verify(payload, sign(payload))).toMatchObject(
      source === 'charge'
        ? { customer: null, charge: 'ch_1', account: null }
        : { customer: 'cus_1', account: 'acme' },
    );
  },
);

it('reads no customer from an event without one', () => {
  const payload = JSON.stringify(
    toEvent('product.created', { id: 'prod_1', metadata: null, customer: null }),
  );
  expect(verify(payload, sign(payload))).toMatchObject({ customer: null, charge: null, account: null });
});

it('reads no account from an event whose account is empty', () => {
  const payload = JSON.stringify(
    toEvent('customer.subscription.updated', { id: 'sub_1', customer: 'cus_1', metadata: { account: '' } }),
  );
  expect(verify(payload, sign(payload))).toMatchObject({ customer: 'cus_1', account: null });
});
