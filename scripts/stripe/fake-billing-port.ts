import { PLAN_IDS, PLANS } from '../../schemas/catalog.js';
import type { BillingEvent } from '../../gateway/core/billing/stripe-events.js';
import { GatewayError } from '../../gateway/core/problems.js';
import type { BillingPort, CheckoutSession, CheckoutOptions } from '../../gateway/io/billing/billing-port.js';
import { find, type Customer, type FakeBillingOptions, type World } from './fake-billing-world.js';

/** Signature header of the fake's events. */
export const FAKE_SIGNATURE = 'signed by the fake';

const toSession = ({ id, state, url }: CheckoutSession): CheckoutSession => ({ id, state, url });

/** Returns the API that the gateway calls. */
export function createPort(
  { customers, subscriptions, sessions, charges, newId, once }: World,
  { prices, isLive = false, pageUrl = (page, id) => `https://${page}.example.com/${id}` }: FakeBillingOptions,
): BillingPort {
  const sessionOf = (id: string): CheckoutSession => toSession(find(sessions, id));
  const customerOf = async (id: string): Promise<Customer> => Promise.resolve(find(customers, id));
  const createCustomer = (account: string): string => {
    const id = newId('cus');
    customers.set(id, { account, isDeleted: false });
    return id;
  };
  const createSession = (options: CheckoutOptions): string => {
    const id = newId('cs');
    sessions.set(id, { id, state: 'open', url: pageUrl('pay', id), options });
    return id;
  };
  return {
    createCustomer: async (account, key) => Promise.resolve(once(key, () => createCustomer(account))),
    async readCustomerAccount(id) {
      const { account, isDeleted } = await customerOf(id);
      return isDeleted ? null : account;
    },
    async readCustomer(id) {
      const { isDeleted } = await customerOf(id);
      const own = [...subscriptions.values()].filter(({ customer }) => customer === id && !isDeleted);
      return { isDeleted, subscriptions: own };
    },
    readChargeCustomer: async (charge) => Promise.resolve(charges.get(charge) ?? null),
    createCheckout: async (options) =>
      Promise.resolve(sessionOf(once(options.idempotencyKey, () => createSession(options)))),
    readCheckout: async (id) => Promise.resolve(sessionOf(id)),
    async expireCheckout(id) {
      const session = await Promise.resolve(find(sessions, id));
      if (session.state === 'open') sessions.set(id, { ...session, state: 'expired', url: null });
    },
    createPortal: async (customer) => Promise.resolve(pageUrl('portal', customer)),
    async *listSubscriptions() {
      yield* await Promise.resolve([...subscriptions.values()].map((each) => ({ ...each, payments: [] })));
    },
    async readPrice(price) {
      const plan = PLAN_IDS.find((each) => prices[each] === price);
      const cents = plan === undefined ? null : PLANS[plan].monthlyCents;
      return Promise.resolve({
        isActive: true,
        isLive,
        currency: 'usd',
        cents,
        interval: 'month',
        intervalCount: 1,
      });
    },
    findMissingPermissions: async () => Promise.resolve([]),
    listWebhooks: async () => Promise.resolve([]),
    verifyEvent(body, signature) {
      if (signature !== FAKE_SIGNATURE) throw new GatewayError('webhook-signature-invalid');
      return JSON.parse(Buffer.from(body).toString()) as BillingEvent; // written by `toBody`, as its signature shows
    },
  };
}
