import type { ChartRenderer } from '../artifacts/chart-files.js';
import { drawChainChart } from './chain-chart.js';
import { drawOverviewChart } from './overview-chart.js';

/** The chart renderer. Import this file only when drawing: its plotting library is slow to load. */
export const CHART_RENDERER: ChartRenderer = { chain: drawChainChart, overview: drawOverviewChart };
