import { windowWords } from '../charts/scenes.js';
import { LABELS } from '../charts/chart-style.js';
import { capitalized, count, dateWords, joinWords, withMinusSigns } from '../../../schemas/words.js';
import {
  ACCOUNT_PATHS,
  chartDataPath,
  chartPath,
  methodologyPagePath,
  PAGE_PATHS,
  PUBLIC_PATHS,
} from '../../../schemas/paths.js';
import { sha256Base64 } from '../../../schemas/digest.js';
import { pagePolicy } from '../../../schemas/page-policy.js';
import { siteLinks } from '../../../schemas/site-links.js';
import { SITE_NAME } from '../../../schemas/site-name.js';
import { UNKNOWN_ADDRESS } from '../../../schemas/paths.js';
import { type FileTemplate, HTML_TYPE, type ReleaseStamp, textContent } from '../artifacts/artifact.js';
import { type TextTemplate, trustHtml } from '../text/text-template.js';
import { CHAIN_IDS, CHAINS, type GuideName, LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { freshnessLimits } from '../../../schemas/freshness.js';
import type {
  Chain,
  ChainLanding,
  Methodology,
  RegimeLabel,
  Site,
} from '../../../schemas/types.generated.js';
import type { ChainFacts } from '../artifacts/chain-facts.js';
import type { ChartPoint } from '../artifacts/chart-data.js';
import { type Markup, toDataBlock } from './dataset-markup.js';
import { chartForPage, drawChain, type DrawnChart, drawOverview } from '../charts/chart-files.js';

/** The social card: networks want to know its size before they load it. */
const CARD = {
  width: 1200,
  height: 630,
  alt: 'What state is a chain in? Four ribbons in the colours of the regimes.',
};

const SECTIONS = [
  { path: PAGE_PATHS.chains, name: 'Chains' },
  { path: PAGE_PATHS.docs, name: 'Docs' },
  { path: methodologyPagePath('v1'), name: 'Methodology' },
  { path: PAGE_PATHS.pricing, name: 'Pricing' },
  { path: ACCOUNT_PATHS.page, name: 'Account' },
  { path: PAGE_PATHS.search, name: 'Search' },
];

const RESOURCES = [
  { path: PAGE_PATHS.status, name: 'Status' },
  { path: PAGE_PATHS.changes, name: 'Changes' },
  { path: PAGE_PATHS.glossary, name: 'Glossary' },
  { path: PAGE_PATHS.verify, name: 'Verify' },
  { path: PUBLIC_PATHS.release, name: 'Digests' },
  { path: PUBLIC_PATHS.openapi, name: 'OpenAPI' },
];

/** The feed of releases, which every page names. */
const RELEASE_FEED: PageFeed = { type: 'application/atom+xml', name: 'Releases', path: PAGE_PATHS.feed };

/** A feed or calendar in the head of a page. */
export type PageFeed = { readonly type: string; readonly name: string; readonly path: string };

/** Options for `pageFile`. */
type PageOptions = {
  readonly path: string;
  readonly template: PageTemplate;
  readonly title: string;
  readonly description: string;
  /**
   * Whether the page contains the styles of its first screen, so that this is painted without another file. Its template
   * links to the style sheet after what these styles suffice for.
   */
  readonly hasFirstStyle?: boolean;
  /** The dataset of this page, for a data block. */
  readonly dataset?: Markup;
  /** Path of the canonical link, unless it is that of the page. */
  readonly canonical?: string;
  /** Feeds of this page, which readers find by themselves. */
  readonly feeds?: readonly PageFeed[];
  /** Scripts of this page, after the script of all pages. */
  readonly scripts?: readonly SiteAsset[];
  /** Returns the values of the template. A page shows the revision of the release in which it last changed. */
  readonly values: (stamp: ReleaseStamp) => object;
};

/** Returns a page as a file of a release. Its own values override the shared ones. */
export function pageFile(
  site: SiteTexts,
  {
    path,
    canonical,
    template,
    title,
    description,
    hasFirstStyle = false,
    scripts = [],
    feeds = [],
    dataset,
    values,
  }: PageOptions,
): FileTemplate {
  const { details } = site;
  const styles = hasFirstStyle ? [site.firstStyle] : [];
  const name = details?.name ?? SITE_NAME;
  const address = canonical ?? path;
  const origins = details === undefined ? [] : [details.base_url.replace(/\/$/, '')];
  const shared = {
    title: path === PAGE_PATHS.front ? name : `${title} · ${name}`,
    description,
    canonical: origins.map((origin) => origin + address),
    card: origins.map((origin) => ({ ...CARD, url: origin + PAGE_PATHS.card })),
    site: {
      name,
      policy: pagePolicy(styles.map(sha256Base64)),
      ...PAGE_PATHS,
      stylesheet: site.stylesheet.path,
    },
    styles: styles.map(trustHtml),
    datasets: dataset === undefined ? [] : [trustHtml(toDataBlock(dataset))],
    feeds: [...feeds, RELEASE_FEED],
    scripts: [site.script, ...scripts].map((script) => script.path),
    stylesheets: styles.length === 0 ? [site.stylesheet.path] : [],
    sections: SECTIONS.map((section) => ({ ...section, current: currentOf(section.path, path) })),
    resources: RESOURCES,
    ...publisherMembers(details),
  };
  return {
    path,
    type: HTML_TYPE,
    content: (stamp) => textContent(site.templates[template]({ ...shared, ...values(stamp) })),
  };
}

function publisherMembers(details: Site | undefined): object {
  return {
    publisher: details?.publisher === undefined ? [] : [details.publisher],
    notice: details?.notice === undefined ? [] : [details.notice],
    links: details === undefined ? [] : siteLinks(details),
  };
}

/** Returns the value of `aria-current` of a link to a section: the page itself, or a page below it. */
function currentOf(section: string, path: string): string[] {
  if (section === path) return ['page'];
  return [PAGE_PATHS.docs, PAGE_PATHS.chains].some((each) => each === section) &&
    path.startsWith(`${section}/`)
    ? ['true']
    : [];
}

/** Placeholder for a missing value. */
export const ABSENT = '–';

/** Formats a number for a cell of a page, with a typographic minus sign. */
export function toCell(x: number | null | undefined, toWords: (x: number) => string): string {
  return x === null || x === undefined ? ABSENT : withMinusSigns(toWords(x));
}

/** Returns the labels of the last dates as a ribbon, a bar with one part per date, and its text alternative. Precondition: at least one date. */
export function toRibbon(labels: ChainLanding['labels']): object {
  const counts = (Object.keys(LABEL_MEANINGS) as RegimeLabel[]) // Object.keys loses the key type
    .map((label) => ({ label, days: labels.filter((each) => each.label === label).length }))
    .filter(({ days }) => days > 0);
  const words = counts.map(({ label, days }) => `${label} ${count(days, 'day')}`).join(', ');
  const [first, last] = [labels[0]?.date ?? '', labels.at(-1)?.date ?? ''];
  return { days: labels, words: `Labels from ${first} to ${last}: ${words}.` };
}

/** Returns the meaning of a label as a sentence. */
export function labelSentence(label: RegimeLabel): string {
  return `${capitalized(LABEL_MEANINGS[label])}.`;
}

/** Returns the attribution of a source as shown behind the word "Attribution". Some texts begin with "Source:". */
export function attributionWords(attribution: string): string {
  return attribution.replace(/^source:\s*/i, '');
}

/** Returns the members by chain in display order, which a stored document does not keep. */
export function inChainOrder<T>(byChain: { readonly [chain in Chain]?: T }): [Chain, T][] {
  return CHAIN_IDS.flatMap((chain): [Chain, T][] => {
    const value = byChain[chain];
    return value === undefined ? [] : [[chain, value]];
  });
}

/** A notice that a script shows once the data of these chains is late or stale by the reader's clock. */
type FreshnessNotice = {
  readonly names: string;
  readonly extent: string;
  readonly lateAfter: readonly string[];
  readonly staleAfter: readonly string[];
};

/** Returns the notices about late and stale data: one for all chains whose data ends on the same day and ages alike. */
export function toFreshnessNotices(
  chains: readonly { readonly chain: Chain; readonly lastAvailable: string | null }[],
): FreshnessNotice[] {
  const groups = new Map<string, { names: string[]; notice: Omit<FreshnessNotice, 'names'> }>();
  for (const { chain, lastAvailable } of chains) {
    const { late_after: late, stale_after: stale } = freshnessLimits(chain, lastAvailable);
    const notice = {
      extent:
        lastAvailable === null ? 'no day has a regime yet' : `regimes up to ${dateWords(lastAvailable)}`,
      lateAfter: late === null ? [] : [late],
      staleAfter: stale === null ? [] : [stale],
    };
    const key = JSON.stringify(notice);
    const group = groups.get(key) ?? { names: [], notice };
    group.names.push(CHAINS[chain].name);
    groups.set(key, group);
  }
  return [...groups.values()].map(({ names, notice }) => ({ names: joinWords(names), ...notice }));
}

/** Returns the address of a site without a slash at the end; without a site, one that belongs to nobody. */
export const addressOf = (baseUrl = UNKNOWN_ADDRESS): string => baseUrl.replace(/\/$/, '');

/** Names of the page templates. `layout` surrounds every page; those from `plans` on are partials. */
export const PAGE_TEMPLATES = [
  'layout',
  'front',
  'chains',
  'chain',
  'day',
  'metrics',
  'embed',
  'pricing',
  'status',
  'changes',
  'glossary',
  'docs',
  'guide',
  'example',
  'api',
  'operation',
  'schemas',
  'methodology',
  'verify',
  'search',
  'problem',
  'plans',
  'chain-cards',
  'docs-list',
  'code',
  'code-tabs',
  'members',
  'type',
  'figure',
  'metric-figure',
] as const;

export type PageTemplate = (typeof PAGE_TEMPLATES)[number];

/** An example program, published as a file and shown on a page. */
export type ExampleText = { readonly name: string; readonly text: string };

/** The code of a section of a guide. `file` is the section's id with an ending of `CODE_TABS`. */
export type GuideCode = { readonly file: string; readonly text: string };

/** A guide: a Markdown text with a section for each second-level heading, and the code of the sections. */
export type GuideText = { readonly text: string; readonly codes: readonly GuideCode[] };

/** Names of the texts in `templates/guides`. The quickstart is on the first page of the documentation. */
export type GuideTextName = GuideName | 'quickstart';

/** A style sheet or script. Its path contains its digest: a page always loads the right version, and caches can keep it. */
export type SiteAsset = { readonly path: string; readonly text: string };

/** The templates and static texts of the pages. */
export type SiteTexts = {
  readonly templates: { readonly [name in PageTemplate]: TextTemplate };
  /** The styles of the first screen of a page. */
  readonly firstStyle: string;
  /** All styles. */
  readonly stylesheet: SiteAsset;
  /** The script of the pages, bundled. */
  readonly script: SiteAsset;
  /** The script of the page that searches the site, bundled. */
  readonly searchScript: SiteAsset;
  /** The script of the pages with metrics, bundled. */
  readonly metricsScript: SiteAsset;
  /** The script of the page that verifies the site, bundled. */
  readonly verifyScript: SiteAsset;
  readonly icon: string;
  /** The picture that social networks show beside a link, a PNG. */
  readonly card: Uint8Array;
  /** URL path of the wheel of the Python client. */
  readonly wheel: string;
  /** Ascending by name. */
  readonly examples: readonly ExampleText[];
  readonly guides: Readonly<Record<GuideTextName, GuideText>>;
  /** Who publishes, and where; absent without a `site.json`. */
  readonly details?: Site;
};

/** Returns the values of the template `figure` for a chain's chart. Precondition: at least one point. */
export function chainFigure(
  chain: Chain,
  points: readonly ChartPoint[],
  {
    methodology,
    lastAvailable,
  }: { readonly methodology: Methodology; readonly lastAvailable: string | null },
): object {
  const chart = drawChain(chain, points, methodology);
  return toFigure(chart, 'chain', [{ chain, lastAvailable }], chartPath(chain));
}

/** Returns the values of the template `figure` for the chart of all chains. */
export function overviewFigure(facts: readonly ChainFacts[]): object {
  return toFigure(drawOverview(facts), 'overview', facts, PUBLIC_PATHS.overviewChart);
}

function toFigure(
  chart: DrawnChart,
  kind: 'chain' | 'overview',
  facts: readonly Pick<ChainFacts, 'chain' | 'lastAvailable'>[],
  path: string,
): object {
  const chains = facts.map(({ chain }) => chain);
  return {
    kind,
    heading: chart.heading,
    range: chains.length === 0 ? 'No chain is published.' : windowWords(chart.window),
    svg: trustHtml(chartForPage(chart)),
    files: chains.map(chartDataPath).join(' '),
    stale: facts
      .flatMap((each) => freshnessLimits(each.chain, each.lastAvailable).stale_after ?? [])
      .join(' '),
    path,
    data: chains.map((chain) => ({ name: CHAINS[chain].name, path: chartDataPath(chain) })),
    labels: LABELS,
  };
}
