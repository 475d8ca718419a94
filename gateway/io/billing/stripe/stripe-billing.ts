import Stripe from 'stripe';
import type { PlanId } from '../../../../schemas/catalog.js';
import { sha256Hex } from '../../../../schemas/digest.js';
import type { PriceFacts } from '../../../core/billing/price-faults.js';
import type { WebhookFacts } from '../../../core/billing/webhook-faults.js';
import { GatewayError } from '../../../core/problems.js';
import type { CustomerState } from '../../../core/billing/billing-record.js';
import type { BillingPort, CheckoutSession, CheckoutOptions } from '../billing-port.js';
import { createStripeHttpClient } from './stripe-http.js';
import { STRIPE_API_VERSION } from './stripe-refusal.js';
import { listSubscriptions, readSubscriptions } from './stripe-subscriptions.js';
import { toBillingEvent } from './stripe-webhook.js';

/** Options for `createStripeBilling`. */
export type StripeOptions = {
  readonly secretKey: string;
  /** Secrets of the webhook, the newest first; two during a rotation. */
  readonly webhookSecrets: readonly string[];
  /** Price id that each plan is currently sold at. */
  readonly prices: Readonly<Record<PlanId, string>>;
  /** Page to which the checkout and the portal return. */
  readonly dashboardUrl: string;
  /** Address of another server than Stripe's, for tests. */
  readonly apiBase?: string;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** Receives the error of each failed call. */
  readonly onError: (error: unknown) => void;
};

/** Timeout in milliseconds, and retries, of a read. Both tries of one read fit into the time limit of an event. */
const READ_LIMITS = { timeout: 2_000, maxNetworkRetries: 1 };
/** The same of a create. Stripe rejects a concurrent create with the same idempotency key until the first one ends. */
const CREATE_LIMITS = { timeout: 5_000, maxNetworkRetries: 4 };

/** Creates the payment provider that calls Stripe with its SDK. */
export function createStripeBilling(options: StripeOptions): BillingPort {
  const stripe = createStripe(options);
  const run = createRunner(options.onError);
  return {
    createCustomer: (account, idempotencyKey) =>
      run(async () => {
        const params = { metadata: { account } };
        return (await stripe.customers.create(params, createOptions(idempotencyKey, params))).id;
      }),
    readCustomerAccount: (customer) =>
      run(async () => {
        const found = await stripe.customers.retrieve(customer);
        return found.deleted === true ? null : (found.metadata['account'] ?? null);
      }),
    readCustomer: (customer) => run(() => readCustomer(stripe, customer)),
    readChargeCustomer: (charge) => run(async () => idOf((await stripe.charges.retrieve(charge)).customer)),
    createCheckout: ({ idempotencyKey, ...purchase }) =>
      run(async () => {
        const params = toSessionParams(purchase, options);
        return toSession(
          await stripe.checkout.sessions.create(params, createOptions(idempotencyKey, params)),
        );
      }),
    readCheckout: (session) => run(async () => toSession(await stripe.checkout.sessions.retrieve(session))),
    expireCheckout: (session) => run(() => expire(stripe, session)),
    createPortal: (customer, idempotencyKey) =>
      run(async () => {
        const params = { customer, return_url: withQuery(options.dashboardUrl, 'portal=returned') };
        return (await stripe.billingPortal.sessions.create(params, createOptions(idempotencyKey, params)))
          .url;
      }),
    async *listSubscriptions() {
      const subscriptions = listSubscriptions(stripe);
      for (;;) {
        const next = await run(() => subscriptions.next());
        if (next.done === true) return;
        yield next.value;
      }
    },
    readPrice: (price) => run(async () => toPriceFacts(await stripe.prices.retrieve(price))),
    findMissingPermissions: () => run(() => findMissingPermissions(stripe)),
    listWebhooks: () => run(() => listWebhooks(stripe)),
    verifyEvent: (body, signature) =>
      toBillingEvent(stripe, { body, signature, secrets: options.webhookSecrets, nowMs: options.now() }),
  };
}

function createStripe({ secretKey, apiBase }: StripeOptions): Stripe {
  const base = apiBase === undefined ? undefined : new URL(apiBase);
  return new Stripe(secretKey, {
    apiVersion: STRIPE_API_VERSION,
    ...READ_LIMITS,
    httpClient: createStripeHttpClient(),
    telemetry: false,
    appInfo: { name: 'chain-reference-data-gateway' },
    ...(base === undefined
      ? {}
      : { host: base.hostname, port: base.port, protocol: base.protocol === 'http:' ? 'http' : 'https' }),
  });
}

/**
 * Returns the request options of a create. The idempotency key covers the parameters, because Stripe rejects a key that is
 * reused with other parameters.
 */
function createOptions(key: string, params: object): Stripe.RequestOptions {
  return { ...CREATE_LIMITS, idempotencyKey: sha256Hex(JSON.stringify([key, params])) };
}

/** Returns a function that runs a call, reports its failure to `onError`, and throws it as `billing-unavailable`. */
function createRunner(onError: (error: unknown) => void): <T>(call: () => Promise<T>) => Promise<T> {
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

/** Lists one object of each kind that the gateway reads, except prices and webhooks, which other checks of the doctor read. */
async function findMissingPermissions(stripe: Stripe): Promise<string[]> {
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

function toSessionParams(
  { account, customer, plan, chain }: Omit<CheckoutOptions, 'idempotencyKey'>,
  { prices, dashboardUrl }: StripeOptions,
): Stripe.Checkout.SessionCreateParams {
  const metadata = { account, plan, ...(chain === null ? {} : { chain }) };
  return {
    mode: 'subscription',
    customer,
    ...(account.length <= 200 ? { client_reference_id: account } : {}), // the maximum length that Stripe accepts
    line_items: [{ price: prices[plan], quantity: 1 }],
    metadata,
    subscription_data: { metadata },
    success_url: withQuery(dashboardUrl, 'checkout=success&session_id={CHECKOUT_SESSION_ID}'),
    cancel_url: withQuery(dashboardUrl, 'checkout=cancelled'),
  };
}

/** Appends to the query of a URL. The braces of the placeholder that Stripe replaces must not be escaped. */
function withQuery(url: string, query: string): string {
  return `${url}${url.includes('?') ? '&' : '?'}${query}`;
}

function toSession({ id, status, url }: Stripe.Checkout.Session): CheckoutSession {
  const state = (['open', 'complete'] as const).find((each) => each === status) ?? 'expired';
  return { id, state, url: url ?? null };
}

/** Expires a session. Does nothing if it is already closed. */
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

/** Returns the id of an object that Stripe sends as its id or expanded. */
function idOf(object: string | { readonly id: string } | null): string | null {
  return typeof object === 'string' ? object : (object?.id ?? null);
}
