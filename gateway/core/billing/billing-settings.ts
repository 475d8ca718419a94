import { PLAN_IDS, type PlanId } from '../../../schemas/catalog.js';
import type { KeyMode } from '../api-key.js';
import type { PriceBook } from './grant-from-subscription.js';

/** How things are sold. */
export type BillingSettings = {
  readonly secretKey: string;
  /** The newest first. */
  readonly webhookSecrets: readonly string[];
  /** The prices of each plan, the one that is sold first. */
  readonly prices: Readonly<Record<PlanId, readonly string[]>>;
  readonly dashboardUrl: string;
};

/** The variables of selling, as far as they were given and are sound. */
export type BillingValues = {
  readonly CRD_STRIPE_SECRET_KEY?: string;
  readonly CRD_STRIPE_WEBHOOK_SECRET?: readonly string[];
  readonly CRD_STRIPE_PRICE_SINGLE_CHAIN?: readonly string[];
  readonly CRD_STRIPE_PRICE_RESEARCH?: readonly string[];
  readonly CRD_DASHBOARD_URL?: string;
  readonly CRD_KEY_MODE?: KeyMode;
};

const NEEDED = [
  'CRD_STRIPE_WEBHOOK_SECRET',
  'CRD_STRIPE_PRICE_SINGLE_CHAIN',
  'CRD_STRIPE_PRICE_RESEARCH',
  'CRD_DASHBOARD_URL',
] as const;

/** What is wrong between the variables of selling: all of them, or none, and of one mode. */
export function findBillingConflicts(
  values: BillingValues,
  isGiven: (name: keyof BillingValues) => boolean,
  example: (name: (typeof NEEDED)[number]) => string,
): string[] {
  const sells = isGiven('CRD_STRIPE_SECRET_KEY');
  const faults = NEEDED.flatMap((name) => {
    if (isGiven(name) === sells) return [];
    return sells
      ? `${name}: required with CRD_STRIPE_SECRET_KEY${example(name)}`
      : `${name}: has no effect without CRD_STRIPE_SECRET_KEY; set that too, or unset this`;
  });
  const { CRD_STRIPE_SECRET_KEY: key, CRD_KEY_MODE: mode } = values;
  if (key !== undefined && mode !== undefined && !new RegExp(`^(sk|rk)_${mode}_`).test(key)) {
    faults.push(`CRD_STRIPE_SECRET_KEY: expected a key of the mode ${mode}, which CRD_KEY_MODE says`);
  }
  const research = new Set(values.CRD_STRIPE_PRICE_RESEARCH);
  if (values.CRD_STRIPE_PRICE_SINGLE_CHAIN?.some((price) => research.has(price)) === true) {
    faults.push('CRD_STRIPE_PRICE_RESEARCH: expected other prices than CRD_STRIPE_PRICE_SINGLE_CHAIN');
  }
  return faults;
}

/** How things are sold, where they are. Precondition: there are no conflicts. */
export function toBillingSettings(values: BillingValues): BillingSettings | undefined {
  const {
    CRD_STRIPE_SECRET_KEY: secretKey,
    CRD_STRIPE_WEBHOOK_SECRET: webhookSecrets,
    CRD_STRIPE_PRICE_SINGLE_CHAIN: singleChain,
    CRD_STRIPE_PRICE_RESEARCH: research,
    CRD_DASHBOARD_URL: dashboardUrl,
  } = values;
  if (!secretKey || !webhookSecrets || !singleChain || !research || !dashboardUrl) return undefined;
  return { secretKey, webhookSecrets, prices: { 'single-chain': singleChain, research }, dashboardUrl };
}

/** Which plan each price is of. */
export function toPriceBook({ prices }: Pick<BillingSettings, 'prices'>, mode: KeyMode): PriceBook {
  const pairs = PLAN_IDS.flatMap((plan) => prices[plan].map((price) => [price, plan] as const));
  return { prices: new Map(pairs), isLive: mode === 'live' };
}

/** The price by which each plan is sold now. */
export function soldPrices({ prices }: Pick<BillingSettings, 'prices'>): Record<PlanId, string> {
  const first = (plan: PlanId): string => prices[plan][0] ?? '';
  return { 'single-chain': first('single-chain'), research: first('research') };
}
