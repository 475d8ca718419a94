import { CHAINS, PLANS } from '../../../schemas/catalog.js';
import { dateWords } from '../../../schemas/words.js';
import type { HeldPlan } from './account-state.js';
import type { BriefChoice } from './arrival.js';

/** Returns the UTC date of an instant as people read it: `26 September 2023`. */
export function instantDateWords(instant: string): string {
  return dateWords(instant.slice(0, 10));
}

/** Returns the chain and the date of a brief as people read them: `Base on 1 March 2023`. */
export function briefWords({ chain, date }: BriefChoice): string {
  return `${CHAINS[chain].name} on ${dateWords(date)}`;
}

/** Returns the name of a plan with its chain: `Single Chain for Base`. */
export function planWords({ plan, chain }: HeldPlan): string {
  return chain === null ? PLANS[plan].name : `${PLANS[plan].name} for ${CHAINS[chain].name}`;
}
