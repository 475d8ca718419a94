import Stripe from 'stripe';
import type { PlanId } from '../../../schemas/catalog.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { PriceFacts } from '../../core/billing/judge-price.js';
import type { WebhookFacts } from '../../core/billing/judge-webhooks.js';
import { GatewayError } from '../../core/problems.js';
import type { CustomerState } from '../../core/billing/billing-record.js';
import type { BillingPort, CheckoutSession, CheckoutTerms } from './billing-port.js';
import { createStripeHttpClient } from './stripe-http.js';
import { listSubscriptions, readSubscriptions } from './stripe-subscriptions.js';
import { toBillingEvent } from './stripe-webhook.js';

/** What the billing at Stripe needs. */
export type StripeTerms = {
  readonly secretKey: string;
  /** The newest first; a second one during a rotation. */
  readonly webhookSecrets: readonly string[];
  /** The price by which each plan is sold now. */
  readonly prices: Readonly<Record<PlanId, string>>;
  /** Where a customer comes from, and goes back to. */
  readonly dashboardUrl: string;
  /** Another server than Stripe's, for tests. */
  readonly apiBase?: string;
  /** In milliseconds since the epoch. */
  readonly now: () => number;
  /** Told of each failure of Stripe. */
  readonly onError: (error: unknown) => void;
};

/** The version of Stripe's API that this code is written for; the webhook endpoint is created with the same one. */
export const STRIPE_API_VERSION = '2026-10-28.endive';

/** How long a call may take, and how often it is repeated; a webhook must be answered within five seconds. */
const READING = { timeout: 2_000, maxNetworkRetries: 1 };
/** The same of what is made once for a key: the second of two at once is refused for as long as the first takes. */
const MAKING = { timeout: 5_000, maxNetworkRetries: 4 };

/** Billing at Stripe, by its SDK. */
export function createStripeBilling(terms: StripeTerms): BillingPort {
  const stripe = createStripe(terms);
  const ask = createAsk(terms.onError);
  return {
    createCustomer: (account, idempotencyKey) =>
      ask(async () => {
        const params = { metadata: { account } };
        return (await stripe.customers.create(params, makingOf(idempotencyKey, params))).id;
      }),
    readCustomerAccount: (customer) =>
      ask(async () => {
        const found = await stripe.customers.retrieve(customer);
        return found.deleted === true ? null : (found.metadata['account'] ?? null);
      }),
    readCustomer: (customer) => ask(() => readCustomer(stripe, customer)),
    readChargeCustomer: (charge) => ask(async () => idOf((await stripe.charges.retrieve(charge)).customer)),
    createCheckout: ({ idempotencyKey, ...what }) =>
      ask(async () => {
        const params = toCheckout(what, terms);
        return toSession(await stripe.checkout.sessions.create(params, makingOf(idempotencyKey, params)));
      }),
    readCheckout: (session) => ask(async () => toSession(await stripe.checkout.sessions.retrieve(session))),
    expireCheckout: (session) => ask(() => expire(stripe, session)),
    createPortal: (customer, idempotencyKey) =>
      ask(async () => {
        const params = { customer, return_url: terms.dashboardUrl };
        return (await stripe.billingPortal.sessions.create(params, makingOf(idempotencyKey, params))).url;
      }),
    async *listSubscriptions() {
      const each = listSubscriptions(stripe);
      for (;;) {
        const next = await ask(() => each.next());
        if (next.done === true) return;
        yield next.value;
      }
    },
    readPrice: (price) => ask(async () => toPriceFacts(await stripe.prices.retrieve(price))),
    findDenied: () => ask(() => findDenied(stripe)),
    listWebhooks: () => ask(() => listWebhooks(stripe)),
    verifyEvent: (body, signature) =>
      toBillingEvent(stripe, { body, signature, secrets: terms.webhookSecrets, nowMs: terms.now() }),
  };
}

function createStripe({ secretKey, apiBase }: StripeTerms): Stripe {
  const base = apiBase === undefined ? undefined : new URL(apiBase);
  return new Stripe(secretKey, {
    apiVersion: STRIPE_API_VERSION,
    ...READING,
    httpClient: createStripeHttpClient(),
    telemetry: false,
    appInfo: { name: 'chain-reference-data-gateway' },
    ...(base === undefined
      ? {}
      : { host: base.hostname, port: base.port, protocol: base.protocol === 'http:' ? 'http' : 'https' }),
  });
}

/** How to make something once for a key: of other terms than before it is something else. */
function makingOf(key: string, params: object): Stripe.RequestOptions {
  return { ...MAKING, idempotencyKey: sha256Hex(JSON.stringify([key, params])) };
}

/** Whether Stripe answered that it will not: asking again does not help, but somebody must look. */
export function isRefusal(error: unknown): boolean {
  if (!(error instanceof Stripe.errors.StripeError)) return false;
  const { statusCode = 500 } = error;
  return statusCode < 500 && statusCode !== 409 && !(error instanceof Stripe.errors.StripeRateLimitError);
}

/** Makes calls whose failures are told, and which their caller sees as one problem. */
function createAsk(onError: (error: unknown) => void): <T>(call: () => Promise<T>) => Promise<T> {
  return async (call) => {
    try {
      return await call();
    } catch (error) {
      onError(error);
      throw new GatewayError('billing-unavailable', { cause: error });
    }
  };
}

async function readCustomer(stripe: Stripe, id: string): Promise<CustomerState> {
  const customer = await stripe.customers.retrieve(id);
  if (customer.deleted === true) return { isDeleted: true, subscriptions: [] };
  return { isDeleted: false, subscriptions: await readSubscriptions(stripe, id) };
}

/** Reads one of everything that reading a subscription may need; nothing need be there. */
async function findDenied(stripe: Stripe): Promise<string[]> {
  const one = { limit: 1 } as const;
  const reads = {
    customers: () => stripe.customers.list(one),
    subscriptions: () => stripe.subscriptions.list(one),
    charges: () => stripe.charges.list(one),
    disputes: () => stripe.disputes.list(one),
    invoices: () => stripe.invoices.list(one),
    'invoice payments': () => stripe.invoicePayments.list(one),
    'checkout sessions': () => stripe.checkout.sessions.list(one),
  };
  const denied: string[] = [];
  for (const [what, read] of Object.entries(reads)) {
    try {
      await read();
    } catch (error) {
      if (!(error instanceof Stripe.errors.StripePermissionError)) throw error;
      denied.push(what);
    }
  }
  return denied;
}

function toCheckout(
  { account, customer, plan, chain }: Omit<CheckoutTerms, 'idempotencyKey'>,
  { prices, dashboardUrl }: StripeTerms,
): Stripe.Checkout.SessionCreateParams {
  const metadata = { account, plan, ...(chain === null ? {} : { chain }) };
  return {
    mode: 'subscription',
    customer,
    ...(account.length <= 200 ? { client_reference_id: account } : {}), // more is not taken
    line_items: [{ price: prices[plan], quantity: 1 }],
    metadata,
    subscription_data: { metadata },
    success_url: withQuery(dashboardUrl, 'checkout=success&session_id={CHECKOUT_SESSION_ID}'),
    cancel_url: withQuery(dashboardUrl, 'checkout=cancelled'),
  };
}

/** The address with more in its query; Stripe fills in its own words in braces, which must not be escaped. */
function withQuery(url: string, query: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${query}`;
}

function toSession({ id, status, url }: Stripe.Checkout.Session): CheckoutSession {
  const state = (['open', 'complete'] as const).find((each) => each === status) ?? 'expired';
  return { id, state, url: url ?? null };
}

/** Ends a session; one that is over already is as well. */
async function expire(stripe: Stripe, session: string): Promise<void> {
  try {
    await stripe.checkout.sessions.expire(session);
  } catch (error) {
    const { status } = await stripe.checkout.sessions.retrieve(session);
    if (status === 'open') throw error;
  }
}

function toPriceFacts({
  active,
  livemode,
  currency,
  unit_amount: cents,
  recurring,
}: Stripe.Price): PriceFacts {
  return {
    isActive: active,
    isLive: livemode,
    currency,
    cents,
    interval: recurring?.interval ?? null,
    intervalCount: recurring?.interval_count ?? null,
  };
}

async function listWebhooks(stripe: Stripe): Promise<WebhookFacts[]> {
  const found: WebhookFacts[] = [];
  for await (const each of stripe.webhookEndpoints.list({ limit: 100 })) {
    found.push({
      url: each.url,
      isEnabled: each.status === 'enabled',
      isLive: each.livemode,
      events: each.enabled_events,
      version: each.api_version,
    });
  }
  return found;
}

/** The id of something that comes as its id or as itself. */
function idOf(thing: string | { readonly id: string } | null): string | null {
  return typeof thing === 'string' ? thing : (thing?.id ?? null);
}
