import { GENRES, PLAN_IDS, PLANS, WINDOWS, type PlanTerms } from '../../../../schemas/catalog.js';
import {
  bundlePath,
  calendarPath,
  chartPath,
  dayPath,
  manifestPath,
  summaryPath,
  weeklySummaryPath,
} from '../../../../schemas/paths.js';
import type { Chain, Genre, Window } from '../../../../schemas/types.generated.js';

type Row = { readonly path: string; readonly content: string };
type SubscriberRow = Row & { readonly plans: string };

/** The public files of a chain, and what each is. */
export function publicRows(chain: Chain): Row[] {
  return [
    { path: calendarPath(chain), content: 'regime calendar, CSV: one row for each date' },
    { path: weeklySummaryPath(chain), content: 'weekly summary, plain text' },
    { path: summaryPath(chain), content: 'summary, JSON: what this page says' },
    { path: chartPath(chain), content: 'chart, SVG' },
  ];
}

/** The subscriber files of a chain, what each is, and which plans have it. Day files by the one of `date`. */
export function subscriberRows(chain: Chain, date: string): SubscriberRow[] {
  const windows = Object.keys(WINDOWS) as Window[]; // keys of a closed literal
  return GENRES.flatMap((genre) => [
    ...windows.map((window) => ({
      path: bundlePath(genre, chain, window),
      content:
        window === 'latest' ? `${genre}, the latest date` : `${genre}, the last ${WINDOWS[window]} dates`,
      plans: plansWith((terms) => hasWindow(terms, genre, window)),
    })),
    {
      path: manifestPath(genre, chain),
      content: `${genre}, every date with its digest`,
      plans: plansWith((terms) => hasArchive(terms, genre)),
    },
    {
      path: dayPath(genre, chain, date),
      content: `${genre}, one date; likewise every date of the manifest`,
      plans: plansWith((terms) => hasArchive(terms, genre)),
    },
  ]);
}

function plansWith(has: (terms: PlanTerms) => boolean): string {
  return PLAN_IDS.filter((plan) => has(PLANS[plan]))
    .map((plan) => PLANS[plan].name)
    .join(', ');
}

function hasWindow(terms: PlanTerms, genre: Genre, window: Window): boolean {
  if (genre === 'briefs') return window === 'latest' || terms.briefs === 'all';
  return terms.windows.includes(window);
}

function hasArchive(terms: PlanTerms, genre: Genre): boolean {
  return genre === 'briefs' ? terms.briefs === 'all' : terms.archive;
}
