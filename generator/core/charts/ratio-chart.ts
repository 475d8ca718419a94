import { toDayNumber } from '../../../schemas/dates.js';
import { changeWords, dateWords, ratioWords } from '../../../schemas/words.js';
import {
  type ChartWindow,
  FILE_LABELS_WIDTH,
  type Mark,
  horizontalLine,
  shareOf,
  textAtLeft,
  timeMarks,
  windowWords,
} from './scenes.js';
import { toSvgFile } from './svg-text.js';

const PANEL_HEIGHT = 90;
const PANEL_HEAD = 26;
const ROW_HEIGHT = 152;
/** Smallest range of a panel, so that rounding does not look like a difference: 0.1 %. */
const LEAST_RANGE = 0.001;

type Ratio = { readonly date: string; readonly ratio: number };

/** The ratios of a quantity over time, with ascending dates. */
type RatioLine = {
  readonly metric: string;
  readonly ratios: readonly Ratio[];
  readonly summary?: { readonly median: number; readonly least: Ratio; readonly most: Ratio };
};

/** Options for `drawRatioChart`. */
type RatioChart = { readonly title: string; readonly lines: readonly RatioLine[] };

/** Draws a panel per line: how far its ratios are from 1. Dates without a ratio are gaps; lines without any are left out. */
export function drawRatioChart({ title, lines }: RatioChart): string {
  const drawn = lines.filter(({ ratios }) => ratios.length > 0);
  const days = drawn
    .flatMap(({ ratios }) => [ratios[0], ratios.at(-1)])
    .flatMap((each) => (each ? [toDayNumber(each.date)] : []));
  const window = days.length === 0 ? undefined : { from: Math.min(...days), to: Math.max(...days) + 1 };
  const range = window ? `${windowWords(window)}, UTC days. Difference from 1 in %` : 'No dates in both';
  const scene = {
    height: ROW_HEIGHT * Math.max(1, drawn.length),
    marks: window ? drawn.flatMap((line, i) => panelMarks(line, window, ROW_HEIGHT * i)) : [],
  };
  return toSvgFile(scene, {
    name: 'ratios',
    label: title,
    description: [range, ...drawn.map(headline)].join('. '),
    heading: title,
    subheading: range,
    hasLegend: false,
  });
}

function panelMarks(line: RatioLine, window: ChartWindow, rowTop: number): Mark[] {
  const top = rowTop + PANEL_HEAD;
  const range = Math.max(LEAST_RANGE, ...line.ratios.map(({ ratio }) => Math.abs(ratio - 1)));
  const toY = (change: number): number => (PANEL_HEIGHT * (range - change)) / (2 * range);
  const values = new Map(line.ratios.map(({ date, ratio }) => [toDayNumber(date), ratio - 1]));
  const points = Array.from({ length: window.to - window.from }, (_, i) => {
    const change = values.get(window.from + i);
    return change === undefined ? null : ([shareOf(window.from + i + 0.5, window), toY(change)] as const);
  });
  return [
    ...timeMarks(window, FILE_LABELS_WIDTH, { top, bottom: top + PANEL_HEIGHT }),
    textAtLeft(headline(line), rowTop + 16, 'name'),
    horizontalLine(top + toY(0), 'zero'),
    { kind: 'line', top, height: PANEL_HEIGHT, points, paint: 'demand' },
    ...[range, -range].map((change, i) =>
      textAtLeft(formatPercent(change), top + (i === 0 ? 12 : PANEL_HEIGHT - 3), 'threshold'),
    ),
  ];
}

function headline({ metric, summary }: RatioLine): string {
  if (summary === undefined) return metric;
  const { median, least, most } = summary;
  const [one, low, high] = [median, least.ratio, most.ratio].map(ratioWords);
  return `${metric}: median ${one}, from ${low} (${dateWords(least.date)}) to ${high} (${dateWords(most.date)})`;
}

/** Formats a label of the axis. Its unit is in the chart's second line. */
function formatPercent(change: number): string {
  return changeWords(change).replace(' %', '');
}
