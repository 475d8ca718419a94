import type { BillingSettings } from '../../../gateway/core/billing/billing-settings.js';
import type { Subscription } from '../../../gateway/core/billing/subscription.js';

/** Price ids of the plans in tests. */
export const PRICES = { 'single-chain': 'price_single', research: 'price_research' } as const;

/** Billing settings of the tests. They reach no real Stripe account. */
export const BILLING: BillingSettings = {
  secretKey: 'sk_test_plantedsecretkey',
  webhookSecrets: ['whsec_plantedwebhooksecret'],
  prices: { 'single-chain': [PRICES['single-chain'], 'price_oldsingle'], research: [PRICES.research] },
  dashboardUrl: 'https://dashboard.example.com/billing',
};

const START_MS = Date.parse('2026-08-01T00:00:00Z');

/** Creates a subscription to Research that is paid for August 2026, with the given changes. */
export function createSubscription(changes: Partial<Subscription> = {}): Subscription {
  return {
    id: 'sub_1',
    customer: 'cus_1',
    status: 'active',
    isLive: false,
    currency: 'usd',
    metadata: { account: 'acme', plan: 'research' },
    createdMs: START_MS,
    items: [
      { price: PRICES.research, periodStartMs: START_MS, periodEndMs: Date.parse('2026-09-01T00:00:00Z') },
    ],
    cancelAtMs: null,
    cancelsAtPeriodEnd: false,
    payments: [],
    ...changes,
  };
}
