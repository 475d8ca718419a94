import type { PlanId } from '../../../schemas/catalog.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { CustomerState } from '../../core/billing/billing-record.js';
import type { PriceFacts } from '../../core/billing/price-faults.js';
import type { WebhookFacts } from '../../core/billing/webhook-faults.js';
import type { BillingEvent } from '../../core/billing/stripe-events.js';
import type { Subscription } from '../../core/billing/subscription.js';

/**
 * The operations of the payment provider. Unless a call says otherwise, it throws GatewayError 'billing-unavailable' when the
 * provider does not answer in time or refuses the request.
 */
export type BillingPort = {
  /** Creates a customer for an account and returns its id. A repeated idempotency key returns the same customer. */
  readonly createCustomer: (account: string, idempotencyKey: string) => Promise<string>;
  /** Returns the account id in the customer's metadata; `null` for a deleted customer or one without an account. */
  readonly readCustomerAccount: (customer: string) => Promise<string | null>;
  /** Returns the subscriptions of a customer; none for a deleted customer. */
  readonly readCustomer: (customer: string) => Promise<CustomerState>;
  /** Returns the customer of a charge. */
  readonly readChargeCustomer: (charge: string) => Promise<string | null>;
  readonly createCheckout: (options: CheckoutOptions) => Promise<CheckoutSession>;
  readonly readCheckout: (session: string) => Promise<CheckoutSession>;
  /** Expires an open session, so that it can no longer be paid. Does nothing if it is already closed. */
  readonly expireCheckout: (session: string) => Promise<void>;
  /** Returns the URL of a portal session, in which the customer can change, pay and cancel. */
  readonly createPortal: (customer: string, idempotencyKey: string) => Promise<string>;
  /** Lists the subscriptions of all customers, without their payments. */
  readonly listSubscriptions: () => AsyncIterable<Subscription>;
  readonly readPrice: (price: string) => Promise<PriceFacts>;
  /** Returns the kinds of objects, except prices and webhooks, that the secret key has no permission to read, in Stripe's words. */
  readonly findMissingPermissions: () => Promise<readonly string[]>;
  readonly listWebhooks: () => Promise<readonly WebhookFacts[]>;
  /** Verifies the signature of an event and returns the event. @throws GatewayError 'webhook-signature-invalid', 'request-malformed' */
  readonly verifyEvent: (body: Uint8Array, signature: string | undefined) => BillingEvent;
};

/** Options for `createCheckout`. */
export type CheckoutOptions = {
  readonly account: string;
  readonly customer: string;
  readonly plan: PlanId;
  readonly chain: Chain | null;
  readonly idempotencyKey: string;
};

/** A checkout session. `url` is its payment page while it is open. */
export type CheckoutSession = {
  readonly id: string;
  readonly state: 'open' | 'complete' | 'expired';
  readonly url: string | null;
};
