import { GENRES, PLAN_IDS, PLANS, WINDOWS, type PlanDefinition } from '../../../schemas/catalog.js';
import {
  bundlePath,
  calendarPath,
  chartPath,
  dayPath,
  manifestPath,
  summaryPath,
  weeklySummaryPath,
} from '../../../schemas/paths.js';
import type { Chain, Genre, Window } from '../../../schemas/types.generated.js';

type Row = { readonly path: string; readonly content: string };
type SubscriberRow = Row & { readonly plans: string };

/** Returns the public files of a chain with a description of each. */
export function publicRows(chain: Chain): Row[] {
  return [
    { path: calendarPath(chain), content: 'regime calendar, CSV: one row per date' },
    { path: weeklySummaryPath(chain), content: 'weekly summary, plain text' },
    { path: summaryPath(chain), content: 'summary, JSON: the data of this page' },
    { path: chartPath(chain), content: 'chart, SVG' },
  ];
}

/** Returns the subscriber files of a chain, each with a description and its plans; `date` is that of the example day file. */
export function subscriberRows(chain: Chain, date: string): SubscriberRow[] {
  const windows = Object.keys(WINDOWS) as Window[]; // Object.keys loses the key type
  return GENRES.flatMap((genre) => [
    ...windows.map((window) => ({
      path: bundlePath(genre, chain, window),
      content:
        window === 'latest' ? `${genre}, the latest date` : `${genre}, the last ${WINDOWS[window]} dates`,
      plans: plansWith((plan) => hasWindow(plan, genre, window)),
    })),
    {
      path: manifestPath(genre, chain),
      content: `${genre}, every date with its digest`,
      plans: plansWith((plan) => hasArchive(plan, genre)),
    },
    {
      path: dayPath(genre, chain, date),
      content: `${genre}, one date; the same path exists for every date of the manifest`,
      plans: plansWith((plan) => hasArchive(plan, genre)),
    },
  ]);
}

function plansWith(has: (plan: PlanDefinition) => boolean): string {
  return PLAN_IDS.filter((plan) => has(PLANS[plan]))
    .map((plan) => PLANS[plan].name)
    .join(', ');
}

function hasWindow(plan: PlanDefinition, genre: Genre, window: Window): boolean {
  if (genre === 'briefs') return window === 'latest' || plan.briefs === 'all';
  return plan.windows.includes(window);
}

function hasArchive(plan: PlanDefinition, genre: Genre): boolean {
  return genre === 'briefs' ? plan.briefs === 'all' : plan.archive;
}
