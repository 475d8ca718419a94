import { PLANS, PRICE_CURRENCY, type PlanId } from '../../../schemas/catalog.js';

/** Properties of a Stripe price that `gateway doctor` checks. */
export type PriceFacts = {
  readonly isActive: boolean;
  readonly isLive: boolean;
  readonly currency: string;
  readonly cents: number | null;
  /** Billing interval, such as `month`; `null` for a one-time price. */
  readonly interval: string | null;
  readonly intervalCount: number | null;
};

/**
 * Returns what is wrong with a price of a plan. A price that is no longer sold (`isSold` is false) may be archived and
 * may cost something else than the price list says.
 */
export function findPriceFaults(
  plan: PlanId,
  { isActive, isLive, currency, cents, interval, intervalCount }: PriceFacts,
  { isSold, isLive: isLiveMode }: { readonly isSold: boolean; readonly isLive: boolean },
): string[] {
  const { name, monthlyCents } = PLANS[plan];
  const faults: string[] = [];
  if (isLive !== isLiveMode) {
    faults.push(
      `is a ${isLive ? 'live' : 'test'} mode price, but CRD_KEY_MODE is ${isLiveMode ? 'live' : 'test'}; use a price of that mode`,
    );
  }
  if (currency !== PRICE_CURRENCY) faults.push(`is in ${currency}; use a price in ${PRICE_CURRENCY}`);
  if (!isSold) return faults;
  if (!isActive) faults.push('is archived at Stripe and cannot be sold; activate it or use another price');
  if (interval !== 'month' || intervalCount !== 1) faults.push('is not billed monthly; use a monthly price');
  if (cents !== monthlyCents) {
    faults.push(
      `costs ${cents ?? 'a fractional number of'} cents, but the price list says ${monthlyCents} for ${name}; use a price with that amount`,
    );
  }
  return faults;
}
