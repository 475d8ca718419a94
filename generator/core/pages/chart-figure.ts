import { CHAINS } from '../../../schemas/catalog.js';
import { freshnessLimits } from '../../../schemas/freshness.js';
import { chartDataPath, chartPath, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { Chain, Methodology } from '../../../schemas/types.generated.js';
import type { ChainFacts } from '../artifacts/chain-facts.js';
import type { ChartPoint } from '../artifacts/chart-data.js';
import { chartForPage, drawChain, drawOverview, type DrawnChart } from '../charts/chart-files.js';
import { LABELS } from '../charts/chart-style.js';
import { windowWords } from '../charts/time-axis.js';
import { trustHtml } from '../text/text-template.js';

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
