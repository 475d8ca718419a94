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
  ['any event without a secret', () => verify(PLAIN, sign(PLAIN), [])],
])('rejects %s', (_what, work) => {
  expect(work).toThrow(REFUSED as Error);
});

/** A thin event, as Stripe's documentation shows it. */
const THIN = {
  id: 'evt_test_65R9Ijk8dKEYZcXeRWn16R9A7j1FSQ3w3TGDPLLGSM4CW0',
  object: 'v2.core.event',
  type: 'v1.billing.meter.error_report_triggered',
  livemode: false,
  created: '2026-08-20T12:00:00.000Z',
  context: null,
  related_object: { id: 'mtr_1', type: 'billing.meter', url: '/v1/billing/meters/mtr_1' },
};

it.each<[string, string, RegExp]>([
  ['a thin event', JSON.stringify(THIN), /thin event.* payload style Snapshot\.$/],
  ['a thin event, pretty-printed', JSON.stringify(THIN, null, 2), /payload style Snapshot\.$/],
  ['nothing', '', /not an event of Stripe\.$/],
  ['a list', '[]', /not an event of Stripe\.$/],
  ['a body that is not JSON', 'event', /not an event of Stripe\.$/],
  ['an event without its object', JSON.stringify({ ...SUBSCRIPTION, data: null }), /not an event/],
])('says what is wrong with a signed body, and not with its signature: %s', (_what, body, words) => {
  const expected = { code: 'request-malformed', message: expect.stringMatching(words) as string };
  for (const secrets of [[SECRET], [OTHER, SECRET]]) {
    expect(() => verify(body, sign(body), secrets)).toThrow(expect.objectContaining(expected) as Error);
  }
  expect(() => verify(body, sign(body, { secret: OTHER }))).toThrow(REFUSED as Error);
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
