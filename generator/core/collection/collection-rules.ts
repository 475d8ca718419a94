import type { Chain, MetricName } from '../../../schemas/types.generated.js';
import { endOfDayMs, toDayNumber } from '../../../schemas/dates.js';
import { type DatedValues, type DayValues, metricsIn } from './day-values.js';

/** The rules for the collected days of a chain, and their thresholds. `D` is the date of a day; times are UTC. */
export type CollectionRules = {
  /** The metrics without which a day waits for its deadline: the inputs of the methodology that come in time. */
  readonly required: readonly MetricName[];
  /** Hours after the end of `D` from which a collection tries, and at which it takes what it has. */
  readonly firstTryHours: number;
  readonly deadlineHours: number;
  /**
   * Days after the end of `D` within which the source may revise a value by at most `tolerance`, a share of the value that
   * was accepted first, or by a person.
   */
  readonly settlingDays: number;
  readonly tolerance: number;
  /** Days after the end of `D` within which a missing value is filled in. */
  readonly fillInDays: number;
  /** Number of differing dates of a metric above which its history has shifted: no value of it changes by itself. */
  readonly shiftDates: number;
  /** Metrics that a source recomputes over their whole history: accepted values are not compared with it again. */
  readonly frozen: readonly MetricName[];
  /** Least and most blocks of a day. */
  readonly blocks: readonly [least: number, most: number];
  /** Number of dates before `D` with which its values are compared. */
  readonly historyDates: number;
  /**
   * A value outside of the median of these dates, divided and multiplied by this factor, is a jump. Of required counts, the
   * median is divided by `drops`: a day that is cut short is the usual fault of a source.
   */
  readonly jumpFactor: { readonly counts: number; readonly drops: number; readonly others: number };
  /**
   * Most that the median fee may be of the mean one. At least half of the fees are as high as their median, so no day exceeds
   * 2 if its count, its fees and their median are about the same transactions.
   */
  readonly medianFactor: number;
  /** Largest relative difference between two sources: of equally defined values, and of their usual ratio otherwise. */
  readonly cross: { readonly same: number; readonly ratio: number };
};

const COMMON = {
  deadlineHours: 12,
  tolerance: 0.01,
  fillInDays: 60,
  shiftDates: 20,
  frozen: [],
  historyDates: 28,
  jumpFactor: { counts: 6, drops: 2, others: 50 }, // calibrated: DECISIONS.md, "Thresholds of the collection"
  medianFactor: 2,
  cross: { same: 0.005, ratio: 0.05 },
} as const;

/** The rules of each chain, unless the policy says otherwise. */
export const DEFAULT_RULES: Readonly<Record<Chain, CollectionRules>> = {
  bitcoin: {
    ...COMMON,
    required: ['tx_count', 'active_addresses', 'block_weight', 'block_count', 'fees_total', 'fee_median'],
    firstTryHours: 1,
    settlingDays: 3,
    blocks: [50, 320],
  },
  ethereum: {
    ...COMMON,
    required: [
      ...(['tx_count', 'active_addresses', 'fee_median', 'gas_price_mean'] as const),
      ...(['gas_used', 'gas_limit_mean', 'block_count'] as const),
    ],
    firstTryHours: 2.25,
    settlingDays: 3,
    blocks: [6_900, 7_200],
  },
  arbitrum: {
    ...COMMON,
    required: ['tx_count', 'active_addresses', 'fees_total', 'fee_median'],
    firstTryHours: 6.25,
    settlingDays: 7,
    frozen: ['l1_fees_total'], // growthepie recomputes all dates every night
    blocks: [300_000, 360_000],
    medianFactor: 20, // some counts have the protocol's own transactions, which pay no fee: up to 17.2 times in 2021
  },
  base: {
    ...COMMON,
    required: ['tx_count', 'active_addresses', 'fees_total', 'fee_median'],
    firstTryHours: 6.25,
    settlingDays: 7,
    frozen: ['l1_fees_total'], // growthepie recomputes all dates every night
    blocks: [43_200, 43_200],
  },
};

/** The rules, in the order in which they are applied. Findings, lines of the ledger and metrics name them. */
export const RULES = {
  shape: 'a value is a decimal number of a metric that the chain has, and a count is an integer',
  whole:
    'blocks and transactions are complete: numbers without gaps, equal sums over blocks and transactions',
  zero: 'a zero does not count as a value if the last dates have no zero',
  constant: 'a count does not repeat itself exactly',
  relation: 'no part of a day is above the whole, no limit is 0, and no median is above what the sum allows',
  jump: 'a value is not far from the median of the last dates',
  cross: 'two sources agree',
  deadline: 'a day waits for its required metrics until its deadline',
  settling: 'a value changes by itself only a little, and only while its source settles it',
} as const;

export type RuleId = keyof typeof RULES;

/**
 * A finding of a rule in a day. `withheld`: the value is not accepted for now, and the day is tried again; `omitted`: the
 * value counts as missing; `noted`: the value is accepted.
 */
export type Finding = {
  readonly rule: RuleId;
  readonly metrics: readonly MetricName[];
  readonly effect: 'withheld' | 'omitted' | 'noted';
  /** A sentence for a person, with the value and the bound if the rule has them. */
  readonly message: string;
  /** The value that the rule compared with a bound, as text; absent if there was none. */
  readonly value?: string;
  /** The bound that the value missed: a number, or the least and most allowed as `least..most`. */
  readonly bound?: string;
};

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

/** The terms of a source, as it states them. */
export type SourceTerms = {
  readonly id: string;
  readonly licence: string;
  /** `yes` if the licence lets the data be sold. */
  readonly resale: 'yes' | 'no' | 'unknown';
};

/** The use of a source's data, from the policy. */
type DataUse = {
  /** True for a store whose data are sold. */
  readonly commercial: boolean;
  /** The operator's written statement why the data may be sold. It counts only if the licence leaves that open. */
  readonly statement?: string | undefined;
};

/** Returns why data of a source must not be collected for this use, with the remedy; `undefined` if they may be. */
export function findLicenceRefusal(
  { id, licence, resale }: SourceTerms,
  { commercial, statement = '' }: DataUse,
): string | undefined {
  if (!commercial || resale === 'yes') return undefined;
  if (resale === 'no') {
    return `${id}: the licence (${licence}) does not allow the data to be sold, and the store is commercial. Use another source.`;
  }
  if (statement.trim() !== '') return undefined;
  return (
    `${id}: it is unknown whether the licence (${licence}) allows the data to be sold, and the store is commercial. ` +
    'Ask the source, and write its answer as the statement of the source in the policy.'
  );
}
