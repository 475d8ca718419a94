import { PLAN_IDS, type PlanId } from '../../../schemas/catalog.js';
import type { KeyMode } from '../access/api-key.js';
import type { PriceBook } from './grant-from-subscription.js';

/** Settings for selling through Stripe. */
export type BillingSettings = {
  readonly secretKey: string;
  /** Secrets of the webhook, the newest first. */
  readonly webhookSecrets: readonly string[];
  /** Price ids of each plan. The first is sold; the others belong to older subscriptions. */
  readonly prices: Readonly<Record<PlanId, readonly string[]>>;
  readonly dashboardUrl: string;
};

/** Variables of billing that are set and valid. */
type BillingValues = {
  readonly CRD_STRIPE_SECRET_KEY?: string;
  readonly CRD_STRIPE_WEBHOOK_SECRET?: readonly string[];
  readonly CRD_STRIPE_PRICE_SINGLE_CHAIN?: readonly string[];
  readonly CRD_STRIPE_PRICE_RESEARCH?: readonly string[];
  readonly CRD_DASHBOARD_URL?: string;
  readonly CRD_KEY_MODE?: KeyMode;
};

const REQUIRED = [
  'CRD_STRIPE_WEBHOOK_SECRET',
  'CRD_STRIPE_PRICE_SINGLE_CHAIN',
  'CRD_STRIPE_PRICE_RESEARCH',
  'CRD_DASHBOARD_URL',
] as const;

/**
 * Returns the conflicts between the variables of billing. Those of Stripe must all be set or none, the key
 * must match the mode, and two plans cannot share a price. `isGiven` is also true for a variable with an
 * invalid value. `exampleSuffix` returns ", for example ...".
 */
export function findBillingConflicts(
  values: BillingValues,
  isGiven: (name: keyof BillingValues) => boolean,
  exampleSuffix: (name: (typeof REQUIRED)[number]) => string,
): string[] {
  const isSelling = isGiven('CRD_STRIPE_SECRET_KEY');
  const faults = REQUIRED.flatMap((name) => {
    if (isGiven(name) === isSelling) return [];
    return isSelling
      ? `${name}: required with CRD_STRIPE_SECRET_KEY${exampleSuffix(name)}`
      : `${name}: has no effect without CRD_STRIPE_SECRET_KEY; set both, or unset this one`;
  });
  const { CRD_STRIPE_SECRET_KEY: key, CRD_KEY_MODE: mode } = values;
  if (key !== undefined && mode !== undefined && !new RegExp(`^(sk|rk)_${mode}_`).test(key)) {
    faults.push(`CRD_STRIPE_SECRET_KEY: expected a ${mode} mode key, because CRD_KEY_MODE is ${mode}`);
  }
  const research = new Set(values.CRD_STRIPE_PRICE_RESEARCH);
  if (values.CRD_STRIPE_PRICE_SINGLE_CHAIN?.some((price) => research.has(price)) === true) {
    faults.push('CRD_STRIPE_PRICE_RESEARCH: expected no price of CRD_STRIPE_PRICE_SINGLE_CHAIN');
  }
  return faults;
}

/** Returns the settings, or `undefined` if billing is not configured. Precondition: there are no conflicts. */
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

/** Returns the plan of each price id, and whether the gateway runs in live mode. */
export function toPriceBook({ prices }: Pick<BillingSettings, 'prices'>, mode: KeyMode): PriceBook {
  const pairs = PLAN_IDS.flatMap((plan) => prices[plan].map((price) => [price, plan] as const));
  return { prices: new Map(pairs), isLive: mode === 'live' };
}

/** Returns the price id that each plan is currently sold at. */
export function soldPrices({ prices }: Pick<BillingSettings, 'prices'>): Record<PlanId, string> {
  const first = (plan: PlanId): string => prices[plan][0] ?? '';
  return { 'single-chain': first('single-chain'), research: first('research') };
}
