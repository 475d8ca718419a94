import type { BillingPort } from '../io/billing/billing-port.js';

/** Access to Stripe that is loaded on first use: few requests need it, and it would slow down every start. */
export type LazyBilling = {
  readonly port: BillingPort;
  /** Loads it. Call this before `verifyEvent`, which is synchronous. */
  readonly load: () => Promise<BillingPort>;
};

/** Returns billing that `open` loads. After a failure the next call loads again. */
export function createLazyBilling(open: () => Promise<BillingPort>): LazyBilling {
  let loading: Promise<BillingPort> | undefined;
  let loaded: BillingPort | undefined;
  const load = (): Promise<BillingPort> => {
    loading ??= open()
      .then((billing) => (loaded = billing))
      .catch((error: unknown) => {
        loading = undefined;
        throw error;
      });
    return loading;
  };
  const port: BillingPort = {
    createCustomer: async (...options) => (await load()).createCustomer(...options),
    readCustomerAccount: async (...options) => (await load()).readCustomerAccount(...options),
    readCustomer: async (...options) => (await load()).readCustomer(...options),
    readChargeCustomer: async (...options) => (await load()).readChargeCustomer(...options),
    createCheckout: async (...options) => (await load()).createCheckout(...options),
    readCheckout: async (...options) => (await load()).readCheckout(...options),
    expireCheckout: async (...options) => (await load()).expireCheckout(...options),
    createPortal: async (...options) => (await load()).createPortal(...options),
    listSubscriptions: async function* () {
      yield* (await load()).listSubscriptions();
    },
    readPrice: async (...options) => (await load()).readPrice(...options),
    findMissingPermissions: async () => (await load()).findMissingPermissions(),
    listWebhooks: async () => (await load()).listWebhooks(),
    verifyEvent(body, signature) {
      if (loaded === undefined) throw new Error('call load before verifyEvent');
      return loaded.verifyEvent(body, signature);
    },
  };
  return { port, load };
}
