import { createMemoryStore } from '../stores/memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { grantsOf } from '../../../gateway/core/accounts/account.js';
import { toPriceBook } from '../../../gateway/core/billing/billing-settings.js';
import { grantFromSubscription } from '../../../gateway/core/billing/grant-from-subscription.js';
import type { BillingEvent } from '../../../gateway/core/billing/stripe-events.js';
import type { Subscription } from '../../../gateway/core/billing/subscription.js';
import { decide, type Grant } from '../../../gateway/core/access/entitlements.js';
import type { FileRequest } from '../../../gateway/core/access/file-request.js';
import { createAccounts, type Accounts } from '../../../gateway/io/accounts/accounts.js';
import { createAuthenticator } from '../../../gateway/io/identity/authenticator.js';
import { createBillingService, type BillingService } from '../../../gateway/io/billing/billing-service.js';
import type { BillingPort, CheckoutSession } from '../../../gateway/io/billing/billing-port.js';
import type { BillingAlert, EventOutcome } from '../../../gateway/io/billing/event-handler.js';
import { NO_STRIPE_REFRESH, type StripeRefresh } from '../../../gateway/io/billing/stripe-refresh.js';
import { readStoredAccount } from '../../../gateway/io/accounts/update-account.js';
import { createFakeBilling, FAKE_SIGNATURE, type FakeBilling } from '../../../scripts/stripe/fake-billing.js';
import { BILLING, PRICES } from './billing.js';

/** Id of the account that buys. */
export const ACCOUNT = 'acme';
const BOOK = toPriceBook(BILLING, 'test');
const UPDATED = 'customer.subscription.updated';

type Step = (billing: FakeBilling, id: string) => void;
const change =
  (type: string, to: Partial<Subscription>): Step =>
  (billing, id) =>
    billing.change(id, type, to);
const reprice =
  (price: string): Step =>
  (billing, id) => {
    const items = billing.subscriptions().find((each) => each.id === id)?.items ?? [];
    billing.change(id, UPDATED, { items: items.map((each) => ({ ...each, price })) });
  };
const settle =
  (...what: [type: string, Parameters<FakeBilling['settle']>[2]]): Step =>
  (billing, id) =>
    billing.settle(id, ...what);

/** Changes to a subscription at Stripe. */
export const STEPS = {
  upgrade: reprice(PRICES.research),
  downgrade: reprice(PRICES['single-chain']),
  rechain: change(UPDATED, { metadata: { account: ACCOUNT, chain: 'bitcoin' } }),
  unchain: change(UPDATED, { metadata: { account: ACCOUNT } }),
  renew: (billing, id) => billing.renew(id, { paid: true }),
  fail: (billing, id) => billing.renew(id, { paid: false }),
  recover: change('invoice.paid', { status: 'active' }),
  giveUp: change(UPDATED, { status: 'unpaid' }),
  cancelAtEnd: change(UPDATED, { cancelsAtPeriodEnd: true }),
  resume: change(UPDATED, { cancelsAtPeriodEnd: false }),
  cancel: change('customer.subscription.deleted', { status: 'canceled' }),
  refundPart: settle('charge.refunded', { refund: 'partial' }),
  refund: settle('charge.refunded', { refund: 'full' }),
  dispute: settle('charge.dispute.created', { dispute: 'open' }),
  win: settle('charge.dispute.closed', { dispute: 'won' }),
  lose: settle('charge.dispute.closed', { dispute: 'lost' }),
} as const satisfies Record<string, Step>;
export type StepName = keyof typeof STEPS;

/** Creates a fake that answers a repeated idempotency key with the first response, as Stripe does. `seen` has what was created and deleted. */
function createRecordingBilling(now: () => number) {
  const fake = createFakeBilling({ now, prices: PRICES });
  const seen = {
    customers: new Set<string>(),
    /** Checkout sessions with their customers. */
    sessions: new Map<string, string>(),
    deletedCustomers: new Set<string>(),
  };
  const answers = new Map<string, CheckoutSession>();
  const billing: FakeBilling = {
    ...fake,
    async createCustomer(...args) {
      const id = await fake.createCustomer(...args);
      seen.customers.add(id);
      return id;
    },
    async createCheckout(options) {
      const answer = answers.get(options.idempotencyKey) ?? (await fake.createCheckout(options));
      answers.set(options.idempotencyKey, answer);
      seen.sessions.set(answer.id, options.customer);
      return answer;
    },
    deleteCustomer(id) {
      fake.deleteCustomer(id);
      seen.deletedCustomers.add(id);
    },
  };
  return { billing, seen };
}

/** Creates an account that can buy, with its own store, clock and fake payment provider. */
export function createScene() {
  const clock = { nowMs: Date.parse('2026-08-01T00:00:00Z') };
  const store = createMemoryStore();
  const now = (): number => clock.nowMs;
  const { billing, seen } = createRecordingBilling(now);
  const alerts: BillingAlert[] = [];
  const random = (size: number): Uint8Array => new Uint8Array(size);
  /** Creates a billing service on the same store and provider, or on those passed. */
  const openService = (on: { store?: ObjectStore; billing?: BillingPort } = {}): BillingService =>
    createBillingService({
      store,
      billing,
      ...on,
      book: BOOK,
      random,
      now,
      onAlert: (alert) => alerts.push(alert),
      pause: () => Promise.resolve(),
    });
  return { clock, store, billing, seen, alerts, random, now, openService, service: openService() };
}

export type Scene = ReturnType<typeof createScene>;

/** Buys Single Chain for Base and pays. Returns the subscription. */
export async function buy({ service, billing }: Scene): Promise<string> {
  const { id } = await service.openCheckout(ACCOUNT, { plan: 'single-chain', chain: 'base' });
  return billing.complete(id);
}

/** Sells Research to the customer in addition, as an operator can do at Stripe. Returns the subscription. */
export async function sellBeside(scene: Scene): Promise<string> {
  const { billing } = scene;
  const options = {
    account: ACCOUNT,
    customer: await customerOf(scene),
    plan: 'research',
    chain: null,
  } as const;
  const idempotencyKey = `beside ${billing.events.length}`;
  return billing.complete((await billing.createCheckout({ ...options, idempotencyKey })).id);
}

/** Returns the recorded customer of the account. */
export async function customerOf({ store }: Scene): Promise<string> {
  const customer = (await readStoredAccount(store, ACCOUNT))?.value.billing?.customer;
  if (customer === undefined) throw new Error('the account has no customer');
  return customer;
}

/** Changes a subscription. Returns false if its customer was deleted. */
export function step({ billing, seen }: Scene, name: StepName, id: string): boolean {
  const customer = billing.subscriptions().find((each) => each.id === id)?.customer;
  if (customer === undefined || seen.deletedCustomers.has(customer)) return false;
  STEPS[name](billing, id);
  return true;
}

/** Delivers an event to the service. */
export const deliver = (
  service: BillingService,
  billing: FakeBilling,
  event: BillingEvent,
): Promise<EventOutcome> => service.handleEvent(billing.toBody(event), FAKE_SIGNATURE);

/** Returns the recorded grants of the account. */
export async function readGrants({ store }: Scene): Promise<readonly Grant[]> {
  const account = (await readStoredAccount(store, ACCOUNT))?.value;
  return account === undefined ? [] : grantsOf(account);
}

/** Returns the recorded grants, and those that follow from the state at Stripe, as comparable texts. */
export async function readBoth(scene: Scene): Promise<[string[], string[]]> {
  const recorded = await readGrants(scene);
  const expected = scene.billing.subscriptions().flatMap((each) => {
    const { plan, chain, sinceMs, untilMs } = grantFromSubscription(each, BOOK);
    if (untilMs === null || scene.seen.deletedCustomers.has(each.customer)) return [];
    return [{ plan, chain, origin: 'stripe', sinceMs, untilMs }];
  });
  const toTexts = (grants: readonly object[]): string[] => grants.map((each) => JSON.stringify(each)).sort();
  return [toTexts(recorded), toTexts(expected)];
}

/** Wraps every call that serves users. The calls of doctor and reconcile are not wrapped. */
export function watchBilling(
  billing: BillingPort,
  around: <T>(run: () => Promise<T>) => Promise<T>,
): BillingPort {
  return {
    ...billing,
    createCustomer: (...args) => around(() => billing.createCustomer(...args)),
    readCustomerAccount: (...args) => around(() => billing.readCustomerAccount(...args)),
    readCustomer: (...args) => around(() => billing.readCustomer(...args)),
    readChargeCustomer: (...args) => around(() => billing.readChargeCustomer(...args)),
    createCheckout: (...args) => around(() => billing.createCheckout(...args)),
    readCheckout: (...args) => around(() => billing.readCheckout(...args)),
    expireCheckout: (...args) => around(() => billing.expireCheckout(...args)),
    createPortal: (...args) => around(() => billing.createPortal(...args)),
  };
}

const LATEST = { kind: 'bundle', genre: 'gold', window: 'latest' } as const;
/** Files that distinguish the plans: of the bought chain, of another chain, and of the archive. */
export const FILES: readonly FileRequest[] = [
  { ...LATEST, chain: 'base' },
  { ...LATEST, chain: 'bitcoin' },
  { kind: 'manifest', genre: 'gold', chain: 'ethereum' },
];
/** Time for which a file may still be served after access has ended, because accounts are cached. */
const CACHED_MS = 30_000;

/** Accounts and clock of the reader that was created last. */
const latest = { accounts: undefined as Accounts | undefined, elapsedMs: () => 0, beganMs: 0 };
/** Shared by all readers, because it is expensive to create. Its clock advances by an hour per reader, so that its cache expires. */
const authenticator = createAuthenticator({
  accounts: {
    readKey: async (id) => latest.accounts?.readKey(id),
    readAccount: async (id) => latest.accounts?.readAccount(id),
  },
  mode: 'test',
  now: () => latest.beganMs + latest.elapsedMs(),
  watch: (operation) => operation(),
});

/** Creates a reader that requests files with a key, through the real authenticator as the route of files does. Use one at a time. */
export async function createReader(
  { store, now, random }: Scene,
  stripeRefresh: StripeRefresh = NO_STRIPE_REFRESH,
) {
  const accounts = createAccounts(store, { now, random, mode: 'test' });
  const { key } = await accounts.createKey(ACCOUNT, { label: null, needsGrant: false });
  const startMs = now();
  latest.beganMs += latest.elapsedMs() + 3_600_000;
  Object.assign(latest, { accounts, elapsedMs: () => now() - startMs });
  const records: { readonly sinceMs: number; readonly text: string; readonly grants: readonly Grant[] }[] =
    [];

  async function recordGrants(): Promise<void> {
    const account = await accounts.readAccount(ACCOUNT);
    const grants = account === undefined ? [] : grantsOf(account);
    const text = JSON.stringify(grants);
    if (records.at(-1)?.text !== text) records.push({ sinceMs: now(), text, grants });
  }

  async function reads(file: FileRequest): Promise<boolean> {
    const caller = authenticator.peek(key) ?? (await authenticator.authenticate(key));
    if (decide(caller.grants, file, now()).allowed) return true;
    let { grants } = await authenticator.refresh(caller);
    if (await stripeRefresh.refreshIfLapsed(ACCOUNT, grants))
      ({ grants } = await authenticator.refresh(caller, 0));
    return decide(grants, file, now()).allowed;
  }

  return {
    reads,
    /** Requests one file, or all. Returns what was wrongly served or refused. Call it at most once per second of the clock. */
    async findFaults(nth?: number): Promise<string[]> {
      const faults: string[] = [];
      await recordGrants();
      for (const file of FILES.filter((_, i) => nth === undefined || i === nth % FILES.length)) {
        const isServed = await reads(file);
        const allows = ({ grants }: { readonly grants: readonly Grant[] }): boolean =>
          decide(
            grants.filter(({ untilMs }) => now() < untilMs),
            file,
            now(),
          ).allowed;
        const endOf = (i: number): number => records[i + 1]?.sinceMs ?? now();
        const isAllowed = records.some((each, i) => allows(each) && now() - endOf(i) < CACHED_MS);
        if (records.slice(-1).some(allows) && !isServed) faults.push(`${file.chain} is refused at ${now()}`);
        if (isServed && !isAllowed) faults.push(`${file.chain} is still served at ${now()}`);
      }
      return faults;
    },
  };
}
