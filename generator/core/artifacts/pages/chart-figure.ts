import { CHAINS } from '../../../../schemas/catalog.js';
import { chartPath, OVERVIEW_CHART_PATH } from '../../../../schemas/paths.js';
import type { Chain } from '../../../../schemas/types.generated.js';

/** Number of units that a chart is wide and high: so much room a page keeps until it is there. */
const SIZE = { width: 960, height: 420 };

/** How a page shows the chart of a chain. The picture says its own numbers; the words say what it is. */
export function chainFigure(chain: Chain): object {
  const { name } = CHAINS[chain];
  return {
    ...SIZE,
    path: chartPath(chain),
    alt: `${name}: regime of each of the last 365 days, with demand and pressure and their thresholds.`,
    caption: `${name}: regimes, demand and pressure over the last 365 days`,
  };
}

/** How a page shows the chart of all chains. */
export function overviewFigure(): object {
  return {
    ...SIZE,
    path: OVERVIEW_CHART_PATH,
    alt: 'Every chain: regime of each of the last 365 days, one band for each chain.',
    caption: 'Regimes of every chain over the last 365 days',
  };
}
