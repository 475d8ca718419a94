import { CHAINS } from '../../../schemas/catalog.js';
import { chartPath, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { Chain } from '../../../schemas/types.generated.js';

/** Size of each chart, with all chains, so that a page reserves its space before it has loaded. A test compares them. */
const CHAIN_SIZE = { width: 720, height: 546 };
const OVERVIEW_SIZE = { width: 720, height: 464 };

/** Returns the figure of a chain's chart. The SVG describes its own numbers; the alt text says what it shows. */
export function chainFigure(chain: Chain): object {
  const { name } = CHAINS[chain];
  return {
    ...CHAIN_SIZE,
    path: chartPath(chain),
    alt: `${name}: regime of each of the last 365 days, with demand and pressure and their thresholds.`,
    caption: `${name}: regimes, demand and pressure over the last 365 days`,
  };
}

/** Returns the figure of the chart of all chains. */
export function overviewFigure(): object {
  return {
    ...OVERVIEW_SIZE,
    path: PUBLIC_PATHS.overviewChart,
    alt: 'Every chain: regime of each of the last 365 days, one band for each chain.',
    caption: 'Regimes of every chain over the last 365 days',
  };
}
