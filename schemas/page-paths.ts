import type { GuideName } from './catalog.js';
import type { ProblemCode } from './problems.js';
import type { Chain } from './types.generated.js';

/** A placeholder for a part of a path: `{chain}` in OpenAPI and in logs, `:chain` in Express. */
export type Placeholder = `{${string}}` | `:${string}`;

/** URL paths of the pages that are not per chain, and of the files that belong to them. */
export const PAGE_PATHS = {
  front: '/',
  chains: '/chains',
  docs: '/docs',
  api: '/docs/api',
  apiSchemas: '/docs/api/schemas',
  pricing: '/pricing',
  status: '/status',
  changes: '/changes',
  glossary: '/glossary',
  verify: '/verify',
  search: '/search',
  searchIndex: '/search-index.txt',
  feed: '/feed.xml',
  sitemap: '/sitemap.xml',
  robots: '/robots.txt',
  llms: '/llms.txt',
  dataPackage: '/datapackage.json',
  croissant: '/croissant.json',
  siteFiles: '/site-files.json',
  dayFrame: '/assets/day.html',
  icon: '/assets/icon.svg',
  card: '/assets/card.png',
} as const;

/** Returns the URL path of a script or style sheet of the pages, by the name of its file, which contains its digest. */
export function assetPath(name: string): string {
  return `/assets/${name}`;
}

/** Returns the URL path of a chain's page. */
export function chainPagePath(chain: Chain | Placeholder): string {
  return `/chains/${chain}`;
}

/** What the gateway puts in place of these marks in the frame of day pages. */
export const DAY_MARKS = {
  title: '⟦title⟧',
  description: '⟦description⟧',
  chain: '⟦chain⟧',
  name: '⟦name⟧',
  date: '⟦date⟧',
  lead: '⟦lead⟧',
  content: '⟦content⟧',
} as const;

/** Returns the URL path of the page about a day of a chain, which the gateway renders. */
export function dayPagePath(chain: Chain | Placeholder, date: string): string {
  return `${chainPagePath(chain)}/${date}`;
}

/** Returns the URL path of a chain's feed (Atom). */
export function chainFeedPath(chain: Chain | Placeholder): string {
  return `${chainPagePath(chain)}/feed.xml`;
}

/** Returns the URL path of the events that a chain's feed reports, as data. */
export function chainEventsPath(chain: Chain | Placeholder): string {
  return `${chainPagePath(chain)}/events.json`;
}

/** Returns the URL path of the calendar of a chain's regimes (iCalendar). */
export function regimeEventsPath(chain: Chain | Placeholder): string {
  return `${chainPagePath(chain)}/regimes.ics`;
}

/** Returns the URL path of the page with a chain's metrics. */
export function metricsPagePath(chain: Chain | Placeholder): string {
  return `${chainPagePath(chain)}/metrics`;
}

/** A view of the chart of a chain's metrics as an address spells it. `from`, `to` and `day` are dates, and `with` is the second metric, such as `base.fees_total`. */
export type MetricsView = {
  readonly [name in 'metric' | 'with' | 'scale' | 'from' | 'to' | 'day']?: string | undefined;
};

/** Returns the part of an address after `#` that opens a view of the chart; empty for the view that a page begins with. */
export function metricsFragment({ metric, with: second, scale, from, to, day }: MetricsView): string {
  return Object.entries({ metric, with: second, scale, from, to, day })
    .flatMap(([name, value]) => (value === undefined ? [] : [`${name}=${value}`]))
    .join('&');
}

/** URL path below which the pages are that other sites may embed. */
export const EMBED_PATH = '/embed/';

/** Returns the URL path of the chart of a chain's metrics for pages of other sites. */
export function embedPath(chain: Chain | Placeholder): string {
  return `${EMBED_PATH}${chain}`;
}

/** Returns the URL path of a guide. */
export function guidePath(name: GuideName | Placeholder): string {
  return `${PAGE_PATHS.docs}/guides/${name}`;
}

/** Returns the URL path of the page about an operation of the API, by its id: `get-status` for `getStatus`. */
export function operationPath(id: string): string {
  return `${PAGE_PATHS.api}/${id.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
}

/** Returns the URL path of the page with an example program, by the name of its file: `download-sh` for `download.sh`. */
export function exampleViewPath(name: string): string {
  return `${PAGE_PATHS.docs}/examples/${name.replace(/[._]/g, '-')}`;
}

/** Returns the URL path of the page with the text of a methodology version. */
export function methodologyPagePath(version: string): string {
  return `/methodology/${version}`;
}

/** URL path below which the pages about problems are. */
export const PROBLEMS_PATH = '/problems/';

/** Returns the URL path of the page about a problem, which is also the problem's `type`. */
export function problemPath(code: ProblemCode | Placeholder): string {
  return `${PROBLEMS_PATH}${code}`;
}
