import type { InputSeries } from '../../../generator/core/input/input-series.js';
import type { CollectionRules } from '../../../generator/core/collection/collection-rules.js';
import {
  type DatedValues,
  type DayValues,
  toMetricValue,
} from '../../../generator/core/collection/day-values.js';
import { judgeDay } from '../../../generator/core/collection/judge-day.js';
import { isCounted, metricsOf } from '../../../schemas/catalog.js';
import type { Chain, MetricName } from '../../../schemas/types.generated.js';

/** Rules that the history is judged by; jumps are `drops` of required counts, `counts`, and `others`. */
export const JUDGED = ['zero', 'constant', 'relation', 'counts', 'drops', 'others', 'blocks'] as const;
type Judged = (typeof JUDGED)[number];

/** A value of a true date that a rule would not have accepted by itself when the date was new. */
export type Stop = {
  readonly chain: Chain;
  readonly date: string;
  readonly metric: MetricName;
  readonly judged: Judged;
  readonly message: string;
};

/** Returns the dates of a series with exact texts; a date without a value is left out. */
export function toDays({ chain, dates, metrics }: InputSeries): DatedValues[] {
  return dates.flatMap((date, t) => {
    const values = Object.fromEntries(
      metricsOf(chain).flatMap((metric) => {
        const number = metrics[metric]?.[t] ?? null;
        const read = number === null ? undefined : toMetricValue(metric, String(number));
        return read !== undefined && 'value' in read ? [[metric, read.value]] : [];
      }),
    ) as DayValues;
    return Object.keys(values).length === 0 ? [] : [{ date, values }];
  });
}

/**
 * Judges each date of a true history as if it had just arrived, by the dates before it. All of these count as accepted: each
 * stop is one that a person would have answered, or a second source.
 */
export function judgeHistory(
  chain: Chain,
  days: readonly DatedValues[],
  rules: CollectionRules,
  since = '',
): Stop[] {
  return days.flatMap(({ date, values }, t) => {
    if (date < since) return [];
    const day = { chain, date, values, counts: {}, evidence: { kind: 'responses', responses: [] } } as const;
    const before = days.slice(Math.max(0, t - rules.historyDates), t);
    return judgeWithBlocks(day, { rules, before }).map((stop) => ({ chain, date, ...stop }));
  });
}

type Day = Parameters<typeof judgeDay>[0];
type Options = Parameters<typeof judgeDay>[1];

/** A wrong number of blocks hides every other finding, so the values are judged again with any number. */
function judgeWithBlocks(day: Day, options: Options): Omit<Stop, 'chain' | 'date'>[] {
  const stops = (judgedBy: Options): Omit<Stop, 'chain' | 'date'>[] =>
    judgeDay(day, judgedBy).findings.flatMap(
      ({ rule, effect, metrics, message }): Omit<Stop, 'chain' | 'date'>[] => {
        const [metric] = metrics;
        if (effect === 'noted' || metric === undefined || message.includes('wait with')) return [];
        if (rule === 'whole') return [{ metric: 'block_count', judged: 'blocks', message }];
        if (rule === 'zero' || rule === 'constant' || rule === 'relation')
          return [{ metric, judged: rule, message }];
        if (rule !== 'jump') return [];
        const isDrop = options.rules.required.includes(metric) && message.includes('less than');
        const kind = isDrop ? 'drops' : 'counts';
        return [{ metric, judged: isCounted(metric) ? kind : 'others', message }];
      },
    );
  const found = stops(options);
  const anyNumber = { ...options, rules: { ...options.rules, blocks: [0, Infinity] as const } };
  return found.some(({ judged }) => judged === 'blocks') ? [...found, ...stops(anyNumber)] : found;
}
