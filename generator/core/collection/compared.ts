import { isCounted } from '../../../schemas/catalog.js';
import type { MetricName } from '../../../schemas/types.generated.js';
import type { CollectionRules, Finding } from './collection-rules.js';
import { type DatedValues, type DayValues, type EarlierDate, metricsIn } from './day-values.js';
import { medianOf } from '../statistics/median.js';
import { ratioWords, shareWords } from '../../../schemas/words.js';

/** Number of dates from which a median means something. */
const FEWEST_DATES = 7;
/** Number of dates in a row with a `failed_tx_count` of 0 from which it counts as missing. */
const SILENT_DATES = 3;

/** Returns the last values of a metric on the dates before, from the oldest: at most as many as a rule compares with. */
function valuesBefore(
  before: readonly DatedValues[],
  metric: MetricName,
  { historyDates }: Pick<CollectionRules, 'historyDates'>,
): string[] {
  return before.flatMap(({ values }) => values[metric] ?? []).slice(-historyDates);
}

/** Finds zeros of metrics that had none on the dates before: some sources write 0 for a missing value. */
export function findFalseZeros(
  values: DayValues,
  before: readonly DatedValues[],
  rules: Pick<CollectionRules, 'historyDates'>,
): Finding[] {
  return metricsIn(values)
    .filter((metric) => values[metric] === '0')
    .filter((metric) => {
      const earlier = valuesBefore(before, metric, rules);
      return earlier.length > 0 && !earlier.includes('0');
    })
    .map((metric) => ({
      rule: 'zero',
      metrics: [metric],
      effect: 'omitted',
      message: `${metric} is 0, but on none of the ${valuesBefore(before, metric, rules).length} dates before.`,
    }));
}

/** Finds counts that repeat the date before, and a `failed_tx_count` that stays 0 while transactions use gas. */
export function findConstants(values: DayValues, before: readonly DatedValues[]): Finding[] {
  const previous = before.at(-1)?.values ?? {};
  const repeated = metricsIn(values)
    .filter((metric) => isCounted(metric) && metric !== 'failed_tx_count' && metric !== 'block_count')
    .filter((metric) => values[metric] !== '0' && values[metric] === previous[metric])
    .map((metric) =>
      constant(metric, `${metric} is ${values[metric] ?? ''}, exactly as on the date before.`),
    );
  const zeros = [
    ...valuesBefore(before, 'failed_tx_count', { historyDates: SILENT_DATES - 1 }),
    values.failed_tx_count ?? 'missing',
  ];
  const isSilent =
    zeros.length === SILENT_DATES && zeros.every((value) => value === '0') && values.gas_used !== '0';
  return isSilent
    ? [...repeated, constant('failed_tx_count', `failed_tx_count is 0 for ${SILENT_DATES} dates.`)]
    : repeated;
}

function constant(metric: MetricName, message: string): Finding {
  return { rule: 'constant', metrics: [metric], effect: 'omitted', message };
}

/** What values of one day cannot be together: a part above its whole, or a limit of nothing. */
type Relation = {
  /** The metric that counts as missing if it is above `most`, or 0 if `most` is absent. */
  readonly metric: MetricName;
  /** `most` takes the values of these, in their order. */
  readonly of: readonly [MetricName, MetricName?];
  readonly most?: (one: number, other: number, rules: RelationRules) => number;
};

type RelationRules = Pick<CollectionRules, 'medianFactor'>;

/** On all dates of the real histories the values are within these bounds (`npm run calibrate:collection`). */
const RELATIONS: readonly Relation[] = [
  { metric: 'failed_tx_count', of: ['tx_count'], most: (count) => count },
  { metric: 'gas_limit_mean', of: ['block_count'] },
  {
    metric: 'gas_used',
    of: ['gas_limit_mean', 'block_count'],
    most: (limit, count) => (limit === 0 ? Infinity : limit * count),
  },
  {
    metric: 'fee_median',
    of: ['fees_total', 'tx_count'],
    most: (fees, count, { medianFactor }) => (count === 0 ? Infinity : (medianFactor * fees) / count),
  },
  { metric: 'block_weight', of: ['block_count'], most: (count) => 4_000_000 * count },
  { metric: 'block_size', of: ['block_count'], most: (count) => 4_000_000 * count },
  { metric: 'issuance', of: ['block_count'], most: (count) => 50 * count },
];

/** Rounding of means, and of amounts that were added up in another order. */
const ROUNDED = 1 + 1e-6;

/** Finds values that cannot be, together with other values of the same day. */
export function findUnrelated(values: DayValues, rules: RelationRules): Finding[] {
  return RELATIONS.flatMap(({ metric, of, most }): Finding[] => {
    const text = values[metric];
    const others = of.flatMap((each) => (each === undefined ? [] : [{ name: each, value: values[each] }]));
    if (text === undefined || others.some(({ value }) => value === undefined)) return [];
    const named = others.map(({ name, value = '' }) => `${name} is ${value}`).join(' and ');
    const unrelated = (message: string, bound: string): Finding[] => [
      {
        rule: 'relation',
        metrics: [metric],
        effect: 'omitted',
        message,
        value: text,
        bound,
      },
    ];
    const [one = NaN, other = NaN] = others.map(({ value }) => Number(value));
    if (most === undefined)
      return text === '0' && one > 0 ? unrelated(`${metric} is 0, but ${named}.`, '1') : [];
    const bound = most(one, other, rules);
    return Number(text) > bound * ROUNDED
      ? unrelated(`${metric} is ${text}, more than ${bound}: ${named}.`, String(bound))
      : [];
  });
}

type JumpRules = Pick<CollectionRules, 'jumpFactor' | 'required' | 'historyDates'>;

/** Returns how many times higher, and lower, a value may be. */
function factorsOf(
  metric: MetricName,
  { jumpFactor, required }: Omit<JumpRules, 'historyDates'>,
): { readonly factor: number; readonly drop: number } {
  const factor = isCounted(metric) ? jumpFactor.counts : jumpFactor.others;
  return { factor, drop: isCounted(metric) && required.includes(metric) ? jumpFactor.drops : factor };
}

/**
 * Finds values far from the median of the dates before. Those at a level that a person accepted are only noted. Zeros are
 * left to their own rule.
 */
export function findJumps(values: DayValues, before: readonly EarlierDate[], rules: JumpRules): Finding[] {
  return metricsIn(values).flatMap((metric): Finding[] => {
    const earlier = valuesBefore(before, metric, rules).map(Number);
    const median = medianOf(earlier);
    if (median === undefined || median === 0 || earlier.length < FEWEST_DATES) return [];
    const { factor, drop } = factorsOf(metric, rules);
    const text = values[metric] ?? '';
    const value = Number(text);
    const isNear = (each: number, middle: number): boolean =>
      each >= middle / drop && each <= middle * factor;
    if (value === 0 || isNear(value, median)) return [];
    const level = findLevel(metric, before.slice(-rules.historyDates), drop);
    const isAtLevel = level !== undefined && !isNear(level.value, median) && isNear(value, level.value);
    const far = value < median ? `less than 1/${drop} of` : `more than ${factor} times`;
    const message = `${metric} is ${text}, ${far} the median ${median} of ${earlier.length} dates.`;
    return [
      {
        rule: 'jump',
        metrics: [metric],
        effect: isAtLevel ? 'noted' : 'withheld',
        message: isAtLevel ? `${message} A person accepted this level on ${level.date}.` : message,
        value: text,
        bound: `${median / drop}..${median * factor}`,
      },
    ];
  });
}

/** Returns the last value of a metric that a person accepted, if no date since is more than `drop` times lower or higher. */
function findLevel(
  metric: MetricName,
  before: readonly EarlierDate[],
  drop: number,
): { readonly date: string; readonly value: number } | undefined {
  const at = before.findLastIndex(({ byPerson = [] }) => byPerson.includes(metric));
  const accepted = before[at];
  if (accepted === undefined) return undefined;
  const value = Number(accepted.values[metric]);
  const since = before.slice(at).flatMap(({ values }) => Number(values[metric] ?? accepted.values[metric]));
  const hasStayed = since.every((each) => each >= value / drop && each <= value * drop);
  return hasStayed ? { date: accepted.date, value } : undefined;
}

/** Number of dates from which a usual ratio means something. */
const FEWEST_CROSSED_DATES = 7;

/** The values of another source on the same date. */
export type Check = {
  readonly source: string;
  readonly values: DayValues;
  /** The metrics that the other source defines in the same way. */
  readonly same: readonly MetricName[];
  /** Ratios of the values of a metric, this source divided by the other, on the dates before. */
  readonly ratios: { readonly [metric in MetricName]?: readonly number[] };
};

/** Compares a day with other sources. Equally defined values must agree; others are compared by their usual ratio. */
export function compareSources(
  values: DayValues,
  checks: readonly Check[],
  { cross }: Pick<CollectionRules, 'cross'>,
): Finding[] {
  return checks.flatMap((check) =>
    metricsIn(values).flatMap((metric) => {
      const [value, other] = [Number(values[metric]), Number(check.values[metric] ?? NaN)];
      if (Number.isNaN(other) || other === 0) return []; // nothing to compare with
      return check.same.includes(metric)
        ? compareSame(metric, value, other, check.source, cross.same)
        : compareRatio(metric, value / other, check, cross.ratio);
    }),
  );
}

/** Returns whether another source confirms a value that is far from the dates before. */
export function isConfirmed(
  metric: MetricName,
  values: DayValues,
  checks: readonly Check[],
  { cross }: Pick<CollectionRules, 'cross'>,
): boolean {
  const value = Number(values[metric]);
  return checks.some(({ values: others, same, ratios }) => {
    const other = Number(others[metric] ?? NaN);
    if (same.includes(metric)) return difference(value, other) <= cross.same;
    const earlier = ratios[metric] ?? [];
    const usual = medianOf(earlier);
    if (usual === undefined || earlier.length < FEWEST_CROSSED_DATES) return false;
    return difference(value / other, usual) <= cross.ratio;
  });
}

function compareSame(
  metric: MetricName,
  value: number,
  other: number,
  source: string,
  bound: number,
): Finding[] {
  const differs = difference(value, other);
  if (differs <= bound) return [];
  const message = `${metric} is ${value}, but ${source} has ${other}: they differ by ${shareWords(differs)}, more than ${shareWords(bound)}.`;
  const measured = { value: String(differs), bound: String(bound) };
  return [{ rule: 'cross', metrics: [metric], effect: 'withheld', message, ...measured }];
}

function compareRatio(
  metric: MetricName,
  ratio: number,
  { ratios, source }: Check,
  bound: number,
): Finding[] {
  const earlier = ratios[metric] ?? [];
  const usual = medianOf(earlier);
  if (usual === undefined || earlier.length < FEWEST_CROSSED_DATES) return [];
  const differs = difference(ratio, usual);
  if (differs <= bound) return [];
  const message = `${metric} is ${ratioWords(ratio)} times the value of ${source}, usually ${ratioWords(usual)} times: that differs by more than ${shareWords(bound)}.`;
  const measured = { value: String(differs), bound: String(bound) };
  return [{ rule: 'cross', metrics: [metric], effect: 'noted', message, ...measured }];
}

/** Returns the difference as a share of `other`; Infinity if only `other` is 0. */
function difference(one: number, other: number): number {
  return one === other ? 0 : Math.abs(one - other) / Math.abs(other);
}
