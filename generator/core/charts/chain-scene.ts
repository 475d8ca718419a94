import type { ChartSeries } from './chart-series.js';
import { PANEL_ROW, panelMarks } from './axis-panel.js';
import { RIBBON_HEIGHT, ribbonMarks } from './ribbon.js';
import { moveDown, textAtLeft, textAtRight, type Scene } from './scene.js';
import { TIME_HEIGHT, timeMarks, type ChartWindow } from './time-axis.js';

const HEAD = 24;
const GAP = 10;
const DEMAND_TOP = HEAD + RIBBON_HEIGHT + GAP;
const PRESSURE_TOP = DEMAND_TOP + PANEL_ROW + GAP;
const BOTTOM = PRESSURE_TOP + PANEL_ROW;

/** Height of the chart of a chain, in pixels. */
const CHAIN_HEIGHT = BOTTOM + TIME_HEIGHT;

/** Options for `chainScene`. */
type ChainSceneOptions = {
  readonly series: ChartSeries;
  readonly window: ChartWindow;
  /** The words above the ribbon, at its right end. */
  readonly state: string;
  /** The width for which the time axis is labelled, in pixels. */
  readonly width: number;
};

/** Draws a chain: the ribbon of its regimes, and below it both axes with their thresholds. */
export function chainScene({ series, window, state, width }: ChainSceneOptions): Scene {
  const { thresholds } = series;
  const shared = { series, thresholds, window };
  return {
    height: CHAIN_HEIGHT,
    marks: [
      ...timeMarks(window, width, { top: HEAD, bottom: BOTTOM }),
      textAtLeft('Regime', 16, 'name'),
      textAtRight(state, 16, 'state'),
      ...moveDown(ribbonMarks(series.runs, window, 0), HEAD),
      ...panelMarks({ ...shared, axis: 'demand', top: DEMAND_TOP }),
      ...panelMarks({ ...shared, axis: 'pressure', top: PRESSURE_TOP }),
    ],
  };
}
