import { CHAINS, METRICS } from '../../../schemas/catalog.js';
import type { Chain, MetricName, RegimeLabel } from '../../../schemas/types.generated.js';
import { numberWords } from '../../../schemas/words.js';
import type { ChartEvent } from './chart-events.js';
import type { Run } from './chart-series.js';
import { type Scale, type ScaleKind, scaleFor, toScale } from './metric-scale.js';
import {
  type ChartWindow,
  horizontalLine,
  type Mark,
  moveDown,
  type Scene,
  shareOf,
  textAtLeft,
  TIME_HEIGHT,
  timeMarks,
  toLines,
  verticalLine,
} from './scenes.js';

/** A metric of a chain, with a value for each day from day number `first`. */
export type MetricLine = {
  readonly chain: Chain;
  readonly metric: MetricName;
  readonly first: number;
  readonly values: readonly (number | null)[];
};

/** A metric as it is shown. Without a scale, its axis has the one that suits the values of the window. */
export type ShownLine = {
  readonly line: MetricLine;
  /** The regimes of its chain, which are shaded behind it. */
  readonly runs: readonly Run[];
  readonly scale?: ScaleKind | undefined;
};

/** Options for `metricScene`. */
type MetricSceneOptions = {
  /** One panel each, from top to bottom. */
  readonly lines: readonly ShownLine[];
  /** Ascending by date. */
  readonly events: readonly ChartEvent[];
  readonly window: ChartWindow;
  /** The width for which the chart is drawn, in pixels. */
  readonly width: number;
};

/** Height of the plot of one metric, and of each of two, in pixels. */
const HEIGHTS = [300, 190] as const;
/** Height of the space for the title of an axis, and of each more line of it, in pixels. */
const HEAD = 38;
const TITLE_LINE = 18;
const GAP = 8;
/** Height of the strip with the colours of the regimes, in pixels. */
const STRIP = 8;
/** Space above that strip, in pixels. */
const STRIP_GAP = 6;
/** Height of a row of event names, in pixels. */
const LANE = 16;
const MAX_LANES = 3;
/** Width of the space for the numbers of an axis, in pixels. The style sheet reserves the same. */
export const GUTTER = 64;
/** Width of a letter of the title of an axis in a wide font, in pixels. */
const TITLE_LETTER = 8.3;
/** Width of a letter of an event's name, and space after the name, in pixels. */
const LETTER = 6.4;
const AFTER = 14;

/** Returns what some lines show: `Bitcoin: hash rate and fees`. */
export function headingOf(lines: readonly Pick<MetricLine, 'chain' | 'metric'>[]): string {
  return lines
    .map(({ chain, metric }, i) => {
      const { words } = METRICS[metric];
      return lines[i - 1]?.chain === chain ? words : `${CHAINS[chain].name}: ${words}`;
    })
    .join(' and ');
}

/** Returns the title of an axis: its unit, after the metric and chain if there is more than one, and what it cannot show. */
function axisWords(line: MetricLine, isOneOfSome: boolean, lacksZeros: boolean): string {
  const hasUnit = METRICS[line.metric].unit !== 'dimensionless';
  const parts = [
    ...(isOneOfSome || !hasUnit ? [headingOf([line])] : []),
    ...(hasUnit ? [unitWords(line.chain, line.metric)] : []),
    ...(lacksZeros ? ['without days of zero'] : []),
  ];
  return parts.join(', ');
}

/** Returns the unit of a metric on a chain: `transactions a day`, `BTC a day`, `gwei`. */
export function unitWords(chain: Chain, metric: MetricName): string {
  const { unit } = METRICS[metric];
  const named = unit.replace('native coin', CHAINS[chain].nativeCoin);
  return PER_DAY.has(unit) ? `${named} a day` : named;
}

/** Units of metrics that are sums of a day. */
const PER_DAY: ReadonlySet<string> = new Set([
  'transactions',
  'addresses',
  'transfers',
  'blocks',
  'weight units',
  'bytes',
  'gas',
  'native coin',
  'ETH',
]);

/** Draws one or two metrics of a window above one time axis, with the regimes behind them and events above them. */
export function metricScene({ lines, events, window, width }: MetricSceneOptions): Scene {
  const named = nameEvents(events, window, width);
  const top = (named.lanes + 1) * LANE;
  const height = HEIGHTS[lines.length > 1 ? 1 : 0];
  const panels = lines.map((shown) => toPanel(shown, window, width, lines.length > 1));
  const head = HEAD + TITLE_LINE * (Math.max(1, ...panels.map(({ title }) => title.length)) - 1);
  const isOfTwo = new Set(lines.map(({ line }) => line.chain)).size > 1;
  const step = head + height + (isOfTwo ? STRIP_GAP + STRIP : 0) + GAP;
  const plots = lines.map(({ runs }, i) => {
    const [at, bottom] = [top + i * step, top + i * step + head + height];
    return { at, bottom, spans: regimeSpans(runs, window, width) };
  });
  const bottom = plots.at(-1)?.bottom ?? top;
  const end = bottom + STRIP_GAP + STRIP;
  /** Panels of two chains have a strip each. */
  const strips = isOfTwo ? plots : plots.slice(-1);
  return {
    height: end + TIME_HEIGHT,
    gutter: GUTTER,
    marks: [
      ...plots.flatMap(({ at, spans }) => shades(spans, { top: at + head, height, isFaint: true })),
      ...timeMarks(window, width, { top: top + head, bottom: end }),
      ...strips.flatMap((each) =>
        shades(each.spans, { top: each.bottom + STRIP_GAP, height: STRIP, isFaint: false }),
      ),
      ...eventMarks(named.events, window, top + head, bottom),
      ...panels.flatMap((each, i) => moveDown(panelMarks(each, window, height), (plots[i]?.at ?? 0) + head)),
    ],
  };
}

type Spans = readonly (readonly [RegimeLabel, readonly Span[]])[];

function shades(spans: Spans, place: Pick<Mark & { kind: 'bars' }, 'top' | 'height' | 'isFaint'>): Mark[] {
  return spans.map(([paint, each]) => ({ kind: 'bars', spans: each, paint, ...place }));
}

/** Returns the regimes of a window as spans of each label, at most one for each pixel: the regime of most of its days. */
function regimeSpans(runs: readonly Run[], window: ChartWindow, width: number): [RegimeLabel, Span[]][] {
  const days = (window.to - window.from) / width;
  const parts = days > 1 ? mergeRuns(runs, window, days) : runs;
  const spans = new Map<RegimeLabel, Span[]>();
  for (const { label, from, to } of parts) {
    const [left, right] = [Math.max(from, window.from), Math.min(to, window.to)];
    if (left >= right) continue;
    const span: Span = [shareOf(left, window), shareOf(right, window)];
    const row = spans.get(label);
    if (row === undefined) spans.set(label, [span]);
    else row.push(span);
  }
  return [...spans];
}

type Span = readonly [from: number, to: number];

/** Returns runs that begin and end between pixels of `days` days. */
function mergeRuns(runs: readonly Run[], { from, to }: ChartWindow, days: number): Run[] {
  const merged: Run[] = [];
  let next = 0; // the first run that does not end before the pixel
  for (let left = from; left < to; left += days) {
    while (next < runs.length && (runs[next]?.to ?? 0) <= left) next += 1;
    const label = mainLabel(runs, next, left, left + days);
    const last = merged.at(-1);
    if (label === undefined) continue;
    if (last?.label === label && last.to === left) merged[merged.length - 1] = { ...last, to: left + days };
    else merged.push({ label, from: left, to: left + days });
  }
  return merged;
}

/** Returns the label of most days from `left` to `right`, by the runs from the one at `start` on. */
function mainLabel(
  runs: readonly Run[],
  start: number,
  left: number,
  right: number,
): RegimeLabel | undefined {
  let best: { readonly label: RegimeLabel; readonly size: number } | undefined;
  for (let i = start; i < runs.length; i += 1) {
    const run = runs[i];
    if (run === undefined || run.from >= right) break;
    const size = Math.min(right, run.to) - Math.max(left, run.from);
    if (size > (best?.size ?? 0)) best = { label: run.label, size };
  }
  return best?.label;
}

/** An event with the row of its name and the side on which it is; without a row, there is no room for the name. */
type NamedEvent = { readonly event: ChartEvent; readonly lane?: number; readonly isLeft?: boolean };

/** Gives the names of the events of a window rows in which they do not overlap, the newest first. */
function nameEvents(
  events: readonly ChartEvent[],
  window: ChartWindow,
  width: number,
): { readonly events: readonly NamedEvent[]; readonly lanes: number } {
  const taken: (readonly [from: number, to: number])[][] = []; // for each row, in pixels
  const shown = events.filter(({ day }) => day >= window.from && day < window.to);
  const named = shown.toReversed().map((event): NamedEvent => {
    const x = shareOf(event.day, window) * width;
    const size = event.words.length * LETTER + AFTER;
    for (const [lane, isLeft] of PLACES) {
      const [from, to] = isLeft ? [x - size, x] : [x, x + size];
      const row = taken[lane] ?? [];
      if (from < 0 || to > width || row.some((each) => from < each[1] && each[0] < to)) continue;
      taken[lane] = [...row, [from, to]];
      return { event, lane, isLeft };
    }
    return { event };
  });
  return { events: named, lanes: taken.length };
}

/** The places of a name, the best one first. */
const PLACES = [false, true].flatMap((isLeft) =>
  Array.from({ length: MAX_LANES }, (_, lane) => [lane, isLeft] as const),
);

function eventMarks(named: readonly NamedEvent[], window: ChartWindow, top: number, bottom: number): Mark[] {
  const lines = named.map(({ event, lane }) =>
    verticalLine(shareOf(event.day, window), lane === undefined ? top : lane * LANE + 3, bottom, 'event'),
  );
  const names = named.flatMap(({ event, lane, isLeft = false }): Mark[] => {
    if (lane === undefined) return [];
    const place = { x: shareOf(event.day, window), dx: isLeft ? -4 : 4, y: lane * LANE + 12 };
    return [
      { kind: 'text', ...place, anchor: isLeft ? 'end' : 'start', text: event.words, style: 'event-name' },
    ];
  });
  return [...lines, ...names]; // a name is above the lines of other events
}

/** The axis and the points of a metric, and the lines of the title of the axis. */
type Panel = {
  readonly title: readonly string[];
  readonly scale: Scale;
  readonly points: readonly (DayPoint | null)[];
};

function toPanel(
  { line, scale: kind }: ShownLine,
  window: ChartWindow,
  width: number,
  isOneOfSome: boolean,
): Panel {
  const points = pointsIn(line, window, width);
  const values = points.map((point) => point?.value);
  const scale = toScale(kind ?? scaleFor(values), values);
  const lacksZeros = values.some((value) => value !== undefined && scale.place(value) === null);
  const characters = Math.max(1, Math.floor((width + GUTTER) / TITLE_LETTER));
  return { title: toLines(axisWords(line, isOneOfSome, lacksZeros), characters), scale, points };
}

/** Draws the axis and the line of a metric, and above them the title of the axis. */
function panelMarks({ title, scale, points }: Panel, window: ChartWindow, height: number): Mark[] {
  const toY = (value: number): number | null => {
    const place = scale.place(value);
    return place === null ? null : height * (1 - place);
  };
  const drawn = points.map((point) => {
    const y = point === null ? null : toY(point.value);
    return point === null || y === null ? null : ([shareOf(point.day + 0.5, window), y] as const);
  });
  const titleTop = 16 - HEAD - TITLE_LINE * (title.length - 1);
  return [
    ...title.map((text, i) => textAtLeft(text, titleTop + TITLE_LINE * i, 'metric-name', -GUTTER)),
    ...scale.ticks.map((tick) => horizontalLine(toY(tick) ?? 0, tick === scale.low ? 'zero' : 'tick')),
    { kind: 'line', top: 0, height, points: drawn, paint: 'metric' },
    ...scale.ticks.map((tick): Mark => {
      const place = { x: 0, dx: -8, y: (toY(tick) ?? 0) + 4, anchor: 'end' } as const;
      return { kind: 'text', ...place, text: numberWords(tick), style: 'axis' };
    }),
  ];
}

type DayPoint = { readonly day: number; readonly value: number };

/** Days for each pixel from which a line shows only the least and the greatest value of some days. */
const THINNED = 2;

/**
 * Returns the values of a window as points, null between days without values next to each other. In a long window, those are
 * the least and the greatest value of as many days as a pixel has, which begin on the same days in every window, so that a
 * moving line keeps its form.
 */
export function pointsIn(
  { first, values }: MetricLine,
  window: ChartWindow,
  width: number,
): (DayPoint | null)[] {
  const [from, to] = [Math.max(window.from, first), Math.min(window.to, first + values.length)];
  const density = (window.to - window.from) / width;
  const size = density < THINNED ? 1 : Math.ceil(density);
  const points: (DayPoint | null)[] = [];
  for (let start = from; start < to;) {
    const end = Math.min(to, start + size - (start % size));
    points.push(...extremesOf(values, first, start, end));
    start = end;
  }
  return points;
}

/** Returns the least and the greatest value of some days, in their order; one point if they are the same, null without a value. */
function extremesOf(
  values: MetricLine['values'],
  first: number,
  start: number,
  end: number,
): (DayPoint | null)[] {
  let least: DayPoint | null = null;
  let most: DayPoint | null = null;
  for (let day = start; day < end; day += 1) {
    const value = values[day - first] ?? null;
    if (value === null) continue;
    if (least === null || value < least.value) least = { day, value };
    if (most === null || value > most.value) most = { day, value };
  }
  if (least === null || most === null || least.day === most.day) return [least];
  return least.day < most.day ? [least, most] : [most, least];
}
