import {
  CHAINS,
  GENRES,
  PLAN_IDS,
  PLANS,
  PRICE_CURRENCY,
  type PlanTerms,
} from '../../../../schemas/catalog.js';
import {
  calendarPath,
  chainPagePath,
  chartPath,
  examplePath,
  methodologyPagePath,
  PAGE_PATHS,
  PUBLIC_PATHS,
} from '../../../../schemas/paths.js';
import type { FileKind } from '../artifact.js';
import { LANDING_DAYS, type ChainFacts } from '../chain-facts.js';
import { expectedNextBy } from '../freshness.js';
import { pointWords } from '../../text/number-words.js';
import { chainFigure, overviewFigure } from './chart-figure.js';
import { pageFile } from './page.js';
import type { SiteTexts } from './site-texts.js';
import { runWords, toDatedText, toRibbon } from './state-words.js';

/** What the front page is made from: the published chains, in the order in which we list them. */
export type FrontTerms = {
  readonly facts: readonly ChainFacts[];
  readonly methodologyVersion: string;
  /** Whether the release has a public file: a chain that was published before there were pages has none yet. */
  readonly has: (path: string) => boolean;
};

/** The front page: the state of every published chain, charts, how to start, and plans. It names no clock's time. */
export function frontPage(site: SiteTexts, { facts, methodologyVersion, has }: FrontTerms): FileKind {
  return pageFile(site, {
    path: PAGE_PATHS.front,
    template: 'front',
    title: 'Overview',
    description: `Daily on-chain regimes of ${namesOf(facts)}: how much each chain is used, how scarce its block space is, and how sure that is. No price, no forecast.`,
    values: (stamp) => ({
      stamp,
      chains: facts.map((each) => toCard(each, has)),
      ribbonDays: LANDING_DAYS,
      overview: overviewFigure(),
      start: {
        lines: facts.slice(0, 1).flatMap(({ chain }) => toLines(chain)),
        methodology: methodologyPagePath(methodologyVersion),
      },
      plans: {
        genres: GENRES.filter((genre) => genre !== 'briefs').join(', '),
        currency: PRICE_CURRENCY.toUpperCase(),
        rows: PLAN_IDS.map((plan) => toPlan(PLANS[plan])),
      },
    }),
  });
}

function namesOf(facts: readonly ChainFacts[]): string {
  const all = facts.map(({ chain }) => CHAINS[chain].name);
  return all.length < 2 ? (all[0] ?? 'chains') : `${all.slice(0, -1).join(', ')} and ${all.at(-1) ?? ''}`;
}

function toCard({ chain, updatedThrough, landing }: ChainFacts, has: FrontTerms['has']): object {
  const { regime, confidence, headline, labels } = landing;
  return {
    name: CHAINS[chain].name,
    pages: [chainPagePath(chain)].filter(has),
    label: regime.label,
    headline: toDatedText(headline),
    ribbon: toRibbon(labels),
    since: regime.since,
    run: runWords(regime.run_days),
    confidence: { score: pointWords(confidence.score), level: confidence.level },
    through: updatedThrough,
    next: expectedNextBy(chain, updatedThrough),
    charts: has(chartPath(chain)) ? [chainFigure(chain)] : [],
  };
}

function toLines(chain: ChainFacts['chain']): object[] {
  return [
    {
      comment: 'a calendar: one row for each date',
      command: `curl -fsSL "\${GATEWAY%/}${calendarPath(chain)}" -o ${chain}-regime-calendar.csv`,
    },
    {
      comment: 'a notebook that joins it with your own daily data',
      command: `curl -fsSL "\${GATEWAY%/}${PUBLIC_PATHS.starterNotebook}" -o starter.ipynb && jupyter lab starter.ipynb`,
    },
    {
      comment: 'with a key of the plan Research: a copy of an archive, every digest verified',
      command: `curl -fsSLO "\${GATEWAY%/}${examplePath('sync.py')}" && python3 sync.py --chain ${chain} --genre gold --to mirror`,
    },
  ];
}

function toPlan({ name, chains, windows, archive, briefs, monthlyCents }: PlanTerms): object {
  return {
    name,
    chains: chains === 'all' ? 'all' : 'one of your choice',
    windows: windows.join(', '),
    archive: archive ? 'yes, with all revisions' : 'no',
    briefs: briefs === 'all' ? 'all' : 'the latest',
    price: monthlyCents % 100 === 0 ? String(monthlyCents / 100) : (monthlyCents / 100).toFixed(2),
  };
}
