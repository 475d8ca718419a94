import {
  count,
  dateWords,
  includedWords,
  joinWords,
  planPriceWords,
  confidenceWords,
  signalWords,
} from '../../../schemas/words.js';
import { CHAINS, PLAN_IDS, type PlanId, PLANS } from '../../../schemas/catalog.js';
import {
  ACCOUNT_PATHS,
  calendarPath,
  chainPagePath,
  chartPath,
  methodologyPagePath,
  PAGE_PATHS,
  PUBLIC_PATHS,
  weeklySummaryPath,
} from '../../../schemas/paths.js';
import type { Chain, SourceSegment } from '../../../schemas/types.generated.js';
import { addDays } from '../../../schemas/dates.js';
import type { FileTemplate } from '../artifacts/artifact.js';
import type { ChainFacts } from '../artifacts/chain-facts.js';
import { datasetMarkup, datasetTitle } from './dataset-markup.js';
import {
  attributionWords,
  labelSentence,
  overviewFigure,
  pageFile,
  type SiteTexts,
  toFreshnessNotices,
} from './page.js';

/** Options for `frontPage`. `facts` has one element per published chain, in the order of the page. */
export type FrontOptions = {
  readonly facts: readonly ChainFacts[];
  readonly methodologyVersion: string;
};

/** Number of days in the table beside the first commands. */
const SHOWN_DAYS = 3;

/**
 * Returns the front page: the state of every published chain, a chart, first commands, free files, plans and sources. The
 * page never depends on the current time: a script shows what is late by the reader's clock.
 */
export function frontPage(site: SiteTexts, { facts, methodologyVersion }: FrontOptions): FileTemplate {
  const description = `The regime of ${namesOf(facts)} on every day: how much each chain is used, how scarce its block space is, and how certain the label is. No prices, no forecasts.`;
  return pageFile(site, {
    path: PAGE_PATHS.front,
    template: 'front',
    title: 'Overview',
    description,
    dataset: datasetMarkup(site.details, {
      name: datasetTitle(site.details),
      description,
      path: PAGE_PATHS.front,
      chains: facts.map(({ chain }) => chain),
      sources: facts.flatMap(({ sources }) => sources),
    }),
    hasFirstStyle: true,
    values: (stamp) => ({
      stamp,
      notices: toFreshnessNotices(facts),
      chains: facts.map(toCard),
      overview: overviewFigure(facts),
      start: toStart(site, facts.find(({ chain }) => chain === 'ethereum') ?? facts[0]),
      free: {
        rows: FREE_FILES.map(({ name, words, path, as }) => ({
          name,
          links: facts.map(({ chain }) => ({ words, path: path(chain), as: as(chain) })),
        })),
        methodology: methodologyPagePath(methodologyVersion),
        notebook: PUBLIC_PATHS.starterNotebook,
      },
      plans: planCards(site, '#free'),
      planLevel: 3,
    }),
  });
}

/** Returns the page with the state of every published chain, to which the pages of the chains belong. */
export function chainsPage(site: SiteTexts, facts: readonly ChainFacts[]): FileTemplate {
  return pageFile(site, {
    path: PAGE_PATHS.chains,
    template: 'chains',
    title: 'Chains',
    description: `The latest regimes of ${namesOf(facts)}, and how they compare.`,
    values: () => ({
      notices: toFreshnessNotices(facts),
      chains: facts.map(toCard),
      overview: overviewFigure(facts),
    }),
  });
}

/** The files for each chain that need no key. */
const FREE_FILES = [
  {
    name: 'Regime calendar, one row for each day',
    words: 'CSV',
    path: calendarPath,
    as: (chain: Chain) => `${chain}-regime-calendar.csv`,
  },
  {
    name: 'Summary of the last week',
    words: 'text',
    path: weeklySummaryPath,
    as: (chain: Chain) => `${chain}-weekly-summary.txt`,
  },
  { name: 'Chart', words: 'SVG', path: chartPath, as: (chain: Chain) => `${chain}.svg` },
];

function namesOf(facts: readonly ChainFacts[]): string {
  return joinWords(facts.map(({ chain }) => CHAINS[chain].name)) || 'chains';
}

function toCard(facts: ChainFacts): object {
  const { chain, updatedThrough, sources, landing } = facts;
  const { regime, confidence, runs } = landing;
  const known = runs.findLast(({ label }) => label !== 'indeterminate');
  const { label } = known ?? regime;
  return {
    name: CHAINS[chain].name,
    page: chainPagePath(chain),
    label,
    words: labelSentence(label),
    state:
      regime.label !== 'indeterminate'
        ? `since ${dateWords(regime.since)}, ${count(regime.run_days, 'day')} · confidence ${confidenceWords(label, confidence)}`
        : known === undefined
          ? 'no day has a regime yet'
          : `the last known regime, on ${dateWords(known.last)}`,
    ...toMissing(facts),
    through: dateWords(updatedThrough),
    simulated: sources.some(isSimulated) ? ['Simulated data, not measured.'] : [],
    sources: sources.map(sourceWords).join(' '),
  };
}

/** Returns what the last day lacks: in `unknown` if it has no regime because of that, otherwise in `without`. */
function toMissing({ updatedThrough, lastAvailable, landing }: ChainFacts): {
  readonly unknown: readonly string[];
  readonly without: readonly string[];
} {
  const missing = joinWords(landing.confidence.missing_signals.map(signalWords));
  if (missing === '' || lastAvailable === updatedThrough)
    return { unknown: [], without: missing === '' ? [] : [missing] };
  const since = lastAvailable === null ? 'yet' : `since ${dateWords(addDays(lastAvailable, 1))}`;
  return { unknown: [`No regime ${since}. Missing: ${missing}.`], without: [] };
}

function placeWords(details: SiteTexts['details']): string[] {
  if (details === undefined)
    return [
      'This copy of the site was published without its address: a browser with JavaScript puts its own into the commands.',
    ];
  if (details.base_url.startsWith('https:')) return [];
  return ['This copy of the site has no public address: the client is installed from this machine.'];
}

/** Returns the first steps of the quickstart in Python, for a chain, with what they print. */
function toStart({ details, guides }: SiteTexts, facts: ChainFacts | undefined): object {
  const codeOf = (file: string): string =>
    guides.quickstart.codes.find((code) => code.file === file)?.text.trimEnd() ?? '';
  const read = codeOf('read-a-calendar.py').replace('"base"', `"${facts?.chain ?? 'ethereum'}"`);
  return {
    codes: [
      { label: 'Install the client, in a shell', text: codeOf('set-up.py.sh') },
      { label: 'Read a calendar, in Python', text: read },
    ],
    days: facts?.landing.labels.slice(-SHOWN_DAYS) ?? [],
    local: placeWords(details),
  };
}

const isSimulated = ({ name }: SourceSegment): boolean => /simulat/i.test(name);

function sourceWords({ name, from, licence, attribution }: SourceSegment): string {
  const since = from === undefined ? '' : ` from ${dateWords(from)}`;
  const by =
    attribution === undefined ? '' : ` Attribution: ${attributionWords(attribution).replace(/\.$/, '')}.`;
  return `${isSimulated({ name, licence }) ? 'Simulated, not measured' : name}${since}; licence ${licence}.${by}`;
}

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
      name: 'Public',
      price: 'Free',
      period: [],
      contents: FREE_CONTENTS,
      look: 'button plain',
      href: freeHref,
      action: 'Download',
    },
    ...PLAN_IDS.map((plan) => ({
      name: PLANS[plan].name,
      price: planPriceWords(plan),
      period: ['a month'],
      contents: includedWords(plan),
      action: ACTIONS[plan],
      look: 'button',
      href: toHref(plan),
    })),
  ];
}
