import { PLANS, PRICE_CURRENCY, type PlanId } from '../../../schemas/catalog.js';

/** What a price is at Stripe. */
export type PriceFacts = {
  readonly isActive: boolean;
  readonly isLive: boolean;
  readonly currency: string;
  readonly cents: number | null;
  /** Such as `month`; `null` for what is paid once. */
  readonly interval: string | null;
  readonly intervalCount: number | null;
};

/** What is wrong with a price of a plan; an older one, which is sold no more, may cost what it did and be inactive. */
export function judgePrice(
  plan: PlanId,
  { isActive, isLive, currency, cents, interval, intervalCount }: PriceFacts,
  { isSold, isLive: isOursLive }: { readonly isSold: boolean; readonly isLive: boolean },
): string[] {
  const { name, monthlyCents } = PLANS[plan];
  const faults: string[] = [];
  if (isLive !== isOursLive)
    faults.push(`is of the ${isLive ? 'live' : 'test'} mode, and CRD_KEY_MODE says the other`);
  if (currency !== PRICE_CURRENCY) faults.push(`is in ${currency}, and we sell in ${PRICE_CURRENCY}`);
  if (!isSold) return faults;
  if (!isActive) faults.push('is archived at Stripe, so that nothing can be sold by it');
  if (interval !== 'month' || intervalCount !== 1) faults.push('is not paid every month');
  if (cents !== monthlyCents) {
    faults.push(
      `is ${cents ?? 'no whole number of'} cents a month, and the price list says ${monthlyCents} for ${name}`,
    );
  }
  return faults;
}
