import { evaluateExpression } from './metric-expression.js';

/** A value of a metric at a minute of the simulation, in one sample unless `samples` says how many. */
export type Point = { readonly minute: number; readonly value: number; readonly samples?: number };

/** The points of each metric by its name, ascending. A metric that is not named has none. */
export type Series = Readonly<Record<string, readonly Point[]>>;

/** What CloudWatch leaves open, so that the number of mails must not depend on it. */
export type Placement = {
  /** True if periods begin at full periods, false if they end at the time of the evaluation. */
  readonly isAligned: boolean;
  /** Number of earlier periods that an evaluation also looks at if data points are missing. */
  readonly extraPeriods: number;
};

/** The start and, if it is mailed, the end of an alarm. */
export type Mail = { readonly alarm: string; readonly state: 'ALARM' | 'OK'; readonly minute: number };

/** The properties of an alarm in a template. */
type Properties = Readonly<Record<string, unknown>>;
type Stat = { readonly MetricName: string; readonly Period: number; readonly Stat: string };
type Query = {
  readonly Id: string;
  readonly Expression?: string;
  readonly MetricStat?: {
    readonly Metric: { readonly MetricName: string };
    readonly Period: number;
    readonly Stat: string;
  };
};

/** Least number of minutes between two evaluations. */
const MIN_STEP = 5;
/** Evaluations in a period, if periods end at the time of an evaluation. */
const STEPS = 6;

/**
 * Returns the mails that an alarm sends in the minutes from 0 to `minutes`, beginning in the state OK. Source: "Using Amazon
 * CloudWatch alarms", CloudWatch User Guide: M of N data points, and how missing data points are treated.
 * @throws Error for unsupported properties
 */
export function simulateAlarm(
  properties: Properties,
  series: Series,
  { minutes, placement }: { readonly minutes: number; readonly placement: Placement },
): Mail[] {
  const alarm = String(properties['AlarmName']);
  const { periodMinutes, valueAt } = readMetric(properties, series);
  const evaluate = createEvaluation(properties, placement);
  const periods = Number(properties['EvaluationPeriods']) + placement.extraPeriods;
  const mails: Mail[] = [];
  let state: Mail['state'] = 'OK';
  // Until the first periods are over, an alarm has insufficient data.
  const step = placement.isAligned ? periodMinutes : Math.max(MIN_STEP, periodMinutes / STEPS);
  for (let minute = periods * periodMinutes; minute <= minutes; minute += step) {
    const values = Array.from({ length: periods }, (_, i) => valueAt(minute - (i + 1) * periodMinutes));
    const next: Mail['state'] = evaluate(values) ?? state;
    if (next !== state && isMailed(properties, next)) mails.push({ alarm, state: next, minute });
    state = next;
  }
  return mails;
}

function isMailed(properties: Properties, state: Mail['state']): boolean {
  return (
    (properties[state === 'ALARM' ? 'AlarmActions' : 'OKActions'] as unknown[] | undefined) !== undefined
  );
}

/** Returns a function from the values of periods, the newest first, to a state; undefined if the state stays. */
function createEvaluation(
  properties: Properties,
  { extraPeriods }: Placement,
): (values: readonly (number | undefined)[]) => Mail['state'] | undefined {
  const evaluated = Number(properties['EvaluationPeriods']);
  const needed = Number(properties['DatapointsToAlarm'] ?? evaluated);
  const threshold = Number(properties['Threshold']);
  const breaches = COMPARISONS[String(properties['ComparisonOperator'])];
  const missing = String(properties['TreatMissingData']);
  if (breaches === undefined) throw new Error(`unsupported: ${String(properties['ComparisonOperator'])}`);
  if (!['breaching', 'notBreaching', 'ignore'].includes(missing)) throw new Error(`unsupported: ${missing}`);
  return (values) => {
    const known = values.slice(0, evaluated + extraPeriods).filter((value) => value !== undefined);
    const newest = known.slice(0, evaluated);
    const filled = evaluated - newest.length;
    const bad = newest.filter((value) => breaches(value, threshold)).length;
    if (bad + (missing === 'breaching' ? filled : 0) >= needed) return 'ALARM';
    const isOpen = missing === 'ignore' && bad + filled >= needed;
    return isOpen ? undefined : 'OK';
  };
}

const COMPARISONS: Readonly<Record<string, (value: number, threshold: number) => boolean>> = {
  GreaterThanThreshold: (value, threshold) => value > threshold,
  GreaterThanOrEqualToThreshold: (value, threshold) => value >= threshold,
  LessThanThreshold: (value, threshold) => value < threshold,
};

type Metric = {
  readonly periodMinutes: number;
  /** Returns the value of the period that begins at a minute. */
  readonly valueAt: (begin: number) => number | undefined;
};

/** Reads the metric of an alarm, or its expression over several. */
function readMetric(properties: Properties, series: Series): Metric {
  const queries = properties['Metrics'] as readonly Query[] | undefined;
  if (queries === undefined) {
    const {
      MetricName,
      Period,
      Statistic: Stat,
    } = properties as unknown as Stat & { readonly Statistic: string };
    return readStat({ MetricName, Period, Stat }, series);
  }
  const stats = queries.flatMap(({ Id, MetricStat }) =>
    MetricStat === undefined
      ? []
      : [[Id, readStat({ ...MetricStat, MetricName: MetricStat.Metric.MetricName }, series)] as const],
  );
  const { Expression = '' } = queries.find((query) => query.Expression !== undefined) ?? {};
  return {
    periodMinutes: stats[0]?.[1].periodMinutes ?? 0,
    valueAt: remember((begin) =>
      evaluateExpression(
        Expression,
        Object.fromEntries(stats.map(([id, { valueAt }]) => [id, valueAt(begin)])),
      ),
    ),
  };
}

function readStat({ MetricName, Period, Stat }: Stat, series: Series): Metric {
  const points = series[MetricName] ?? [];
  const summarize = STATISTICS[Stat];
  if (summarize === undefined) throw new Error(`unsupported: ${Stat}`);
  const periodMinutes = Period / 60;
  return {
    periodMinutes,
    valueAt: remember((begin) => {
      const first = findFirst(points, begin);
      const end = findFirst(points, begin + periodMinutes);
      return first === end ? undefined : summarize(points.slice(first, end));
    }),
  };
}

/** Returns the index of the first point at `minute` or later. */
function findFirst(points: readonly Point[], minute: number): number {
  let [low, high] = [0, points.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((points[middle]?.minute ?? 0) < minute) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Remembers results, because several evaluations look at the same period. */
function remember(valueAt: Metric['valueAt']): Metric['valueAt'] {
  const known = new Map<number, number | undefined>();
  return (begin) => {
    if (!known.has(begin)) known.set(begin, valueAt(begin));
    return known.get(begin);
  };
}

const valuesOf = (points: readonly Point[]): number[] => points.map(({ value }) => value);
const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

/** Statistics of the data points of a period. No metric here has several samples in a point, except one that is counted. */
const STATISTICS: Readonly<Record<string, (points: readonly Point[]) => number>> = {
  Sum: (points) => sum(valuesOf(points)),
  Average: (points) => sum(valuesOf(points)) / points.length,
  Minimum: (points) => Math.min(...valuesOf(points)),
  Maximum: (points) => Math.max(...valuesOf(points)),
  SampleCount: (points) => sum(points.map(({ samples = 1 }) => samples)),
};
