import { toInstant } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { ENDPOINTS } from '../../../schemas/paths.js';
import type { Account, Billing } from '../../../schemas/types.generated.js';
import {
  createBilling,
  endAllSubscriptions,
  hasCurrentSubscription,
  nextAttempt,
} from '../../core/billing/billing-record.js';
import type { Purchase } from '../../core/billing/checkout-request.js';
import { GatewayError } from '../../core/problems.js';
import { updateAccount, type UpdateOptions } from '../accounts/update-account.js';
import type { BillingPort, CheckoutSession } from './billing-port.js';

/** Dependencies of `openCheckout` and `openPortal`. */
type CheckoutContext = UpdateOptions & {
  readonly billing: BillingPort;
  /** Returns milliseconds since the epoch. */
  readonly now: () => number;
  /** Updates an account to the state at Stripe. */
  readonly sync: (account: string) => Promise<unknown>;
};

/** An open checkout session, with the URL of its payment page. */
export type OpenCheckout = { readonly id: string; readonly url: string };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Maximum number of tries. Another one is needed if the session closes before it is returned, or a concurrent call recorded another session first. */
const MAX_TRIES = 3;

/**
 * Returns an open checkout session for this purchase: the account's current session if it is for the same purchase,
 * otherwise a new one. Concurrent calls for the same purchase get the same session: they have the same idempotency key, or,
 * on both sides of a full hour, the session that was recorded first is used.
 * @throws GatewayError 'already-subscribed', 'billing-unavailable'
 */
export async function openCheckout(
  context: CheckoutContext,
  account: string,
  wanted: Purchase,
): Promise<OpenCheckout> {
  const { billing, now } = context;
  let known = await requireCustomer(context, account);
  for (let tries = 1; tries <= MAX_TRIES; tries += 1) {
    known = await closeOtherSession(context, account, known, wanted);
    // Check for subscriptions after closing the session, because it may have been paid before it was closed.
    known = await assertNotSubscribed(context, account, known);
    const session = await openSession(context, account, known, wanted);
    const openedAt = toInstant(now());
    const recorded = { id: session.id, ...wanted, opened_at: openedAt };
    const after = await rememberSession(context, account, known, recorded);
    if (after?.checkout.session?.id !== session.id) {
      await billing.expireCheckout(session.id); // a concurrent call recorded another session or deleted the account first
      if (after === undefined) break;
      known = after;
      continue;
    }
    if (session.state === 'open' && session.url !== null) return { id: session.id, url: session.url };
  }
  throw new GatewayError('billing-unavailable', { detail: 'The checkout could not be opened. Try again.' });
}

/** Returns the URL of the billing portal. @throws GatewayError 'subscription-inactive', 'billing-unavailable' */
export async function openPortal(
  { billing, now }: CheckoutContext,
  account: Account | undefined,
): Promise<string> {
  const customer = account?.billing?.customer;
  if (account === undefined || customer === undefined) {
    throw new GatewayError('subscription-inactive', {
      detail: `The account has no subscription. Start one with POST ${ENDPOINTS.checkout}.`,
    });
  }
  if ((await billing.readCustomer(customer)).isDeleted) {
    throw new GatewayError('subscription-inactive', {
      detail: `The subscription has ended. Start a new one with POST ${ENDPOINTS.checkout}.`,
    });
  }
  const minute = Math.floor(now() / MINUTE_MS); // requests within a minute share a portal session
  return billing.createPortal(customer, idempotencyKeyOf('portal', account.account, customer, minute));
}

/**
 * Asserts that the account has no current subscription, and replaces a customer that was deleted. A subscription that exists
 * is recorded first, because its event may have been lost. @throws GatewayError 'already-subscribed'
 */
async function assertNotSubscribed(context: CheckoutContext, id: string, known: Billing): Promise<Billing> {
  const { subscriptions, isDeleted } = await context.billing.readCustomer(known.customer);
  if (hasCurrentSubscription(subscriptions)) {
    await context.sync(id);
    throw new GatewayError('already-subscribed', {
      detail: `The account has a subscription. Change or cancel it in the portal: POST ${ENDPOINTS.portal}.`,
    });
  }
  return isDeleted ? replaceCustomer(context, id, known.customer) : known;
}

/** Returns the billing of an account, and creates a missing customer. */
async function requireCustomer(context: CheckoutContext, id: string): Promise<Billing> {
  let customer: string | undefined;
  const { billing } = await updateAccount(context, id, async (account) => {
    if (account.billing !== undefined) return account;
    customer ??= await context.billing.createCustomer(id, idempotencyKeyOf('customer', id, hourOf(context)));
    return { ...account, billing: createBilling(customer, context.now()) };
  });
  return assertBilling(billing);
}

/** Replaces a deleted customer with a new one, and ends the subscriptions of the deleted one. */
async function replaceCustomer(context: CheckoutContext, id: string, deletedId: string): Promise<Billing> {
  const customer = await context.billing.createCustomer(
    id,
    idempotencyKeyOf('customer', id, deletedId, hourOf(context)),
  );
  return changeBilling(context, id, (billing) =>
    billing.customer === deletedId
      ? { ...endAllSubscriptions(billing), customer, checkout: nextAttempt(billing) }
      : billing,
  );
}

/** Expires an open session for another purchase, and starts a new attempt unless the session can be used. */
async function closeOtherSession(
  context: CheckoutContext,
  id: string,
  known: Billing,
  wanted: Purchase,
): Promise<Billing> {
  const { session, attempt } = known.checkout;
  if (session === null) return known;
  const isSame = session.plan === wanted.plan && session.chain === wanted.chain;
  const { state } = await context.billing.readCheckout(session.id);
  if (state === 'open' && isSame) return known;
  if (state === 'open') await context.billing.expireCheckout(session.id);
  return changeBilling(context, id, (billing) =>
    billing.checkout.attempt === attempt ? { ...billing, checkout: nextAttempt(billing) } : billing,
  );
}

/** Returns the session of the current attempt, and creates it if needed. */
async function openSession(
  { billing, now }: CheckoutContext,
  account: string,
  { customer, checkout: { attempt, session } }: Billing,
  { plan, chain }: Purchase,
): Promise<CheckoutSession> {
  if (session !== null) return billing.readCheckout(session.id);
  const idempotencyKey = idempotencyKeyOf(
    'checkout',
    account,
    customer,
    plan,
    chain,
    attempt,
    hourOf({ now }),
  );
  return billing.createCheckout({ account, customer, plan, chain, idempotencyKey });
}

type RecordedSession = NonNullable<Billing['checkout']['session']>;

/** Records the session of an attempt unless the attempt was closed. Returns the billing; `undefined` if the account was deleted. */
async function rememberSession(
  context: CheckoutContext,
  id: string,
  { customer, checkout: { attempt } }: Billing,
  session: RecordedSession,
): Promise<Billing | undefined> {
  const { billing: after } = await updateAccount(context, id, (account) => {
    const { billing } = account;
    const isOpen =
      billing?.customer === customer &&
      billing.checkout.attempt === attempt &&
      billing.checkout.session === null;
    return isOpen ? { ...account, billing: { ...billing, checkout: { attempt, session } } } : account;
  });
  return after;
}

async function changeBilling(
  context: CheckoutContext,
  id: string,
  change: (billing: Billing) => Billing,
): Promise<Billing> {
  const { billing } = await updateAccount(context, id, (account) => {
    const before = assertBilling(account.billing);
    const next = change(before);
    return next === before ? account : { ...account, billing: next };
  });
  return assertBilling(billing);
}

function assertBilling(billing: Billing | undefined): Billing {
  if (billing === undefined) throw new TypeError('the account has no customer');
  return billing;
}

/**
 * Returns the number of the current hour, as part of an idempotency key. Stripe repeats the failure of the first request
 * with a key for a day, even after its cause was fixed.
 */
function hourOf({ now }: Pick<CheckoutContext, 'now'>): number {
  return Math.floor(now() / HOUR_MS);
}

/** Returns an idempotency key. It is a digest, so that it does not reveal the account. */
function idempotencyKeyOf(...parts: readonly (string | number | null)[]): string {
  return sha256Hex(JSON.stringify(parts));
}
