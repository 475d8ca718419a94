import {
  CHAIN_IDS,
  CHAINS,
  EXAMPLE_NAMES,
  GUIDE_NAMES,
  METRICS,
  metricsOf,
} from '../../../schemas/catalog.js';
import {
  ACCOUNT_PATHS,
  chainPagePath,
  exampleViewPath,
  guidePath,
  metricsPagePath,
  PAGE_PATHS,
  PROBLEMS_PATH,
  PUBLIC_PATHS,
} from '../../../schemas/paths.js';
import type { Chain, GlossaryEntry } from '../../../schemas/types.generated.js';
import { type FileTemplate, HTML_TYPE, PLAIN_TYPE, textContent } from '../artifacts/artifact.js';
import { eventsOf } from '../charts/chart-events.js';
import { pageFile, type SiteTexts } from './page.js';

/**
 * A place that a search can find: `[title, page, path, text]`. `page` is the title of the page that it is a part of, or what
 * kind of place it is. `path` can have a fragment.
 */
type SearchPlace = readonly [title: string, page: string, path: string, text: string];

/** Places that have no page of texts, with words that lead to them. */
const OTHER_PLACES: readonly SearchPlace[] = [
  ...CHAIN_IDS.map((chain): SearchPlace => [
    CHAINS[chain].name,
    'Chain',
    chainPagePath(chain),
    'State of the chain now: regime, confidence, scorecard, drivers, chart, last days, files to download, sources.',
  ]),
  ...CHAIN_IDS.map((chain): SearchPlace => [
    `${CHAINS[chain].name} metrics`,
    'Charts',
    metricsPagePath(chain),
    metricsWords(chain),
  ]),
  ['Chains', 'Page', PAGE_PATHS.chains, 'State of all chains now. Regimes of the last two years.'],
  [
    'Status',
    'Page',
    PAGE_PATHS.status,
    'Freshness of each chain: late, stale, on hold, next day expected by.',
  ],
  ['Changes', 'Page', PAGE_PATHS.changes, 'The last releases: new, restated, corrected and withdrawn days.'],
  [
    'Alerts of changes',
    'Guide',
    `${guidePath('revisions')}#follow-a-chain-in-a-feed-reader`,
    'A feed of each chain (Atom, for RSS readers) and a calendar (iCalendar) tell of every change of regime and every correction. There are no notifications by e-mail and no webhooks.',
  ],
  [
    'Point-in-time data for backtests',
    'Guide',
    guidePath('join'),
    'Join the label of the day before, in the version that was known then, without survivorship and hindsight.',
  ],
  [
    'Questions before you buy',
    'Page',
    `${PAGE_PATHS.pricing}#questions`,
    'Payment, cancelling, a free week of files instead of a trial, and what the publisher says of refunds, VAT, contact and what you may redistribute.',
  ],
  [
    'Starter notebook (Jupyter)',
    'File',
    PUBLIC_PATHS.starterNotebook,
    'How long the regimes of a chain last, what follows them, how high fees are in them, and how to join them to numbers of your own.',
  ],
  [
    'Account',
    'Page',
    ACCOUNT_PATHS.page,
    'Sign in. Buy, change or cancel a plan. Create and revoke API keys. Invoices. Downloads.',
  ],
];

/** Returns what the page with the metrics of a chain has. */
function metricsWords(chain: Chain): string {
  const metrics = metricsOf(chain).map((metric) => METRICS[metric].words);
  const events = eventsOf([chain]).map(({ words }) => words);
  return [
    `Charts of ${metrics.join(', ')}.`,
    'Compare two metrics or chains. Share, embed or cite a view (its citation can be copied), or save it as CSV, SVG or PNG.',
    ...(events.length === 0 ? [] : [`Events: ${events.join(', ')}.`]),
  ].join(' ');
}

/** Returns the page on which a reader searches the site. Its script loads the index; without scripts, it lists the pages. */
export function searchPage(site: SiteTexts, list: readonly object[]): FileTemplate {
  return pageFile(site, {
    path: PAGE_PATHS.search,
    template: 'search',
    title: 'Search',
    description: 'Search guides, reference, glossary, methodology and days.',
    scripts: [site.searchScript],
    values: () => ({ list, index: PAGE_PATHS.searchIndex }),
  });
}

/**
 * Returns the index of what readers can search: the sections of `pages`, and the entries of the glossary. Each line is the
 * JSON of a `SearchPlace`.
 */
export function searchIndex(
  pages: readonly FileTemplate[],
  glossary: readonly GlossaryEntry[],
): FileTemplate {
  return {
    path: PAGE_PATHS.searchIndex,
    type: PLAIN_TYPE,
    content: (stamp) => {
      const texts = pages.filter(({ type, path }) => type === HTML_TYPE && path !== PAGE_PATHS.glossary);
      const places = [
        ...OTHER_PLACES,
        ...texts.flatMap((page) => placesIn(page.path, page.content(stamp).text)),
        ...glossary.map(({ id, kind, name, definition }): SearchPlace => [
          name,
          `Glossary, ${kind}`,
          `${PAGE_PATHS.glossary}#${id}`,
          definition,
        ]),
      ];
      return textContent(places.map((place) => `${JSON.stringify(place)}\n`).join(''));
    },
  };
}

/** What a search does not look at: code, lists of other pages, and what a script shows. */
const LEFT_OUT = /<(nav|pre|details|form|script)\b[^]*?<\/\1>|<p class="(?:note|kicker)">[^]*?<\/p>/g;
/** A search looks at the tables of guides only: the others repeat the glossary. */
const TABLE = /<table\b[^]*?<\/table>/g;
const HEADING = /<h([1-3])(?: id="([^"]*)")?[^>]*>([^]*?)<\/h\1>/;

/** Returns the sections of a page that have a text. The text before the first heading belongs to it. */
function placesIn(path: string, html: string): SearchPlace[] {
  const main = /<main\b[^>]*>([^]*)<\/main>/.exec(html)?.[1] ?? '';
  const searched = GUIDES.has(path) ? main : main.replace(TABLE, ' ');
  const [before = '', ...parts] = searched.replace(LEFT_OUT, ' ').split(HEADING);
  const sections = parts.flatMap((level, i) => {
    if (i % 4 !== 0) return []; // a heading is four parts: its level, id and title, and what follows it
    const [id, title = '', body = ''] = parts.slice(i + 1, i + 4) as (string | undefined)[];
    return [{ level, id, title: plainOf(title), text: plainOf(level === '1' ? `${before} ${body}` : body) }];
  });
  const page = sections.find(({ level }) => level === '1')?.title ?? '';
  return sections
    .filter(({ level, text }) => level === '1' || (text !== '' && !isWhole(path)))
    .map(({ level, id, title, text }): SearchPlace => {
      const isPage = level === '1';
      return [title, isPage ? kindOf(path) : page, isPage || id === undefined ? path : `${path}#${id}`, text];
    });
}

function kindOf(path: string): string {
  if (GUIDES.has(path)) return 'Guide';
  if (EXAMPLES.has(path)) return 'Example';
  if (path.startsWith(PROBLEMS_PATH)) return 'Problem';
  if (path.startsWith(PAGE_PATHS.api)) return 'API reference';
  return 'Page';
}

const GUIDES: ReadonlySet<string> = new Set(GUIDE_NAMES.map(guidePath));
const EXAMPLES: ReadonlySet<string> = new Set(EXAMPLE_NAMES.map(exampleViewPath));

/** Returns whether a page is found as a whole, because pages like it have the same sections. */
function isWhole(path: string): boolean {
  return (
    path === PAGE_PATHS.docs || [`${PAGE_PATHS.api}/`, PROBLEMS_PATH].some((each) => path.startsWith(each))
  );
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&lt;': '<',
  '&gt;': '>',
  '&quot;': '"',
  '&#x27;': "'",
  '&#x3D;': '=',
  '&#x60;': '`',
  '&amp;': '&',
};

/** Returns the text of HTML of our own, in one line. */
function plainOf(html: string): string {
  return html
    .replace(/<[^>]*>/g, ' ')
    .replace(/&(?:\w+|#x\w+);/g, (entity) => ENTITIES[entity] ?? entity)
    .replace(/\s+/g, ' ')
    .replace(/ (?=[.,;:)])/g, '')
    .trim();
}
