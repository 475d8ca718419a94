import { toInstant } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { Account, Billing } from '../../../schemas/types.generated.js';
import { beginBilling, endAll, isSubscriber } from '../../core/billing/billing-record.js';
import type { Purchase } from '../../core/billing/checkout-request.js';
import { GatewayError } from '../../core/problems.js';
import { updateAccount, type UpdateTerms } from '../update-account.js';
import type { BillingPort, CheckoutSession } from './billing-port.js';

/** What selling needs; `now` is in milliseconds since the epoch. */
export type CheckoutDesk = UpdateTerms & {
  readonly billing: BillingPort;
  readonly now: () => number;
  /** Brings an account up to what Stripe says. */
  readonly sync: (account: string) => Promise<unknown>;
};

/** A session that is open. */
export type OpenCheckout = { readonly id: string; readonly url: string };

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** How often a session may turn out to be over between two calls. */
const ROUNDS = 3;

/**
 * An open session in which the account can buy this: the one that it has, where that is for the same, else a new one.
 * Two calls at once get the same session, for they have the same attempt and with it the same idempotency key.
 * @throws GatewayError 'already-subscribed', 'billing-unavailable'
 */
export async function openCheckout(
  desk: CheckoutDesk,
  account: string,
  wanted: Purchase,
): Promise<OpenCheckout> {
  const { billing, now } = desk;
  let known = await requireCustomer(desk, account);
  for (let round = 1; round <= ROUNDS; round += 1) {
    known = await endOther(desk, account, known, wanted);
    known = await assertNoSubscriber(desk, account, known); // after that: the session that is over may have been paid
    const session = await openAttempt(desk, account, known, wanted);
    const opened = toInstant(now());
    known = await rememberSession(desk, account, known, { id: session.id, ...wanted, opened_at: opened });
    if (known.checkout.session?.id !== session.id) {
      await billing.expireCheckout(session.id); // another call was first, for something else
      continue;
    }
    if (session.state === 'open' && session.url !== null) return { id: session.id, url: session.url };
  }
  throw new GatewayError('billing-unavailable', { detail: 'no checkout could be opened; try again' });
}

/** Where the account may change, pay and cancel. @throws GatewayError 'subscription-inactive', 'billing-unavailable' */
export async function openPortal(
  { billing, now }: CheckoutDesk,
  account: Account | undefined,
): Promise<string> {
  const customer = account?.billing?.customer;
  if (account === undefined || customer === undefined) {
    throw new GatewayError('subscription-inactive', { detail: 'the account has bought nothing here yet' });
  }
  if ((await billing.readCustomer(customer)).isDeleted) {
    throw new GatewayError('subscription-inactive', { detail: 'what the account had bought is over' });
  }
  const minute = Math.floor(now() / MINUTE_MS);
  return billing.createPortal(customer, keyOf('portal', account.account, customer, minute));
}

/**
 * The billing, with a customer that is there. Who is found to have bought has it written down first: an event may have
 * been lost. @throws GatewayError 'already-subscribed'
 */
async function assertNoSubscriber(desk: CheckoutDesk, id: string, known: Billing): Promise<Billing> {
  const { subscriptions, isDeleted } = await desk.billing.readCustomer(known.customer);
  if (isSubscriber(subscriptions)) {
    await desk.sync(id);
    throw new GatewayError('already-subscribed', {
      detail:
        'the account has a subscription: change or cancel it in the portal, POST /api/v1/checkout/portal',
    });
  }
  return isDeleted ? replaceCustomer(desk, id, known.customer) : known;
}

/** The billing of the account, which becomes a customer where it is none. */
async function requireCustomer(desk: CheckoutDesk, id: string): Promise<Billing> {
  let made: string | undefined;
  const { billing } = await updateAccount(desk, id, async (account) => {
    if (account.billing !== undefined) return account;
    made ??= await desk.billing.createCustomer(id, keyOf('customer', id, hourOf(desk)));
    return { ...account, billing: beginBilling(made) };
  });
  return assertBilling(billing);
}

/** The billing with a new customer in place of one that was deleted, with which all that it had bought is over. */
async function replaceCustomer(desk: CheckoutDesk, id: string, deleted: string): Promise<Billing> {
  const made = await desk.billing.createCustomer(id, keyOf('customer', id, deleted, hourOf(desk)));
  return changeBilling(desk, id, (billing) =>
    billing.customer === deleted
      ? { ...endAll(billing), customer: made, checkout: nextAttempt(billing) }
      : billing,
  );
}

/** Goes on to the next attempt where the session of this one is over, or is for something else: then it is ended. */
async function endOther(desk: CheckoutDesk, id: string, known: Billing, wanted: Purchase): Promise<Billing> {
  const { session, attempt } = known.checkout;
  if (session === null) return known;
  const isSame = session.plan === wanted.plan && session.chain === wanted.chain;
  const { state } = await desk.billing.readCheckout(session.id);
  if (state === 'open' && isSame) return known;
  if (state === 'open') await desk.billing.expireCheckout(session.id);
  return changeBilling(desk, id, (billing) =>
    billing.checkout.attempt === attempt ? { ...billing, checkout: nextAttempt(billing) } : billing,
  );
}

async function openAttempt(
  { billing, now }: CheckoutDesk,
  account: string,
  { customer, checkout: { attempt, session } }: Billing,
  { plan, chain }: Purchase,
): Promise<CheckoutSession> {
  if (session !== null) return billing.readCheckout(session.id);
  const idempotencyKey = keyOf('checkout', account, customer, plan, chain, attempt, hourOf({ now }));
  return billing.createCheckout({ account, customer, plan, chain, idempotencyKey });
}

type Session = NonNullable<Billing['checkout']['session']>;

async function rememberSession(
  desk: CheckoutDesk,
  id: string,
  known: Billing,
  session: Session,
): Promise<Billing> {
  const { attempt } = known.checkout;
  return changeBilling(desk, id, (billing) =>
    billing.checkout.attempt !== attempt || billing.checkout.session !== null
      ? billing
      : { ...billing, checkout: { attempt, session } },
  );
}

function nextAttempt({ checkout: { attempt } }: Billing): Billing['checkout'] {
  return { attempt: attempt + 1, session: null };
}

async function changeBilling(
  desk: CheckoutDesk,
  id: string,
  change: (billing: Billing) => Billing,
): Promise<Billing> {
  const { billing } = await updateAccount(desk, id, (account) => {
    const before = assertBilling(account.billing);
    const next = change(before);
    return next === before ? account : { ...account, billing: next };
  });
  return assertBilling(billing);
}

function assertBilling(billing: Billing | undefined): Billing {
  if (billing === undefined) throw new TypeError('the account is a customer by now');
  return billing;
}

/** Part of a key: Stripe repeats a failure to its key for a day, even when its reason is mended. */
function hourOf({ now }: Pick<CheckoutDesk, 'now'>): number {
  return Math.floor(now() / HOUR_MS);
}

/** A key by which Stripe knows a repeated request; no account can be told from it. */
function keyOf(...parts: readonly (string | number | null)[]): string {
  return sha256Hex(JSON.stringify(parts));
}
