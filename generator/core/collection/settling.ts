import { endOfDayMs, toDayNumber } from '../../../schemas/dates.js';
import type { MetricName } from '../../../schemas/types.generated.js';
import type { CollectionRules } from './collection-rules.js';
import { metricsIn, type DatedValues, type DayValues } from './values/day-values.js';

const DAY_MS = 86_400_000;

/** The rules of settling. */
type SettlingRules = Pick<
  CollectionRules,
  'settlingDays' | 'tolerance' | 'fillInDays' | 'shiftDates' | 'frozen'
>;

/** A value of a date that the source gives now and that differs from the accepted one. `from` is null for a missing value. */
export type Revision = {
  readonly date: string;
  readonly metric: MetricName;
  readonly from: string | null;
  readonly to: string;
  /** `fill-in` and `revision` are taken by themselves; `drift` waits for a person, and the accepted value stays. */
  readonly kind: 'fill-in' | 'revision' | 'drift';
};

type Difference = Pick<Revision, 'date' | 'metric' | 'from'>;

/**
 * Compares what a source gives now for dates with accepted values. A value that is missing is filled in; one that changes a
 * little while its source settles it is revised; every other change is drift, but for those of frozen metrics, which are left
 * out. If more dates of a metric differ than `shiftDates`, its history has shifted, and all of them are drift. `first`: the
 * values of which a revision stays within the tolerance; the accepted ones if absent. `accepts` returns whether a person
 * accepted a value. `standing`: differences found earlier, which count for a shift too.
 */
export function findRevisions(
  accepted: readonly DatedValues[],
  fresh: ReadonlyMap<string, DayValues>,
  {
    rules,
    nowMs,
    first = new Map(),
    accepts = () => false,
    standing = [],
  }: {
    readonly rules: SettlingRules;
    readonly nowMs: number;
    readonly first?: ReadonlyMap<string, DayValues>;
    readonly accepts?: (date: string, metric: MetricName, value: string) => boolean;
    readonly standing?: readonly Difference[];
  },
): Revision[] {
  const changes = accepted.flatMap(({ date, values }) => {
    const now = fresh.get(date) ?? {};
    return metricsIn(now).flatMap((metric): Revision[] => {
      const [from = null, to] = [values[metric], now[metric]];
      if (to === undefined || from === to || isNoise(from, to)) return [];
      if (accepts(date, metric, to)) return [{ date, metric, from, to, kind: 'revision' }];
      if (from !== null && rules.frozen.includes(metric)) return [];
      const base = first.get(date)?.[metric] ?? from;
      return [{ date, metric, from, to, kind: kindOf(date, base, to, rules, nowMs) }];
    });
  });
  const others = standing.filter(({ date }) => !fresh.has(date));
  const shifted = findShifted([...changes, ...others], rules.shiftDates);
  return changes.map((change) =>
    shifted.has(change.metric) && change.from !== null && !accepts(change.date, change.metric, change.to)
      ? { ...change, kind: 'drift' }
      : change,
  );
}

/** Relative difference of the same number computed twice in floating point. */
const NOISE = 1e-9;

function isNoise(from: string | null, to: string): boolean {
  return from !== null && Math.abs(Number(to) - Number(from)) <= NOISE * Math.abs(Number(from));
}

function kindOf(
  date: string,
  base: string | null,
  to: string,
  rules: SettlingRules,
  nowMs: number,
): Revision['kind'] {
  const ageDays = (nowMs - endOfDayMs(toDayNumber(date))) / DAY_MS;
  if (base === null) return ageDays <= rules.fillInDays ? 'fill-in' : 'drift';
  const [before, after] = [Number(base), Number(to)];
  const share = before === 0 ? Infinity : Math.abs(after - before) / before;
  return ageDays <= rules.settlingDays && share <= rules.tolerance ? 'revision' : 'drift';
}

/** Returns the metrics of which more accepted values differ than `shiftDates`. */
function findShifted(changes: readonly Difference[], shiftDates: number): Set<MetricName> {
  const dates = new Map<MetricName, number>();
  for (const { metric, from } of changes) if (from !== null) dates.set(metric, (dates.get(metric) ?? 0) + 1);
  return new Set([...dates].filter(([, count]) => count > shiftDates).map(([metric]) => metric));
}
