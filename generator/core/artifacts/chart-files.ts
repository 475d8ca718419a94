import { chartPath, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { Chain, LabelRun, MetaDay, Methodology, Regime } from '../../../schemas/types.generated.js';
import { SVG_TYPE, textContent, type FileTemplate } from './artifact.js';
import type { ChainFacts } from './chain-facts.js';
import { inChartWindow } from './label-runs.js';

/** The release and methodology named below a chart. */
export type ChartOrigin = { readonly revision: string; readonly methodologyVersion: string };

/** The data of a chain's chart. Precondition: at least one day; days ascend. */
export type ChainChart = {
  readonly chain: Chain;
  readonly days: readonly {
    readonly date: string;
    readonly regime: Pick<Regime, 'label' | 'since' | 'axes'>;
  }[];
  readonly thresholds: Methodology['levels'];
  readonly origin: ChartOrigin;
};

/** The data of a chain in the overview. */
export type OverviewChain = {
  readonly chain: Chain;
  readonly through: string;
  readonly label: string;
  readonly since: string;
  /** Ascending. */
  readonly runs: readonly LabelRun[];
};

/** The data of the overview of all chains. */
export type OverviewChart = { readonly chains: readonly OverviewChain[]; readonly origin: ChartOrigin };

/** Draws charts as SVG documents. Equal data gives equal bytes, regardless of earlier drawings. */
export type ChartRenderer = {
  readonly chain: (chart: ChainChart) => string;
  readonly overview: (chart: OverviewChart) => string;
};

export type ChartOptions = { readonly charts: ChartRenderer; readonly methodology: Methodology };

/** Returns the chart of a chain, from the meta records in force, ascending. Precondition: at least one record. */
export function chainChartFile(
  chain: Chain,
  records: readonly MetaDay[],
  { charts, methodology }: ChartOptions,
): FileTemplate {
  return {
    path: chartPath(chain),
    type: SVG_TYPE,
    content: drawnOnce(methodology, (origin) =>
      charts.chain({ chain, days: inChartWindow(records), thresholds: methodology.levels, origin }),
    ),
  };
}

/** Returns the overview of all chains over a year. */
export function overviewChartFile(
  facts: readonly ChainFacts[],
  { charts, methodology }: ChartOptions,
): FileTemplate {
  const chains = facts.map(({ chain, updatedThrough: through, landing }): OverviewChain => {
    const { label, since } = landing.regime;
    return { chain, through, label, since, runs: landing.runs };
  });
  return {
    path: PUBLIC_PATHS.overviewChart,
    type: SVG_TYPE,
    content: drawnOnce(methodology, (origin) => charts.overview({ chains, origin })),
  };
}

/** Caches the drawing per release: it is needed once for its digest and once for its bytes. */
function drawnOnce({ version }: Methodology, draw: (origin: ChartOrigin) => string): FileTemplate['content'] {
  const drawn = new Map<string, string>();
  return ({ revision }) => {
    const text = drawn.get(revision) ?? draw({ revision, methodologyVersion: version });
    drawn.set(revision, text);
    return textContent(text);
  };
}
