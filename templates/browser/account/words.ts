import {
  CHAIN_IDS,
  CHAINS,
  PLANS,
  WINDOWS,
  type PlanDefinition,
  type PlanId,
} from '../../../schemas/catalog.js';
import type { HeldPlan } from './account-state.js';

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June'],
  ...['July', 'August', 'September', 'October', 'November', 'December'],
];

/** Returns the UTC date of an instant as people read it: `26 September 2023`. */
export function dateWords(instant: string): string {
  const [year = '', month = '', day = ''] = instant.slice(0, 10).split('-');
  return `${Number(day)} ${MONTHS[Number(month) - 1] ?? ''} ${year}`;
}

/** Returns the monthly price of a plan: `$49`. */
export function priceWords(plan: PlanId): string {
  const { monthlyCents } = PLANS[plan];
  const [dollars, cents] = [Math.floor(monthlyCents / 100), monthlyCents % 100];
  return `$${dollars}${cents === 0 ? '' : `.${String(cents).padStart(2, '0')}`}`;
}

/** Returns the name of a plan with its chain: `Single Chain for Base`. */
export function planWords({ plan, chain }: HeldPlan): string {
  return chain === null ? PLANS[plan].name : `${PLANS[plan].name} for ${CHAINS[chain].name}`;
}

/** Returns what a plan includes, in a buyer's words. */
export function includedWords(plan: PlanId): string[] {
  const { chains, windows, archive, briefs }: PlanDefinition = PLANS[plan];
  const days = Math.max(...windows.map((window) => WINDOWS[window]));
  const names = CHAIN_IDS.map((chain) => CHAINS[chain].name);
  const all = `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
  return [
    chains === 'all' ? `All chains: ${all}` : `One chain of your choice: ${all.replace(' and ', ' or ')}`,
    `Regimes, metrics and their statistics of the last ${days} days, every morning`,
    ...(archive ? ['The whole history, with every correction and how each number was computed'] : []),
    briefs === 'all' ? 'A written brief for each day, current and past' : 'The current written brief',
  ];
}
