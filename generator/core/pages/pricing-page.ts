import { PLAN_IDS, PLANS, WINDOWS, type PlanDefinition } from '../../../schemas/catalog.js';
import { PAGE_PATHS } from '../../../schemas/paths.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import { pageFile } from './page.js';
import { planCards } from './plan-cards.js';
import type { SiteTexts } from './site-texts.js';

type Row = { readonly what: string; readonly free: string; readonly of: (plan: PlanDefinition) => string };

const ROWS: readonly Row[] = [
  { what: 'Regime and confidence of every day (calendar)', free: 'all chains', of: () => 'all chains' },
  {
    what: 'Metrics, signals and scores as daily files',
    free: 'no',
    of: ({ chains }) => (chains === 'all' ? 'all chains' : 'one chain of your choice'),
  },
  {
    what: 'Longest single JSON file',
    free: 'no',
    of: ({ windows }) => `last ${Math.max(...windows.map((window) => WINDOWS[window]))} days`,
  },
  {
    what: 'Whole history as Parquet and CSV, with every correction',
    free: 'no',
    of: ({ archive }) => (archive ? 'yes' : 'no'),
  },
  {
    what: 'Daily briefs',
    free: 'weekly summary',
    of: ({ briefs }) => (briefs === 'all' ? 'every day' : 'latest day'),
  },
];

/** Returns the page with the plans, what each includes, and answers for buyers. */
export function pricingPage(site: SiteTexts): FileTemplate {
  return pageFile(site, {
    path: PAGE_PATHS.pricing,
    template: 'pricing',
    title: 'Pricing',
    description:
      'Free regime calendars, one chain, or all chains with their whole history: what each plan includes and costs.',
    values: () => ({
      plans: planCards(site, `${PAGE_PATHS.front}#free`),
      planLevel: 2,
      // With a sign-up page of the publisher's own, that page says how to pay and cancel.
      checkout: site.details?.sign_up_url === undefined ? [true] : [],
      rows: ROWS.map(({ what, free, of }) => ({
        what,
        cells: [free, ...PLAN_IDS.map((plan) => of(PLANS[plan]))],
      })),
    }),
  });
}
