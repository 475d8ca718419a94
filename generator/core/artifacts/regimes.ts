import { LABEL_MEANINGS, metricsOf } from '../../../schemas/catalog.js';
import { addDays, toDayNumber } from '../../../schemas/dates.js';
import { regimesPath } from '../../../schemas/paths.js';
import type {
  Chain,
  GoldDay,
  LabelHistory,
  LabelRun,
  Level,
  LevelShare,
  MeanSettings,
  MetaDay,
  Methodology,
  MetricName,
  RegimeLabel,
  Regimes,
  RunLength,
  Transition,
  YearRatio,
  RegimesToYear,
} from '../../../schemas/types.generated.js';
import { type Column, columnOf, type InputSeries, toInputSeries } from '../input/input-series.js';
import { levelAt, type RegimeSeries } from '../methodology/regime-series.js';
import { expectedSignals, quantitySeries } from '../methodology/signals.js';
import { createRollingWindow } from '../statistics/baseline.js';
import { medianOf } from '../statistics/median.js';
import { createRounding, type Rounding } from '../statistics/rounding.js';
import { JSON_TYPE, jsonContent, type FileTemplate } from './artifact.js';
import { toLabelRuns } from './regime-calendar.js';

/** A date in force, as the statistics of its label need it. */
export type HistoryDay = {
  readonly date: string;
  readonly label: RegimeLabel;
  readonly demand: Level | null;
  readonly pressure: Level | null;
  /** The values of this day alone, in the order of `comparedQuantities`. */
  readonly values: readonly (number | null)[];
};

/** What the labels of a chain have meant: `regimes.json` without the release that it belongs to. */
export type LabelStatistics = Omit<Regimes, 'published_revision'>;

/** The fees of a day together: what its senders paid. Not a signal, because it grows with the number of transactions. */
const ALL_FEES = 'fees_total' satisfies MetricName;
/** Minimum number of compared days for a median of ratios. */
const MIN_DAYS = 30;

const LABELS = Object.keys(LABEL_MEANINGS) as RegimeLabel[]; // Object.keys loses the key type
const LEVELS: readonly Level[] = ['high', 'normal', 'low'];

/** Returns the quantities of a chain that are compared with their trailing year: its fees, and its signals. */
function comparedQuantities(methodology: Methodology, chain: Chain): string[] {
  return [ALL_FEES, ...expectedSignals(methodology, chain).map(({ signal }) => signal)];
}

function comparedColumns(series: InputSeries, methodology: Methodology): Column[] {
  return comparedQuantities(methodology, series.chain).map((name) => {
    const quantity = methodology.quantities[name];
    const column = quantity === undefined ? columnOf(series, ALL_FEES) : quantitySeries(quantity, series);
    if (column === undefined) throw new Error(`${series.chain} has no quantity ${name}`);
    return column;
  });
}

/** Returns the history of the dates of a series that are in force, ascending. */
export function historyOfSeries(
  series: InputSeries,
  { labels, axes, levels, methodology }: RegimeSeries,
  inForce: ReadonlySet<string>,
): HistoryDay[] {
  const columns = comparedColumns(series, methodology);
  return series.dates.flatMap((date, t) => {
    if (!inForce.has(date)) return [];
    return [
      {
        date,
        label: labels[t] ?? 'indeterminate',
        demand: levelAt(axes.demand[t], levels.demand[t]),
        pressure: levelAt(axes.pressure[t], levels.pressure[t]),
        values: columns.map((column) => column[t] ?? null),
      },
    ];
  });
}

/** Returns the history that published records hold. Precondition: `meta` and `gold` are of the same dates, ascending. */
export function historyOfRecords(
  chain: Chain,
  meta: readonly MetaDay[],
  gold: readonly GoldDay[],
  methodology: Methodology,
): HistoryDay[] {
  const metrics = metricsOf(chain);
  const rows = gold.map(({ date, metrics: values }) => ({
    day: toDayNumber(date),
    values: metrics.map((metric) => values[metric] ?? null),
  }));
  const columns = comparedColumns(toInputSeries(chain, metrics, rows, []), methodology);
  const first = rows[0]?.day ?? 0;
  return meta.map(({ date, regime: { label, axes } }) => ({
    date,
    label,
    demand: axes.demand.level,
    pressure: axes.pressure.level,
    values: columns.map((column) => column[toDayNumber(date) - first] ?? null),
  }));
}

/** Returns what the labels of a history have meant. Precondition: at least one day; dates ascend. */
export function labelStatistics(
  chain: Chain,
  history: readonly HistoryDay[],
  methodology: Methodology,
): LabelStatistics {
  const [first, last] = [history[0], history.at(-1)];
  const runs = toLabelRuns(history);
  const current = runs.at(-1);
  if (first === undefined || last === undefined || current === undefined)
    throw new Error(`${chain} has no date in force`);
  const rounding = createRounding(methodology.rounding);
  const year = methodology.derived.percentile_365d;
  const toYear = compareWithYear(history, comparedQuantities(methodology, chain), { year, rounding });
  const labelled = history.filter(({ label }) => isDecided(label));
  const share = (days: number): number | null =>
    labelled.length === 0 ? null : rounding.combined(days / labelled.length);
  const levelsOf = (axis: 'demand' | 'pressure'): LevelShare[] =>
    LEVELS.map((level) => {
      const days = labelled.filter((day) => day[axis] === level).length;
      return { level, days, share: share(days) };
    });
  return {
    schema: 'regimes/1',
    chain,
    updated_through: last.date,
    methodology_version: methodology.version,
    first_date: first.date,
    trailing_year: { days: year.days, min_values: year.min_values },
    min_days: MIN_DAYS,
    current_run: { label: current.label, since: current.first, run_days: lengthOf(current) },
    labelled: {
      days: labelled.length,
      demand: levelsOf('demand'),
      pressure: levelsOf('pressure'),
      ...describeRuns(runs, isDecided),
      to_year: toYear(isDecided),
    },
    labels: LABELS.map((label): LabelHistory => {
      const days = history.filter((day) => day.label === label).length;
      const isSame = (other: RegimeLabel): boolean => other === label;
      return {
        label,
        days,
        share: isDecided(label) ? share(days) : null,
        ...describeRuns(runs, isSame),
        to_year: toYear(isSame),
      };
    }),
    transitions: countTransitions(runs),
  };
}

/** Returns `regimes.json` of a chain. */
export function regimesFile(statistics: LabelStatistics): FileTemplate {
  return {
    path: regimesPath(statistics.chain),
    type: JSON_TYPE,
    content: ({ revision }) => {
      const regimes: Regimes = { ...statistics, published_revision: revision };
      return jsonContent('regimes', regimes);
    },
  };
}

function isDecided(label: RegimeLabel): boolean {
  return label !== 'indeterminate';
}

function lengthOf({ first, last }: LabelRun): number {
  return toDayNumber(last) - toDayNumber(first) + 1;
}

/** Counts the runs of some labels. The last run of the history may not have ended, so that its length is not known. */
function describeRuns(
  runs: readonly LabelRun[],
  isCounted: (label: RegimeLabel) => boolean,
): Pick<LabelHistory, 'runs' | 'ended_runs' | 'run_length'> {
  const own = runs.filter(({ label }) => isCounted(label));
  const ended = own.filter((run) => run !== runs.at(-1)).map(lengthOf);
  const median = medianOf(ended);
  const length: RunLength | null =
    median === undefined ? null : { median, shortest: Math.min(...ended), longest: Math.max(...ended) };
  return { runs: own.length, ended_runs: ended.length, run_length: length };
}

/** Counts by label which run followed which. A withdrawn date between two runs separates them. */
function countTransitions(runs: readonly LabelRun[]): Transition[] {
  const counts = new Map<string, number>();
  runs.slice(1).forEach((run, i) => {
    const before = runs[i];
    if (before === undefined || addDays(before.last, 1) !== run.first) return;
    const pair = `${before.label} ${run.label}`;
    counts.set(pair, (counts.get(pair) ?? 0) + 1);
  });
  return LABELS.flatMap((from) =>
    LABELS.flatMap((to) => {
      const times = counts.get(`${from} ${to}`);
      return times === undefined ? [] : [{ from, to, runs: times }];
    }),
  );
}

/** Returns a function that describes the ratios of the days of some labels: of each quantity their number and median. */
function compareWithYear(
  history: readonly HistoryDay[],
  quantities: readonly string[],
  { year, rounding }: { readonly year: MeanSettings; readonly rounding: Rounding },
): (isCounted: (label: RegimeLabel) => boolean) => RegimesToYear {
  const days = history.map(({ date }) => toDayNumber(date));
  const compared = quantities.map((quantity, q) => {
    const values = history.map((day) => day.values[q] ?? null);
    return { quantity, byLabel: groupByLabel(history, ratiosToYear(days, values, year)) };
  });
  return (isCounted) =>
    Object.fromEntries(
      compared.map(({ quantity, byLabel }): [string, YearRatio] => {
        const ratios = LABELS.filter(isCounted).flatMap((label) => byLabel.get(label) ?? []);
        const median = ratios.length < MIN_DAYS ? undefined : medianOf(ratios);
        return [
          quantity,
          { days: ratios.length, median: median === undefined ? null : rounding.quantity(median) },
        ];
      }),
    );
}

/**
 * Returns each value divided by the median of the values in the year up to and including its day.
 * Shape: one per day, same order; null without a value, with too few values in the year, or if their median is 0.
 */
function ratiosToYear(
  days: readonly number[],
  values: Column,
  { days: length, min_values: minValues }: MeanSettings,
): Column {
  const window = createRollingWindow(length + 1); // one more: a value enters before one leaves
  let oldest = 0;
  return values.map((value, t) => {
    if (value !== null) window.add(value);
    for (; (days[oldest] ?? 0) <= (days[t] ?? 0) - length; oldest += 1) {
      const leaving = values[oldest] ?? null;
      if (leaving !== null) window.remove(leaving);
    }
    const median = window.size() < minValues ? 0 : window.median();
    return value === null || median === 0 ? null : value / median;
  });
}

function groupByLabel(history: readonly HistoryDay[], ratios: Column): Map<RegimeLabel, number[]> {
  const groups = new Map<RegimeLabel, number[]>(LABELS.map((label) => [label, []]));
  history.forEach(({ label }, t) => {
    const ratio = ratios[t] ?? null;
    if (ratio !== null) groups.get(label)?.push(ratio);
  });
  return groups;
}
