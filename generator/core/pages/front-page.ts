import {
  CHAINS,
  GENRES,
  PLAN_IDS,
  PLANS,
  PRICE_CURRENCY,
  type PlanDefinition,
} from '../../../schemas/catalog.js';
import {
  calendarPath,
  chainPagePath,
  examplePath,
  methodologyPagePath,
  PAGE_PATHS,
  PUBLIC_PATHS,
} from '../../../schemas/paths.js';
import type { FileTemplate, ReleaseStamp } from '../artifacts/artifact.js';
import { LANDING_DAYS, type ChainFacts } from '../artifacts/chain-facts.js';
import { freshnessWords, toPublishedFreshness } from '../artifacts/freshness.js';
import { confidenceWords } from '../text/confidence-words.js';
import { count } from '../text/count.js';
import { priceWords } from '../text/number-words.js';
import { signalWords } from '../text/signal-words.js';
import { chainFigure, overviewFigure } from './chart-figure.js';
import { pageFile } from './page.js';
import type { SiteTexts } from './site-texts.js';
import { toDatedText, toRibbon } from './page-words.js';

/** Options for `frontPage`. `facts` has one element per published chain, in the order of the page. */
export type FrontOptions = {
  readonly facts: readonly ChainFacts[];
  readonly methodologyVersion: string;
};

/**
 * Returns the front page: the state of every published chain, charts, first commands and plans. The page never depends
 * on the current time.
 */
export function frontPage(site: SiteTexts, { facts, methodologyVersion }: FrontOptions): FileTemplate {
  return pageFile(site, {
    path: PAGE_PATHS.front,
    template: 'front',
    title: 'Overview',
    description: `Daily on-chain regimes of ${namesOf(facts)}: how much each chain is used, how scarce its block space is, and how confident each label is. No prices, no forecasts.`,
    values: (stamp) => ({
      stamp,
      chains: facts.map((each) => toCard(each, stamp)),
      ribbonDays: LANDING_DAYS,
      overview: overviewFigure(),
      start: {
        gateway: site.details === undefined ? [] : [site.details.base_url],
        lines: facts.slice(0, 1).flatMap(({ chain }) => toLines(chain)),
        methodology: methodologyPagePath(methodologyVersion),
      },
      plans: {
        genres: GENRES.filter((genre) => genre !== 'briefs').join(', '),
        currency: PRICE_CURRENCY.toUpperCase(),
        rows: PLAN_IDS.map((plan) => toPlan(PLANS[plan])),
        signUp: site.details?.sign_up_url === undefined ? [] : [site.details.sign_up_url],
      },
    }),
  });
}

function namesOf(facts: readonly ChainFacts[]): string {
  const names = facts.map(({ chain }) => CHAINS[chain].name);
  return names.length < 2
    ? (names[0] ?? 'chains')
    : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}

function toCard(
  { chain, updatedThrough, lastAvailable, sources, landing }: ChainFacts,
  { publishedAt }: ReleaseStamp,
): object {
  const { regime, confidence, headline, labels } = landing;
  const { missing_signals: missing } = confidence;
  const fresh = toPublishedFreshness(chain, updatedThrough, lastAvailable, publishedAt, sources);
  return {
    name: CHAINS[chain].name,
    page: chainPagePath(chain),
    label: regime.label,
    headline: toDatedText(headline),
    ribbon: toRibbon(labels),
    since: regime.since,
    run: count(regime.run_days, 'day'),
    confidence: confidenceWords(regime.label, confidence),
    missing: missing.length === 0 ? [] : [missing.map(signalWords).join(', ')],
    through: updatedThrough,
    next: fresh.expected_next_by,
    freshness: freshnessWords(fresh),
    chart: chainFigure(chain),
  };
}

function toLines(chain: ChainFacts['chain']): object[] {
  return [
    {
      comment: 'the regime calendar: one row per date',
      command: `curl -fsSL "\${GATEWAY%/}${calendarPath(chain)}" -o ${chain}-regime-calendar.csv`,
    },
    {
      comment: 'a notebook: how long regimes last, what follows what, and the join with your own daily data',
      command: `curl -fsSL "\${GATEWAY%/}${PUBLIC_PATHS.starterNotebook}" -o starter.ipynb && CRD_BASE_URL="$GATEWAY" jupyter lab starter.ipynb`,
    },
    {
      comment: 'a copy of an archive with every digest verified (needs a key of the Research plan)',
      command: `curl -fsSLO "\${GATEWAY%/}${examplePath('sync.ts')}" && npx tsx sync.ts --chain ${chain} --genre gold --to mirror`,
    },
  ];
}

function toPlan({ name, chains, windows, archive, briefs, monthlyCents }: PlanDefinition): object {
  return {
    name,
    chains: chains === 'all' ? 'all' : 'one, of your choice',
    windows: windows.join(', '),
    archive: archive ? 'yes, with all revisions' : 'no',
    briefs: briefs === 'all' ? 'all' : 'latest only',
    price: priceWords(monthlyCents),
  };
}
