import { GENRES, PLAN_IDS, PLANS, WINDOWS, type PlanDefinition } from '../../../schemas/catalog.js';
import {
  bundlePath,
  calendarPath,
  chartDataPath,
  chartPath,
  manifestPath,
  summaryPath,
  weeklySummaryPath,
} from '../../../schemas/paths.js';
import type { Chain, Genre, Window } from '../../../schemas/types.generated.js';

type Row = { readonly path: string; readonly content: string };

/** Returns the public files of a chain with a description of each. */
export function publicRows(chain: Chain): Row[] {
  return [
    { path: calendarPath(chain), content: 'Regime calendar (CSV), one row for each day' },
    { path: weeklySummaryPath(chain), content: 'Summary of the last week (text)' },
    { path: summaryPath(chain), content: 'The data of this page (JSON)' },
    { path: chartPath(chain), content: 'Chart (SVG)' },
    { path: chartDataPath(chain), content: 'The data of the chart (JSON), every day' },
  ];
}

/** What each genre contains, in the words of a buyer. */
const GENRE_WORDS: Readonly<Record<Genre, string>> = {
  meta: 'Regime, confidence, scores and drivers',
  gold: 'Metrics',
  derived: 'Averages, changes and ratios of the metrics',
  briefs: 'Brief in plain English',
};

const WINDOW_WORDS: Readonly<Record<Window, string>> = {
  ...{ latest: 'latest day', '7d': '7 days', '30d': '30 days', '90d': '90 days', '365d': '365 days' },
};

/** Returns the subscriber files of a chain: a row for each genre, with a link for each window and to all dates. */
export function subscriberTable(chain: Chain): object {
  const windows = Object.keys(WINDOWS) as Window[]; // Object.keys loses the key type
  return {
    heads: [...windows.map((window) => WINDOW_WORDS[window]), 'every day'],
    rows: GENRES.map((genre) => ({
      name: GENRE_WORDS[genre],
      genre,
      links: [
        ...windows.map((window) => ({
          path: bundlePath(genre, chain, window),
          plan: firstPlan((plan) => hasWindow(plan, genre, window)),
        })),
        { path: manifestPath(genre, chain), plan: firstPlan((plan) => hasArchive(plan, genre)) },
      ],
    })),
  };
}

/** Returns the name of the smallest plan with a file. */
function firstPlan(has: (plan: PlanDefinition) => boolean): string {
  const plan = PLAN_IDS.find((each) => has(PLANS[each]));
  return plan === undefined ? '' : PLANS[plan].name;
}

function hasWindow(plan: PlanDefinition, genre: Genre, window: Window): boolean {
  if (genre === 'briefs') return window === 'latest' || plan.briefs === 'all';
  return plan.windows.includes(window);
}

function hasArchive(plan: PlanDefinition, genre: Genre): boolean {
  return genre === 'briefs' ? plan.briefs === 'all' : plan.archive;
}
