import { CHAINS, PLANS } from '../../../schemas/catalog.js';
import { dateWords } from '../../../schemas/words.js';
import type { HeldPlan } from './account-state.js';

/** Returns the UTC date of an instant as people read it: `26 September 2023`. */
export function instantDateWords(instant: string): string {
  return dateWords(instant.slice(0, 10));
}

/** Returns the name of a plan with its chain: `Single Chain for Base`. */
export function planWords({ plan, chain }: HeldPlan): string {
  return chain === null ? PLANS[plan].name : `${PLANS[plan].name} for ${CHAINS[chain].name}`;
}
