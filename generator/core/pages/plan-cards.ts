import { PLAN_IDS, PLANS, type PlanId } from '../../../schemas/catalog.js';
import { ACCOUNT_PATHS } from '../../../schemas/paths.js';
import { includedWords, planPriceWords } from '../text/plan-words.js';
import type { SiteTexts } from './site-texts.js';

/** The words of each plan's button. */
const ACTIONS: Readonly<Record<PlanId, string>> = { 'single-chain': 'Choose a chain', research: 'Start' };

const FREE_CONTENTS = [
  'Regime calendars of all chains',
  'Weekly summaries, charts and glossary',
  'Methodology with every threshold',
];

/** Returns the cards of the free files and of each plan. `freeHref` is where the free files are listed. */
export function planCards({ details }: SiteTexts, freeHref: string): object[] {
  const toHref = (plan: PlanId): string => details?.sign_up_url ?? `${ACCOUNT_PATHS.page}?plan=${plan}`;
  return [
    {
      ...{ name: 'Public', price: 'Free', period: [], contents: FREE_CONTENTS },
      ...{ look: 'button plain', href: freeHref, action: 'Download' },
    },
    ...PLAN_IDS.map((plan) => ({
      ...{ name: PLANS[plan].name, price: planPriceWords(plan), period: ['a month'] },
      ...{ contents: includedWords(plan), action: ACTIONS[plan], look: 'button', href: toHref(plan) },
    })),
  ];
}
