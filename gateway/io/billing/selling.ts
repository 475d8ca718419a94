import type { Logger } from 'pino';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { KeyMode } from '../../core/api-key.js';
import { toPriceBook, type BillingSettings } from '../../core/billing/billing-settings.js';
import { createBillingDesk, type BillingDesk } from './billing-desk.js';
import { GatewayError } from '../../core/problems.js';
import type { BillingPort } from './billing-port.js';
import { createRenewals, NO_RENEWALS, type Renewals } from './renewals.js';

/** What a gateway sells with; without a desk it sells nothing. */
export type Selling = { readonly desk: BillingDesk | undefined; readonly renewals: Renewals };

/** What selling needs. */
export type SellingTerms = {
  readonly billing: BillingPort | undefined;
  readonly settings: Pick<BillingSettings, 'prices'> | undefined;
  readonly mode: KeyMode;
  readonly store: ObjectStore;
  readonly random: (size: number) => Uint8Array;
  readonly now: () => number;
  readonly logger: Logger;
};

/** The desk and its renewals, where there is who takes the money. */
export function createSelling({ billing, settings, mode, logger, ...terms }: SellingTerms): Selling {
  if (billing === undefined || settings === undefined) return { desk: undefined, renewals: NO_RENEWALS };
  const desk = createBillingDesk({
    ...terms,
    billing,
    book: toPriceBook(settings, mode),
    onAlert: ({ what, id }) => logger.error({ alert: what, id }, 'somebody must look at this at Stripe'),
  });
  const onError = (err: unknown): void => {
    if (err instanceof GatewayError) return; // whoever asked Stripe has told it already
    logger.warn({ err }, 'an account cannot be brought up to what Stripe says');
  };
  return { desk, renewals: createRenewals({ desk, now: terms.now, onError }) };
}
