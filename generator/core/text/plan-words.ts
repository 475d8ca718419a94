import {
  CHAIN_IDS,
  CHAINS,
  PLANS,
  PRICE_CURRENCY,
  WINDOWS,
  type PlanDefinition,
  type PlanId,
} from '../../../schemas/catalog.js';
import { joinWords } from './join-words.js';
import { priceWords } from './number-words.js';

const CURRENCY_SIGNS: Readonly<Record<typeof PRICE_CURRENCY, string>> = { usd: '$' };

/** Returns the monthly price of a plan: `$49`. */
export function planPriceWords(plan: PlanId): string {
  return `${CURRENCY_SIGNS[PRICE_CURRENCY]}${priceWords(PLANS[plan].monthlyCents)}`;
}

/** Returns what a plan includes, in a buyer's words. */
export function includedWords(plan: PlanId): string[] {
  const { chains, windows, archive, briefs }: PlanDefinition = PLANS[plan];
  const names = CHAIN_IDS.map((chain) => CHAINS[chain].name);
  const days = Math.max(...windows.map((window) => WINDOWS[window]));
  return [
    chains === 'all' ? `All chains: ${joinWords(names)}` : `One chain: ${joinWords(names, 'or')}`,
    `Daily metrics, signals and scores ${archive ? 'of the whole published history' : `of the last ${days} days`}`,
    ...(archive ? ['Parquet and CSV, with every correction, as known on any day'] : []),
    briefs === 'all' ? 'A brief in plain English for every day' : 'The latest daily brief in plain English',
  ];
}
