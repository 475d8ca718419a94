import Stripe from 'stripe';
import type { BillingEvent } from '../../../gateway/core/billing/stripe-events.js';
import { soldPrices } from '../../../gateway/core/billing/billing-settings.js';
import type { BillingPort } from '../../../gateway/io/billing/billing-port.js';
import { createStripeBilling } from '../../../gateway/io/billing/stripe/stripe-billing.js';
import { BILLING } from './billing.js';

const { webhooks } = new Stripe(BILLING.secretKey);

/** Webhook secret that a rotation replaces. */
export const OLDER_SECRET = 'whsec_plantedoldersecret';
/** Webhook secrets during a rotation, the newer one first. */
export const WEBHOOK_SECRETS: readonly string[] = [...BILLING.webhookSecrets, OLDER_SECRET];

/** Returns the billing with the real verification of event signatures. */
export function withRealSignatures<B extends BillingPort>(billing: B, now: () => number): B {
  const { verifyEvent } = createStripeBilling({
    ...BILLING,
    prices: soldPrices(BILLING),
    webhookSecrets: WEBHOOK_SECRETS,
    now,
    onError: () => undefined,
  });
  return { ...billing, verifyEvent };
}

/** Converts an event to the JSON of Stripe, with only the members that the gateway reads. */
export function toStripeEvent({ id, type, isLive, customer, charge, account }: BillingEvent): object {
  const object = { id: `${id}_object`, customer, charge, metadata: account === null ? {} : { account } };
  return { id, object: 'event', type, livemode: isLive, data: { object } };
}

/** Options for `sign`. */
export type Signing = { readonly nowMs: number; readonly secret?: string; readonly ageSeconds?: number };

/** Returns the signature header that Stripe sends with a body. */
export function sign(
  payload: string,
  { nowMs, secret = BILLING.webhookSecrets[0] ?? '', ageSeconds = 0 }: Signing,
): string {
  const timestamp = Math.floor(nowMs / 1000) - ageSeconds;
  return webhooks.generateTestHeaderString({ payload, secret, timestamp });
}
