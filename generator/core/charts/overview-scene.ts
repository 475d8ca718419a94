import { CHAINS } from '../../../schemas/catalog.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { RIBBON_HEIGHT, ribbonMarks, type Run } from './ribbon.js';
import { textAtLeft, textAtRight, type Scene } from './scene.js';
import { TIME_HEIGHT, timeMarks, type ChartWindow } from './time-axis.js';

const HEAD = 24;
const ROW = HEAD + RIBBON_HEIGHT + 12;

/** A chain in the overview. */
export type OverviewRow = {
  readonly chain: Chain;
  readonly runs: readonly Run[];
  /** The words above the ribbon, at its right end. */
  readonly state: string;
};

/** Returns the height of the overview of a number of chains, in pixels. */
function overviewHeight(chains: number): number {
  return Math.max(1, chains) * ROW - 8 + TIME_HEIGHT;
}

/** Draws the ribbons of chains over a common time axis. */
export function overviewScene(rows: readonly OverviewRow[], window: ChartWindow, width: number): Scene {
  const height = overviewHeight(rows.length);
  return {
    height,
    marks: [
      ...timeMarks(window, width, { top: HEAD, bottom: height - TIME_HEIGHT }),
      ...rows.flatMap(({ chain, runs, state }, i) => [
        textAtLeft(CHAINS[chain].name, ROW * i + 16, 'name'),
        textAtRight(state, ROW * i + 16, 'state'),
        ...ribbonMarks(runs, window, ROW * i + HEAD),
      ]),
    ],
  };
}
