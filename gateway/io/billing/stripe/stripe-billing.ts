import Stripe from 'stripe';
import type { PlanId } from '../../../../schemas/catalog.js';
import { sha256Hex } from '../../../../schemas/digest.js';
import type { PriceFacts } from '../../../core/billing/price-faults.js';
import type { WebhookFacts } from '../../../core/billing/webhook-faults.js';
import { GatewayError } from '../../../core/problems.js';
import type { CustomerState } from '../../../core/billing/billing-record.js';
import type { BillingPort, CheckoutSession, CheckoutOptions } from '../billing-port.js';
import { STRIPE_API_VERSION } from './stripe-refusal.js';
import { toBillingEvent } from './stripe-webhook.js';
import type { IncomingMessage } from 'node:http';
import { noAnswerFrom, withTimeLimit } from '../../timing/time-limit.js';
import { EARLY_PAYMENT_MS } from '../../../core/billing/grant-from-subscription.js';
import { statusRuleOf, type Payment, type Subscription } from '../../../core/billing/subscription.js';

const PAGE_SIZE = 100;

/** Reads the subscriptions of a customer, newest first. Those whose status grants access have their payments. */
async function readSubscriptions(stripe: Stripe, customer: string): Promise<Subscription[]> {
  const found: Subscription[] = [];
  for await (const each of stripe.subscriptions.list({ status: 'all', limit: PAGE_SIZE, customer })) {
    const grantsAccess = (statusRuleOf(each.status)?.access ?? 'no') !== 'no';
    found.push(toSubscription(each, grantsAccess ? await readPayments(stripe, each) : []));
  }
  return found;
}

/** Lists all subscriptions, newest first, without their payments. */
async function* listSubscriptions(stripe: Stripe): AsyncGenerator<Subscription> {
  for await (const each of stripe.subscriptions.list({ status: 'all', limit: PAGE_SIZE })) {
    yield toSubscription(each, []);
  }
}

function toSubscription(from: Stripe.Subscription, payments: readonly Payment[]): Subscription {
  return {
    id: from.id,
    customer: typeof from.customer === 'string' ? from.customer : from.customer.id,
    status: from.status,
    isLive: from.livemode,
    currency: from.currency,
    metadata: from.metadata,
    createdMs: toMs(from.created),
    items: from.items.data.map(({ price, current_period_start: start, current_period_end: end }) => ({
      price: price.id,
      periodStartMs: toMs(start),
      periodEndMs: toMs(end),
    })),
    cancelAtMs: from.cancel_at === null ? null : toMs(from.cancel_at),
    cancelsAtPeriodEnd: from.cancel_at_period_end,
    payments,
  };
}

/** Converts seconds to milliseconds; a missing value becomes `NaN`. */
function toMs(seconds: number | null | undefined): number {
  return typeof seconds === 'number' ? seconds * 1000 : Number.NaN;
}

/**
 * Reads the payments of the current period and all disputed payments. Returns an empty list if none of them was refunded or
 * disputed, because then they do not affect access.
 */
async function readPayments(stripe: Stripe, subscription: Stripe.Subscription): Promise<Payment[]> {
  const starts = subscription.items.data.map((item) => item.current_period_start).filter(Number.isFinite);
  const { customer, created } = subscription;
  const charges = stripe.charges.list({
    customer: typeof customer === 'string' ? customer : customer.id,
    created: { gte: created - EARLY_PAYMENT_MS / 1000 },
    limit: PAGE_SIZE,
  });
  const relevant: Stripe.Charge[] = [];
  for await (const charge of charges) {
    const isOfPeriod = toMs(charge.created) >= toMs(Math.max(...starts)) - EARLY_PAYMENT_MS;
    if (charge.paid && charge.amount_captured > 0 && (isOfPeriod || charge.disputed)) relevant.push(charge);
  }
  if (!relevant.some((charge) => charge.amount_refunded > 0 || charge.disputed)) return [];
  const payments: Payment[] = [];
  for (const charge of relevant) {
    if (!(await isPaymentOf(stripe, charge, subscription.id))) continue;
    payments.push({
      paidAtMs: toMs(charge.created),
      cents: charge.amount_captured,
      refundedCents: charge.amount_refunded,
      dispute: charge.disputed ? await readDispute(stripe, charge.id) : 'none',
    });
  }
  return payments;
}

/** Returns whether a charge paid an invoice of the subscription. */
async function isPaymentOf(
  stripe: Stripe,
  { payment_intent: intent }: Stripe.Charge,
  subscription: string,
): Promise<boolean> {
  if (intent === null) return false;
  const payment = {
    type: 'payment_intent',
    payment_intent: typeof intent === 'string' ? intent : intent.id,
  } as const;
  const paid = stripe.invoicePayments.list({ payment, expand: ['data.invoice'], limit: PAGE_SIZE });
  for await (const { invoice } of paid) {
    if (typeof invoice === 'string' || invoice.deleted === true) continue;
    const paidFor = invoice.parent?.subscription_details?.subscription;
    if ((typeof paidFor === 'string' ? paidFor : paidFor?.id) === subscription) return true;
  }
  return false;
}

const DISPUTES: ReadonlyMap<string, Payment['dispute']> = new Map([
  ['won', 'won'],
  ['prevented', 'won'],
  ['lost', 'lost'],
  ['warning_needs_response', 'none'], // an inquiry of the bank: no money was withdrawn
  ['warning_under_review', 'none'],
  ['warning_closed', 'none'],
]);

/** Returns the worst state of the disputes of a charge. An unknown status counts as open. */
async function readDispute(stripe: Stripe, charge: string): Promise<Payment['dispute']> {
  const found = new Set<Payment['dispute']>();
  for await (const { status } of stripe.disputes.list({ charge, limit: PAGE_SIZE }))
    found.add(DISPUTES.get(status) ?? 'open');
  return (['open', 'lost', 'won'] as const).find((each) => found.has(each)) ?? 'none';
}

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

/** Added to the timeout of the SDK, so that the SDK reports its own timeout first. */
const SLACK_MS = 250;

/**
 * Returns the SDK's HTTP client with two additions: time limits for the headers and for the body of a response, because the
 * SDK limits only the time without data, and an error for a failed response that is not a Stripe error, such as that of a proxy.
 */
function createStripeHttpClient(): Stripe.HttpClient {
  const client = Stripe.createNodeHttpClient();
  const noAnswer = noAnswerFrom('Stripe');
  return {
    getClientName: () => client.getClientName(),
    async makeRequest(...request) {
      const [, , , , , , , sdkTimeoutMs] = request;
      const timeoutMs = sdkTimeoutMs + SLACK_MS;
      const answer = await withTimeLimit(client.makeRequest(...request), timeoutMs, noAnswer);
      const read = answer.toJSON.bind(answer);
      answer.toJSON = async () => {
        const body: unknown = await withTimeLimit(Promise.resolve(read()), timeoutMs, noAnswer).catch(
          (error: unknown) => {
            (answer.getRawResponse() as IncomingMessage).destroy(); // the response of Node's HTTP client
            throw error;
          },
        );
        const status = answer.getStatusCode();
        if (status >= 300 && !isStripeError(body))
          throw new Error(`HTTP ${status}, but the response is not a Stripe error`);
        return body;
      };
      return answer;
    },
  };
}

function isStripeError(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'error' in body;
}
