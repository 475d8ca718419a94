import type { PlanId } from '../../../schemas/catalog.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { CustomerState } from '../../core/billing/billing-record.js';
import type { PriceFacts } from '../../core/billing/judge-price.js';
import type { WebhookFacts } from '../../core/billing/judge-webhooks.js';
import type { BillingEvent } from '../../core/billing/stripe-events.js';
import type { Subscription } from '../../core/billing/subscription.js';

/**
 * The few things that we ask of whoever takes the money. Every call but `verifyEvent` fails with GatewayError
 * 'billing-unavailable' when it is not answered in time, or refused.
 */
export type BillingPort = {
  /** A customer for an account; the same key gives the same one again. */
  readonly createCustomer: (account: string, idempotencyKey: string) => Promise<string>;
  /** The account that we wrote on a customer; `null` for a deleted one, and for one that is not ours. */
  readonly readCustomerAccount: (customer: string) => Promise<string | null>;
  /** What is sold to a customer by now; of a deleted one only that it is deleted. */
  readonly readCustomer: (customer: string) => Promise<CustomerState>;
  /** Whose a charge is. */
  readonly readChargeCustomer: (charge: string) => Promise<string | null>;
  readonly createCheckout: (terms: CheckoutTerms) => Promise<CheckoutSession>;
  readonly readCheckout: (session: string) => Promise<CheckoutSession>;
  /** Ends a session that is open, so that nothing can be bought by it. */
  readonly expireCheckout: (session: string) => Promise<void>;
  /** Where the customer may change, pay and cancel. */
  readonly createPortal: (customer: string, idempotencyKey: string) => Promise<string>;
  /** Every subscription that there is, whoever's, without its payments. */
  readonly listSubscriptions: () => AsyncIterable<Subscription>;
  readonly readPrice: (price: string) => Promise<PriceFacts>;
  /** What our key may not read, of all that reading a subscription may need; in Stripe's words. */
  readonly findDenied: () => Promise<readonly string[]>;
  /** Where events are sent. */
  readonly listWebhooks: () => Promise<readonly WebhookFacts[]>;
  /** An event, once its signature is right. @throws GatewayError 'webhook-signature-invalid' */
  readonly verifyEvent: (body: Uint8Array, signature: string | undefined) => BillingEvent;
};

/** What is to be bought, and by whom. */
export type CheckoutTerms = {
  readonly account: string;
  readonly customer: string;
  readonly plan: PlanId;
  readonly chain: Chain | null;
  readonly idempotencyKey: string;
};

/** A session in which something can be bought; `url` is where, as long as it is open. */
export type CheckoutSession = {
  readonly id: string;
  readonly state: 'open' | 'complete' | 'expired';
  readonly url: string | null;
};
