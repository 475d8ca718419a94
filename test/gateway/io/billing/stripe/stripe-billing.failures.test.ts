import { GatewayError } from '../../../../../gateway/core/problems.js';
import type { BillingPort, CheckoutOptions } from '../../../../../gateway/io/billing/billing-port.js';
import { isRefusal } from '../../../../../gateway/io/billing/stripe/stripe-refusal.js';
import { PRICES } from '../../../../support/stripe/billing.js';
import {
  give,
  refuse,
  say,
  startCannedStripe,
  type CannedStripe,
  type Reply,
} from '../../../../support/stripe/canned-stripe.js';
import { startLoopbackServer } from '../../../../support/process/loopback-server.js';

const PRICE = 'GET /v1/prices/price_1';
const CUSTOMERS = 'POST /v1/customers';
const CHECKOUTS = 'POST /v1/checkout/sessions';
const PORTALS = 'POST /v1/billing_portal/sessions';
const OPTIONS: CheckoutOptions = {
  account: 'acme',
  customer: 'cus_1',
  plan: 'research',
  chain: null,
  idempotencyKey: 'once',
};
const IN_USE = refuse(409, { code: 'idempotency_key_in_use' });

let stripe: CannedStripe;
beforeAll(async () => {
  stripe = await startCannedStripe();
});
afterAll(() => stripe.dispose());
beforeEach(() => stripe.reset());

/** Asserts that a call fails with `billing-unavailable` and that its cause was reported once. Returns the cause. */
async function fail(call: Promise<unknown>): Promise<unknown> {
  const failed: unknown = await call.then(
    (value) => ({ answered: value }),
    (error: unknown) => error,
  );
  expect(failed).toBeInstanceOf(GatewayError);
  expect(failed).toMatchObject({ code: 'billing-unavailable' });
  const { cause } = failed as GatewayError;
  expect(stripe.errors.filter((each) => each === cause)).toHaveLength(1);
  return cause;
}

const CALLS: Readonly<Record<string, (billing: BillingPort) => Promise<unknown>>> = {
  createCustomer: (billing) => billing.createCustomer('acme', 'once'),
  readCustomerAccount: (billing) => billing.readCustomerAccount('cus_1'),
  readCustomer: (billing) => billing.readCustomer('cus_1'),
  readChargeCustomer: (billing) => billing.readChargeCustomer('ch_1'),
  createCheckout: (billing) => billing.createCheckout(OPTIONS),
  readCheckout: (billing) => billing.readCheckout('cs_1'),
  expireCheckout: (billing) => billing.expireCheckout('cs_1'),
  createPortal: (billing) => billing.createPortal('cus_1', 'once'),
  listSubscriptions: (billing) => billing.listSubscriptions()[Symbol.asyncIterator]().next(),
  readPrice: (billing) => billing.readPrice('price_1'),
  findMissingPermissions: (billing) => billing.findMissingPermissions(),
  listWebhooks: (billing) => billing.listWebhooks(),
};

describe('every call', () => {
  it('is tested here, except those that send no request', () => {
    expect(Object.keys(stripe.billing).sort()).toEqual([...Object.keys(CALLS), 'verifyEvent'].sort());
  });

  it.each(Object.entries(CALLS))(
    'fails with billing-unavailable and reports its cause once: %s',
    async (_name, call) => {
      const cause = await fail(call(stripe.billing));
      expect(cause).toMatchObject({ type: 'StripeInvalidRequestError', statusCode: 404 });
      expect(stripe.errors).toHaveLength(1);
    },
  );

  it.each(Object.entries(CALLS))(
    'fails when another server, such as a proxy, refuses with JSON: %s',
    async (_name, call) => {
      stripe.answer('*', say(403, '{"message":"Forbidden"}'));
      expect(isRefusal(await fail(call(stripe.billing)))).toBe(false);
    },
  );
});

const cut: Reply = (_sent, res) => void res.destroy();
const stall: Reply = (_sent, res) => void res.writeHead(200).write('{"id": ');
const silence: Reply = () => undefined;
const trickle: Reply = (_sent, res) => {
  res.writeHead(200);
  const timer = setInterval(() => res.write(' '), 200);
  res.once('close', () => clearInterval(timer));
};

/** Failures: the reported error, the number of tries, and whether Stripe refused. */
const FAILURES: Readonly<Record<string, { reply: Reply; type: string; tries: number; refusal: boolean }>> = {
  '400': { reply: refuse(400), type: 'StripeInvalidRequestError', tries: 1, refusal: true },
  '401': { reply: refuse(401), type: 'StripeAuthenticationError', tries: 1, refusal: true },
  '402': { reply: refuse(402), type: 'StripeCardError', tries: 1, refusal: true },
  '403': { reply: refuse(403), type: 'StripePermissionError', tries: 1, refusal: true },
  '404': { reply: refuse(404), type: 'StripeInvalidRequestError', tries: 1, refusal: true },
  '409': { reply: refuse(409), type: 'StripeAPIError', tries: 2, refusal: false },
  '429': { reply: refuse(429), type: 'StripeRateLimitError', tries: 1, refusal: false },
  '500': { reply: refuse(500), type: 'StripeAPIError', tries: 2, refusal: false },
  '503': { reply: refuse(503), type: 'StripeAPIError', tries: 2, refusal: false },
  'broken JSON': { reply: say(200, '{"id": "pri'), type: 'StripeAPIError', tries: 1, refusal: false },
  'an HTML page': { reply: say(502, '<html>'), type: 'StripeAPIError', tries: 2, refusal: false },
  'a closed connection': { reply: cut, type: 'StripeConnectionError', tries: 2, refusal: false },
  'no response': { reply: silence, type: 'StripeConnectionError', tries: 2, refusal: false },
  'a response that never ends': { reply: trickle, type: 'StripeAPIError', tries: 1, refusal: false },
  'half a response': { reply: stall, type: 'StripeConnectionError', tries: 1, refusal: false },
};

describe('a read', () => {
  it('fails with the error of each response, and is retried once if that may help', async () => {
    const outcomes = Object.entries(FAILURES).map(async ([what, { reply }], i) => {
      const route = `GET /v1/prices/price_${i}`;
      stripe.answer(route, reply);
      const cause = await fail(stripe.billing.readPrice(`price_${i}`));
      const { type } = cause as { type?: unknown };
      return [
        what,
        { reply, type, tries: stripe.paramsOf(route).length, refusal: isRefusal(cause) },
      ] as const;
    });
    expect(Object.fromEntries(await Promise.all(outcomes))).toEqual(FAILURES);
    expect(stripe.errors).toHaveLength(outcomes.length);
  });

  it('fails when the connection is refused, which is not a refusal of Stripe', async () => {
    const stopped = await startLoopbackServer(() => undefined);
    await stopped.dispose();
    const cause = await fail(stripe.connect({ apiBase: stopped.endpoint }).readPrice('price_1'));
    expect(cause).toMatchObject({ type: 'StripeConnectionError', detail: { code: 'ECONNREFUSED' } });
    expect(isRefusal(cause)).toBe(false);
  });

  it('succeeds when its retry succeeds, and reports no error', async () => {
    stripe.answer(PRICE, refuse(500), give({ id: 'price_1', currency: 'usd' }));
    expect(await stripe.billing.readPrice('price_1')).toMatchObject({ currency: 'usd' });
    expect(stripe.errors).toEqual([]);
  });
});

it('does not treat a 400 for too many requests as a refusal', async () => {
  stripe.answer(PRICE, refuse(400, { code: 'rate_limit' }));
  const cause = await fail(stripe.billing.readPrice('price_1'));
  expect(cause).toMatchObject({ type: 'StripeRateLimitError' });
  expect(isRefusal(cause)).toBe(false);
});

it.each<[string, unknown]>([
  ['an error that is not from Stripe', new TypeError('no')],
  ['the problem that callers get', new GatewayError('billing-unavailable')],
  ['an object that looks like a Stripe error', { statusCode: 400 }],
  ['nothing', undefined],
])('does not treat %s as a refusal of Stripe', (_what, error) => {
  expect(isRefusal(error)).toBe(false);
});

/** Returns the idempotency keys of the requests. */
const keys = (): (string | undefined)[] => stripe.sent.map(({ key }) => key);

describe('a create with an idempotency key', () => {
  it('waits while another create with the same key is running', async () => {
    stripe.answer(CUSTOMERS, IN_USE, IN_USE, give({ id: 'cus_1' }));
    stripe.answer(CHECKOUTS, IN_USE, IN_USE, give({ id: 'cs_1', status: 'open' }));
    stripe.answer(PORTALS, IN_USE, IN_USE, give({ id: 'bps_1', url: 'https://x' }));
    const { billing } = stripe;
    const creations = [billing.createCustomer('acme', 'once'), billing.createPortal('cus_1', 'once')];
    expect(await billing.createCheckout(OPTIONS)).toMatchObject({ id: 'cs_1', state: 'open' });
    expect(await Promise.all(creations)).toEqual(['cus_1', 'https://x']);
    for (const route of [CUSTOMERS, CHECKOUTS, PORTALS]) {
      const [key, ...others] = stripe.sent.filter((each) => each.route === route).map((each) => each.key);
      expect(key).toMatch(/^[0-9a-f]{64}$/);
      expect(others).toEqual([key, key]);
    }
    expect(stripe.errors).toEqual([]);
  });

  it('fails at once when the key was used for something else', async () => {
    stripe.answer(PORTALS, refuse(400, { type: 'idempotency_error' }));
    const cause = await fail(stripe.billing.createPortal('cus_1', 'once'));
    expect(cause).toMatchObject({ type: 'StripeIdempotencyError' });
    expect(isRefusal(cause)).toBe(true);
    expect(stripe.sent).toHaveLength(1);
  });

  it('sends the same key for the same options, also from another copy of the gateway', async () => {
    stripe.answer(CUSTOMERS, give({ id: 'cus_1' }));
    stripe.answer(CHECKOUTS, give({ id: 'cs_1' }));
    stripe.answer(PORTALS, give({ id: 'bps_1', url: 'https://x' }));
    for (const billing of [stripe.billing, stripe.connect({})]) {
      await billing.createCustomer('acme', 'once');
      await billing.createCheckout({ ...OPTIONS });
      await billing.createPortal('cus_1', 'once');
    }
    expect(keys().slice(0, 3)).toEqual(keys().slice(3));
    expect(new Set(keys()).size).toBe(3);
  });

  const OTHER_PRICE = { prices: { ...PRICES, research: 'price_dearer' } };
  const OTHER_DASHBOARD = { dashboardUrl: 'https://other.example.com' };

  it.each<[string, string, ((billing: BillingPort) => Promise<unknown>)[], object?]>([
    ['the price of a checkout', CHECKOUTS, [(billing) => billing.createCheckout(OPTIONS)], OTHER_PRICE],
    [
      'the dashboard of a checkout',
      CHECKOUTS,
      [(billing) => billing.createCheckout(OPTIONS)],
      OTHER_DASHBOARD,
    ],
    [
      'the dashboard of a portal',
      PORTALS,
      [(billing) => billing.createPortal('cus_1', 'once')],
      OTHER_DASHBOARD,
    ],
    [
      'the chain of a checkout',
      CHECKOUTS,
      (['base', 'ethereum'] as const).map(
        (chain) => (billing) => billing.createCheckout({ ...OPTIONS, plan: 'single-chain', chain }),
      ),
    ],
    [
      'the customer of a portal',
      PORTALS,
      ['cus_1', 'cus_2'].map((customer) => (billing) => billing.createPortal(customer, 'once')),
    ],
    [
      'the account of a customer',
      CUSTOMERS,
      ['a', 'b'].map((each) => (billing) => billing.createCustomer(each, 'once')),
    ],
    [
      'the key of the caller',
      CUSTOMERS,
      ['1', '2'].map((key) => (billing) => billing.createCustomer('acme', key)),
    ],
  ])('sends another key when this differs: %s', async (_what, route, calls, other = {}) => {
    stripe.answer(route, give({ id: 'x_1', url: 'https://x' }));
    const [first, second = first] = calls;
    await first?.(stripe.billing);
    await second?.(stripe.connect(other));
    expect(stripe.sent).toHaveLength(2);
    expect(new Set(keys()).size).toBe(2);
  });

  it('sends a key that does not depend on the price of the other plan', async () => {
    stripe.answer(CHECKOUTS, give({ id: 'cs_1' }));
    await stripe.billing.createCheckout(OPTIONS);
    await stripe.connect({ prices: { ...PRICES, 'single-chain': 'price_dearer' } }).createCheckout(OPTIONS);
    expect(new Set(keys()).size).toBe(1);
  });
});
