import type { Logger } from 'pino';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { KeyMode } from '../../core/access/api-key.js';
import { toPriceBook, type BillingSettings } from '../../core/billing/billing-settings.js';
import { createBillingService, type BillingService } from './billing-service.js';
import { GatewayError } from '../../core/problems.js';
import type { BillingPort } from './billing-port.js';
import { createStripeRefresh, NO_STRIPE_REFRESH, type StripeRefresh } from './stripe-refresh.js';

/** Billing of a gateway; `billingService` is undefined if billing is not configured. */
type AssembledBilling = {
  readonly billingService: BillingService | undefined;
  readonly stripeRefresh: StripeRefresh;
};

/** Options for `assembleBilling`. */
type AssembleBillingOptions = {
  readonly billing: BillingPort | undefined;
  readonly settings: Pick<BillingSettings, 'prices'> | undefined;
  readonly mode: KeyMode;
  readonly store: ObjectStore;
  readonly random: (size: number) => Uint8Array;
  readonly now: () => number;
  readonly logger: Logger;
};

/** Creates the billing of a gateway. Without a payment provider, nothing is sold. */
export function assembleBilling({
  billing,
  settings,
  mode,
  logger,
  ...options
}: AssembleBillingOptions): AssembledBilling {
  if (billing === undefined || settings === undefined)
    return { billingService: undefined, stripeRefresh: NO_STRIPE_REFRESH };
  const billingService = createBillingService({
    ...options,
    billing,
    book: toPriceBook(settings, mode),
    onAlert: ({ what, id }) => logger.error({ alert: what, id }, 'an operator must check this at Stripe'),
  });
  const onError = (err: unknown): void => {
    if (err instanceof GatewayError) return; // the Stripe adapter has already logged it
    logger.warn({ err }, 'an account cannot be updated from Stripe');
  };
  return {
    billingService,
    stripeRefresh: createStripeRefresh({ service: billingService, now: options.now, onError }),
  };
}
