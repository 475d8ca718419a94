import { PLAN_IDS, PLANS, PRICE_CURRENCY, type PlanId } from '../../../schemas/catalog.js';
import { ACCOUNT_PATHS } from '../../../schemas/paths.js';
import { priceWords } from '../text/number-words.js';
import type { SiteTexts } from './site-texts.js';

/** What a plan includes and what its button says, in the words of a buyer. */
const PLAN_WORDS: Readonly<
  Record<PlanId, { readonly contents: readonly string[]; readonly action: string }>
> = {
  'single-chain': {
    contents: [
      'Daily metrics, signals and scores of one chain',
      'The last 90 days, and each new day once it is published',
      'The latest daily brief',
    ],
    action: 'Choose a chain',
  },
  research: {
    contents: [
      'All chains, every day since each began',
      'Parquet and CSV, as known on any day',
      'Every brief and every correction',
    ],
    action: 'Start',
  },
};

const FREE_CONTENTS = [
  'Regime calendars of all chains',
  'Weekly summaries, charts and glossary',
  'Methodology with every threshold',
];

/** Returns the cards of the free files and of each plan. `freeHref` is where the free files are listed. */
export function planCards({ details }: SiteTexts, freeHref: string): object[] {
  const href = details?.sign_up_url ?? ACCOUNT_PATHS.page;
  return [
    {
      ...{ name: 'Public', price: 'Free', period: [], contents: FREE_CONTENTS },
      ...{ look: 'button plain', href: freeHref, action: 'Download' },
    },
    ...PLAN_IDS.map((plan) => ({
      ...{ name: PLANS[plan].name, price: toPrice(PLANS[plan].monthlyCents), period: ['a month'] },
      ...{ ...PLAN_WORDS[plan], look: 'button', href },
    })),
  ];
}

function toPrice(cents: number): string {
  return `${CURRENCY_SIGNS[PRICE_CURRENCY]}${priceWords(cents)}`;
}

const CURRENCY_SIGNS: Readonly<Record<typeof PRICE_CURRENCY, string>> = { usd: '$' };
