import { chartPath, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { Chain, LabelRun, MetaDay, Methodology, Regime } from '../../../schemas/types.generated.js';
import { SVG_TYPE, textContent, type FileKind } from './artifact.js';
import type { ChainFacts } from './chain-facts.js';
import { inChartWindow, toLabelRuns } from './label-runs.js';

/** What is said below a chart: which release and methodology it is of. */
export type ChartOrigin = { readonly revision: string; readonly methodologyVersion: string };

/** What the chart of a chain shows. Precondition: there is a day, and days ascend. */
export type ChainChart = {
  readonly chain: Chain;
  readonly days: readonly {
    readonly date: string;
    readonly regime: Pick<Regime, 'label' | 'since' | 'axes'>;
  }[];
  readonly thresholds: Methodology['levels'];
  readonly origin: ChartOrigin;
};

/** What the overview shows of a chain. */
export type OverviewChain = {
  readonly chain: Chain;
  readonly through: string;
  readonly label: string;
  readonly since: string;
  /** Ascending. */
  readonly runs: readonly LabelRun[];
};

/** What the overview of all chains shows. */
export type OverviewChart = { readonly chains: readonly OverviewChain[]; readonly origin: ChartOrigin };

/** Draws charts as SVG documents: equal values give equal bytes, whatever was drawn before. */
export type ChartRenderer = {
  readonly chain: (chart: ChainChart) => string;
  readonly overview: (chart: OverviewChart) => string;
};

/** What charts are made with. */
export type ChartTerms = { readonly charts: ChartRenderer; readonly methodology: Methodology };

/** The chart of a chain from the meta records in force of its last dates, ascending. Precondition: there is a record. */
export function chainChartFile(
  chain: Chain,
  records: readonly MetaDay[],
  { charts, methodology }: ChartTerms,
): FileKind {
  return {
    path: chartPath(chain),
    type: SVG_TYPE,
    content: drawnOnce(methodology, (origin) =>
      charts.chain({ chain, days: inChartWindow(records), thresholds: methodology.levels, origin }),
    ),
  };
}

/** The regimes of all chains over a year. What was published before runs were has 30 dates. */
export function overviewChartFile(
  facts: readonly ChainFacts[],
  { charts, methodology }: ChartTerms,
): FileKind {
  const chains = facts.map(({ chain, updatedThrough: through, landing }): OverviewChain => {
    const { label, since } = landing.regime;
    return { chain, through, label, since, runs: landing.runs ?? toLabelRuns(landing.labels) };
  });
  return {
    path: PUBLIC_PATHS.overviewChart,
    type: SVG_TYPE,
    content: drawnOnce(methodology, (origin) => charts.overview({ chains, origin })),
  };
}

/** Content that is drawn once for each release: it is asked for its digest, and again for its bytes. */
function drawnOnce({ version }: Methodology, draw: (origin: ChartOrigin) => string): FileKind['content'] {
  const drawn = new Map<string, string>();
  return ({ revision }) => {
    const text = drawn.get(revision) ?? draw({ revision, methodologyVersion: version });
    drawn.set(revision, text);
    return textContent(text);
  };
}
