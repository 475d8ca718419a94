import { METRIC_NAMES } from '../../../schemas/catalog.js';
import { addDays } from '../../../schemas/dates.js';
import type {
  AxisName,
  Chain,
  ChainStatus,
  Dimension,
  ManifestDate,
  Methodology,
  MetricName,
} from '../../../schemas/types.generated.js';
import { columnOf, type InputSeries } from '../input/input-series.js';
import { computeRegimes, type RegimeSeries } from '../methodology/regime-series.js';
import { methodologyInputs, type SignalSeries } from '../methodology/signals.js';
import { count, countWords, joinWords, shareWords, signalWords } from '../../../schemas/words.js';

/** Why the newest date of a chain has no label, and what would give it one. */
export type LabelGap = {
  /** The newest date. */
  readonly date: string;
  /** Number of published dates, and of those that have a label. */
  readonly days: number;
  readonly labelled_days: number;
  /** The newest date with a label; null if none has one. */
  readonly last_labelled: string | null;
  /** True if the newest date has no label only because it lacks every metric that a label depends on. */
  readonly no_values: boolean;
  /** Number of signals of the chain. */
  readonly expected_signals: number;
  /** The signals without a z-score on the newest date. */
  readonly missing_signals: readonly MissingSignal[];
  /** The dimensions that a label requires and that have no signal. */
  readonly missing_dimensions: readonly Dimension[];
  readonly data_quality: number;
  readonly minimum_data_quality: number;
  /** Number of consecutive dates that a signal needs before it counts. */
  readonly needed_days: number;
  /** Number of days whose values are smoothed. */
  readonly smoothed_days: number;
  /** The smallest addition that gives a label; null if none of the chain's metrics would. */
  readonly remedy: Remedy | null;
};

/**
 * A signal without a z-score. `ended`: enough values up to `last`, and too few since.
 * `sparse`: too few values in the smoothing window of `last` too.
 * `short`: too few values in the year before.
 */
type MissingSignal = {
  readonly signal: string;
  readonly state: 'absent' | 'ended' | 'sparse' | 'short';
  /** The last date with a value; null if there is none. */
  readonly last: string | null;
};

type Remedy = {
  /** Sets of metrics; each set is enough. One empty set: the present metrics are enough from `date` on. */
  readonly metrics: readonly (readonly MetricName[])[];
  /** The date that gets a label: the newest one, or a later one if history is too short. */
  readonly date: string;
  /** Data quality on that date. */
  readonly data_quality: number;
};

/** The published dates of a chain, and those that have a label. */
type Labelled = Pick<LabelGap, 'days' | 'labelled_days' | 'last_labelled'>;

/** Counts the dates of a chain that a manifest lists. Withdrawn dates are not counted. */
export function countListed(entries: readonly Pick<ManifestDate, 'date' | 'status'>[]): Labelled {
  const labelled = entries.filter(({ status }) => status === 'available');
  return {
    days: entries.filter(({ status }) => status !== 'withdrawn').length,
    labelled_days: labelled.length,
    last_labelled: labelled.at(-1)?.date ?? null,
  };
}

/** Counts the dates of a published chain. */
export function countPublished({
  days,
  last_available: last,
}: Pick<ChainStatus, 'days' | 'last_available'>): Labelled {
  const { available, degraded, missing } = days;
  return { days: available + degraded + missing, labelled_days: available, last_labelled: last };
}

/**
 * Explains why the newest date of a series has no label; `undefined` if it has one. So a chain whose first year has no
 * labels yields nothing once it has one. Only the last `determinism.input_days` dates of `series` matter.
 */
export function explainLabelGap(
  series: InputSeries,
  labelled: Labelled,
  methodology: Methodology,
): LabelGap | undefined {
  if (labelled.last_labelled === series.dates.at(-1)) return undefined;
  const recent = lastDates(series, methodology.determinism.input_days);
  const regimes = computeRegimes(recent, methodology);
  const t = recent.dates.length - 1;
  if (t < 0 || regimes.labels[t] !== 'indeterminate') return undefined;
  const inputs = methodologyInputs(methodology, series.chain);
  const columns = inputs.map((metric) => columnOf(recent, metric)).filter((column) => column.some(isUsable));
  const quality = regimes.quality[t]?.data_quality ?? 0;
  const lacking = missingDimensions(regimes, t);
  const isEnough = quality >= methodology.data_quality.minimum && lacking.length === 0;
  const noValues = isEnough && columns.every((column) => (column[t] ?? null) === null);
  return {
    date: recent.dates[t] ?? '',
    ...labelled,
    no_values: noValues,
    expected_signals: regimes.signals.length,
    missing_signals: regimes.signals.flatMap((signal) => missingSignal(signal, recent)),
    missing_dimensions: lacking,
    data_quality: quality,
    minimum_data_quality: methodology.data_quality.minimum,
    needed_days: neededDays(methodology),
    smoothed_days: 1 + methodology.smoothing.window.to_day - methodology.smoothing.window.from_day,
    remedy: noValues ? null : findRemedy(recent, inputs, methodology),
  };
}

/** Returns the number of consecutive values after which a signal has a z-score. Source: methodology v1 §2. */
function neededDays({ smoothing, baseline }: Methodology): number {
  const leastSmoothed = Math.min(...smoothing.trim.map(({ min_values: values }) => values));
  return leastSmoothed - 1 + baseline.min_values - baseline.window.to_day;
}

function lastDates(series: InputSeries, days: number): InputSeries {
  const metrics = Object.fromEntries(
    Object.entries(series.metrics).map(([metric, column]) => [metric, column.slice(-days)]),
  );
  return { ...series, dates: series.dates.slice(-days), present: series.present.slice(-days), metrics };
}

function missingSignal(
  { definition, transformed, smoothed, z }: SignalSeries,
  { dates }: InputSeries,
): MissingSignal[] {
  if ((z.at(-1) ?? null) !== null) return [];
  const last = transformed.findLastIndex((value) => value !== null);
  const isSmoothed = (at: number): boolean => (smoothed[at] ?? null) !== null;
  const tooFew = isSmoothed(dates.length - 1) ? 'short' : isSmoothed(last) ? 'ended' : 'sparse';
  const state = last === -1 ? 'absent' : tooFew;
  return [{ signal: definition.signal, state, last: dates[last] ?? null }];
}

function missingDimensions({ methodology, axes, dimensions }: RegimeSeries, t: number): Dimension[] {
  const isMissing = (dimension: Dimension): boolean => (dimensions[dimension]?.[t] ?? null) === null;
  return (['demand', 'pressure'] satisfies AxisName[]).flatMap((axis) =>
    axes[axis][t] !== null
      ? []
      : methodology.axes[axis]
          .filter(({ dimension, required }) => required && isMissing(dimension))
          .map(({ dimension }) => dimension),
  );
}

/**
 * Returns the smallest addition to the input that gives a label: none but time, or else the fewest metrics with a value on
 * every date. Metrics that ended come before others, because their history counts.
 */
function findRemedy(
  series: InputSeries,
  inputs: readonly MetricName[],
  methodology: Methodology,
): Remedy | null {
  const later = firstLabel(continueSeries(series, methodology), [], series.dates.length - 1, methodology);
  if (later !== undefined) return later;
  const lacking = inputs.filter((metric) => !columnOf(series, metric).every(isUsable));
  for (const extended of [series, continueSeries(series, methodology)]) {
    for (let size = 1; size <= lacking.length; size += 1) {
      const found = setsOf(lacking, size)
        .flatMap((metrics) => firstLabel(extended, metrics, series.dates.length - 1, methodology) ?? [])
        .sort((a, b) => compareRemedies(a, b, series));
      const [best] = found;
      if (best === undefined) continue;
      const equal = found.filter((each) => size === 1 && compareRemedies(each, best, series) === 0);
      return equal.length < 2 ? best : { ...best, metrics: equal.flatMap(({ metrics }) => metrics) };
    }
  }
  return null;
}

/** Returns the first date with a label from index `from` on, if `metrics` had a value on every date. */
function firstLabel(
  series: InputSeries,
  metrics: readonly MetricName[],
  from: number,
  methodology: Methodology,
): Remedy | undefined {
  const filled = metrics.map((metric) => [
    metric,
    columnOf(series, metric).map((value) => (isUsable(value) ? value : 1)), // any value makes a signal available
  ]);
  const metricsFilled = { ...series.metrics, ...Object.fromEntries(filled) } as InputSeries['metrics']; // the same names
  const { labels, quality, dates } = computeRegimes({ ...series, metrics: metricsFilled }, methodology);
  const at = labels.findIndex((label, t) => t >= from && label !== 'indeterminate');
  if (at === -1) return undefined;
  return { metrics: [metrics], date: dates[at] ?? '', data_quality: quality[at]?.data_quality ?? 0 };
}

/** Orders remedies of one size: first those that restore more metrics, then the earlier ones, then those of better quality. */
function compareRemedies(a: Remedy, b: Remedy, series: InputSeries): number {
  const restored = ({ metrics }: Remedy): number =>
    metrics.flat().filter((metric) => columnOf(series, metric).some(isUsable)).length;
  const byDate = a.date === b.date ? 0 : a.date < b.date ? -1 : 1;
  return restored(b) - restored(a) || byDate || b.data_quality - a.data_quality;
}

/** Continues a series for as long as a value counts, with the metrics that it has had in the last days. */
function continueSeries(series: InputSeries, { smoothing, baseline }: Methodology): InputSeries {
  const days = 1 - smoothing.window.from_day - baseline.window.from_day;
  const last = series.dates.at(-1) ?? '';
  const continued = Object.entries(series.metrics).map(([metric, column]) => {
    const value = column.slice(smoothing.window.from_day - 1).findLast(isUsable) ?? null;
    return [metric, [...column, ...new Array<number | null>(days).fill(value)]];
  });
  return {
    ...series,
    dates: [...series.dates, ...Array.from({ length: days }, (_, i) => addDays(last, i + 1))],
    present: [...series.present, ...new Array<boolean>(days).fill(true)],
    metrics: Object.fromEntries(continued) as InputSeries['metrics'], // the same names
  };
}

/** Returns whether a value can make a signal available: most signals are logarithms. */
function isUsable(value: number | null): boolean {
  return value !== null && value > 0;
}

/** Returns every set of `size` items, in the order of the items. */
function setsOf<T>(items: readonly T[], size: number): T[][] {
  if (size === 0) return [[]];
  return items.flatMap((item, i) => setsOf(items.slice(i + 1), size - 1).map((rest) => [item, ...rest]));
}

/** Returns the explanation of a chain in one line for an operator. */
export function labelGapWords(chain: Chain, gap: LabelGap): string {
  const { days, labelled_days: labelled, last_labelled: last } = gap;
  const lately = last === null ? '' : `, the last is ${last}`;
  const parts = [...reasonsOf(gap), ...qualityWords(gap), ...remedyWords(gap)];
  return `${chain}: ${countWords(labelled)} of ${count(days, 'day')} ${labelled === 1 ? 'has' : 'have'} a label${lately}: ${parts.join('; ')}`;
}

function reasonsOf(gap: LabelGap): string[] {
  if (gap.no_values) return [`${gap.date} has no value that a label depends on`];
  const groups = new Map<string, MissingSignal[]>();
  for (const signal of gap.missing_signals) {
    const key = signal.state === 'ended' ? `ended ${signal.last ?? ''}` : signal.state;
    groups.set(key, [...(groups.get(key) ?? []), signal]);
  }
  return [...groups.values()].map((group) => {
    const isEvery = group.length > 1 && group.length === gap.expected_signals;
    const names = isEvery ? 'every signal' : joinWords(group.map(({ signal }) => columnName(signal)));
    return `${names} ${stateWords(group, isEvery || group.length === 1, gap)}`;
  });
}

/** Returns what is the matter with signals of one state. */
function stateWords(
  [signal]: readonly MissingSignal[],
  isOne: boolean,
  { needed_days: needed, smoothed_days: smoothed }: LabelGap,
): string {
  switch (signal?.state) {
    case 'ended':
      return `ended on ${signal.last ?? ''}`;
    case 'sparse':
      return `${isOne ? 'has' : 'have'} too few values in the last ${count(smoothed, 'day')}`;
    case 'short':
      return `${isOne ? 'needs' : 'need'} ${count(needed, 'day')} of values`;
    default:
      return `${isOne ? 'is' : 'are'} missing`;
  }
}

/** Returns the name of the column that a signal is, or else the name of the signal in texts. */
function columnName(signal: string): string {
  return METRIC_NAMES.some((metric) => metric === signal) ? signal : signalWords(signal);
}

function qualityWords(gap: LabelGap): string[] {
  const { data_quality: quality, minimum_data_quality: minimum, missing_dimensions: dimensions } = gap;
  if (gap.no_values) return [];
  if (quality < minimum) return [`data quality ${shareWords(quality)}, ${shareWords(minimum)} needed`];
  const isWaiting = gap.remedy?.metrics.some((metrics) => metrics.length === 0) ?? false;
  if (isWaiting || dimensions.length === 0) return [];
  return [`data quality ${shareWords(quality)}, but a label needs a signal of ${joinWords(dimensions)}`];
}

function remedyWords({ date, remedy, last_labelled: last }: LabelGap): string[] {
  if (remedy === null) return [];
  if (remedy.metrics.some((metrics) => metrics.length === 0))
    return [`the ${last === null ? 'first' : 'next'} label is that of ${remedy.date}`];
  const sets = remedy.metrics.map((metrics) => joinWords(metrics));
  const when = remedy.date === date ? '' : ` on ${remedy.date}`;
  return [`with ${joinWords(sets, 'or')}: ${shareWords(remedy.data_quality)}${when}`];
}
