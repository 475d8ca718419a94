import type { BillingPort } from '../../../gateway/io/billing/billing-port.js';

/** Billing that is loaded when it is first needed: few requests sell anything, and every start would wait for it. */
export type LazyBilling = {
  readonly port: BillingPort;
  /** Resolves once it is loaded, which `verifyEvent` needs to be: it alone answers at once. */
  readonly load: () => Promise<BillingPort>;
};

/** Makes it of what loads it; a load that fails is tried again by the next call. */
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
    createCustomer: async (...terms) => (await load()).createCustomer(...terms),
    readCustomerAccount: async (...terms) => (await load()).readCustomerAccount(...terms),
    readCustomer: async (...terms) => (await load()).readCustomer(...terms),
    readChargeCustomer: async (...terms) => (await load()).readChargeCustomer(...terms),
    createCheckout: async (...terms) => (await load()).createCheckout(...terms),
    readCheckout: async (...terms) => (await load()).readCheckout(...terms),
    expireCheckout: async (...terms) => (await load()).expireCheckout(...terms),
    createPortal: async (...terms) => (await load()).createPortal(...terms),
    listSubscriptions: async function* () {
      yield* (await load()).listSubscriptions();
    },
    readPrice: async (...terms) => (await load()).readPrice(...terms),
    findDenied: async () => (await load()).findDenied(),
    listWebhooks: async () => (await load()).listWebhooks(),
    verifyEvent(body, signature) {
      if (loaded === undefined) throw new Error('billing was not loaded before an event was taken');
      return loaded.verifyEvent(body, signature);
    },
  };
  return { port, load };
}
