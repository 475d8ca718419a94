import type { Chart } from '../../../schemas/types.generated.js';
import { withMinusSigns } from '../text/minus-sign.js';
import type { ChartSeries } from './chart-series.js';
import { horizontalLine, textAtLeft, textAtRight, type Mark } from './scene.js';
import { shareOf, type ChartWindow } from './time-axis.js';

/** The z axis reaches at least this far beyond the thresholds, so that small changes in an uneventful year do not look large. */
const BEYOND = 0.5;
const PANEL_HEIGHT = 112;
const HEAD = 26;
/** Where the words about the levels begin, after the name of the axis, in pixels. */
const LEVELS_LEFT = 76;
/** Height of a panel with its head, in pixels. */
export const PANEL_ROW = HEAD + PANEL_HEIGHT;

type Axis = 'demand' | 'pressure';

/** Names of the axes. */
export const AXIS_NAMES: Readonly<Record<Axis, string>> = { demand: 'Demand', pressure: 'Pressure' };

/** Options for `panelMarks`. */
type PanelOptions = {
  readonly series: Pick<ChartSeries, 'first' | 'days'>;
  readonly axis: Axis;
  readonly thresholds: Chart['thresholds'];
  readonly window: ChartWindow;
  readonly top: number;
};

/** Draws the line of an axis. The thresholds of its levels are named above it: words on the lines would cover values. */
export function panelMarks({ series, axis, thresholds, window, top }: PanelOptions): Mark[] {
  const { enter, exit } = thresholds;
  const days = Array.from({ length: window.to - window.from }, (_, i) => window.from + i);
  const values = days.map((day) => series.days[day - series.first]?.[axis] ?? null);
  const [low, high] = rangeOf(values, enter);
  const toY = (z: number): number => (PANEL_HEIGHT * (high - z)) / (high - low);
  const bodyTop = top + HEAD;
  const levels = withMinusSigns(`high above ${enter}, low below ${-enter}`);
  const rule = (z: number, paint: 'enter' | 'exit' | 'zero'): Mark => horizontalLine(bodyTop + toY(z), paint);
  const points = values.map((z, i) =>
    z === null ? null : ([shareOf(window.from + i + 0.5, window), toY(z)] as const),
  );
  return [
    textAtLeft(AXIS_NAMES[axis], top + 16, `${axis}-name`),
    textAtLeft(levels, top + 16, 'threshold', LEVELS_LEFT),
    textAtRight(withMinusSigns(`normal again between ${-exit} and ${exit}`), top + 16, 'note'),
    rule(0, 'zero'),
    ...[exit, -exit].map((z) => rule(z, 'exit')),
    ...[enter, -enter].map((z) => rule(z, 'enter')),
    { kind: 'line', top: bodyTop, height: PANEL_HEIGHT, points, paint: axis },
  ];
}

/** Returns the lowest and the highest z of a panel: all values, and some room beyond the thresholds. */
function rangeOf(values: readonly (number | null)[], enter: number): [low: number, high: number] {
  const reach = enter + BEYOND;
  return values.reduce<[number, number]>(
    ([low, high], z) => [Math.min(low, (z ?? 0) - BEYOND / 4), Math.max(high, (z ?? 0) + BEYOND / 4)],
    [-reach, reach],
  );
}
