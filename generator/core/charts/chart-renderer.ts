import type { ChartRenderer } from '../artifacts/chart-files.js';
import { drawChainChart } from './chain-chart.js';
import { drawOverviewChart } from './overview-chart.js';

/** What draws charts. Whoever needs it imports this file when it draws: the library behind it takes a while to load. */
export const CHART_RENDERER: ChartRenderer = { chain: drawChainChart, overview: drawOverviewChart };
