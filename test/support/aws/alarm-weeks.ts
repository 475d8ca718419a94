import { CHAIN_IDS } from '../../../schemas/catalog.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { lagDays } from '../../../generator/core/artifacts/freshness.js';
import { EXIT_CODES } from '../../../generator/core/generator-error.js';
import type { Point, Series } from './alarm-simulator.js';
import { resourcesOf, type Template } from './aws-synth.js';
import { isMatch, select } from './filter-pattern.js';

const HOUR = 60;
const DAY = 24 * HOUR;
/** Length of a simulation. It begins with a day in which alarms get their first periods. */
export const WEEK = 9 * DAY;
const START_MS = Date.parse('2026-11-19T00:00:00Z');

/** Exit code of the run of an hour; undefined for a run that does not end. */
export type Exits = (hour: number) => number | undefined;

/** What is special in a week. */
export type WeekOptions = {
  readonly publish?: Exits;
  readonly monitor?: Exits;
  readonly collect?: Exits;
  /** Returns true for a day that a chain has no new date. */
  readonly isMissing?: (chain: Chain, day: number) => boolean;
  /** Days until the keys expire, on a day. */
  readonly keysLeft?: (day: number) => number;
};

type Line = { readonly minute: number; readonly text: string };

const succeed: Exits = () => 0;

/** Exit codes after which publish has renewed the timestamp, also without a new release. */
const RENEWING: readonly number[] = [EXIT_CODES.done, EXIT_CODES.refused, EXIT_CODES.held].map(
  ({ code }) => code,
);

/**
 * Returns the metrics of a week of hourly runs: their lines of the log, counted by the filters of the template. Every morning
 * there is a new date of each chain. Publish signs each release, and renews the timestamp twice a day.
 */
export function weekOfRuns(template: Template, options: WeekOptions = {}): Series {
  const { publish = succeed, monitor = succeed, collect = succeed, isMissing = () => false } = options;
  const { keysLeft = () => 300 } = options;
  const lines: Line[] = [];
  const through = new Map<Chain, number>(CHAIN_IDS.map((chain) => [chain, -2]));
  let publishedAt = -DAY + 6 * HOUR;
  const signed: Point[] = [];
  for (let hour = 0; hour < WEEK / HOUR; hour += 1) {
    const [day, start] = [Math.floor(hour / 24), hour * HOUR];
    lines.push(...report('collect', collect(hour), start + 7));
    const isWriting = publish(hour) === 0 && hour % 24 >= 6;
    const fresh = CHAIN_IDS.filter(
      (chain) => isWriting && through.get(chain) !== day - 1 && !isMissing(chain, day),
    );
    fresh.forEach((chain) => through.set(chain, day - 1));
    if (fresh.length > 0) publishedAt = start + 36;
    const isRenewed =
      start - (signed.at(-1)?.minute ?? -DAY) >= DAY / 2 && RENEWING.includes(publish(hour) ?? -1);
    if (fresh.length > 0 || isRenewed) signed.push({ minute: start + 36, value: 1 });
    lines.push(...report('publish', publish(hour), start + 37));
    const signing = { keys_days_left: keysLeft(day) };
    const result = { ...statusAt(start + 51, publishedAt, through), signing };
    lines.push(...report('status', monitor(hour), start + 51, monitor(hour) === 0 ? result : null));
  }
  return { ...countLines(template, lines), Invocations: signed };
}

/** Returns the line of a report, or none of a run that did not end. */
function report(
  command: string,
  code: number | undefined,
  minute: number,
  result: object | null = null,
): Line[] {
  const document = { schema: 'run-report/1', command, exit: { code }, result };
  return code === undefined ? [] : [{ minute, text: JSON.stringify(document) }];
}

function statusAt(minute: number, publishedAt: number, through: ReadonlyMap<Chain, number>): object {
  const nowMs = START_MS + minute * 60_000;
  const chains = CHAIN_IDS.map((chain) => {
    const date = new Date(START_MS + (through.get(chain) ?? 0) * DAY * 60_000).toISOString().slice(0, 10);
    return [chain, { lag_days: lagDays(date, nowMs) }];
  });
  return { age_days: Math.floor((minute - publishedAt) / DAY), chains: Object.fromEntries(chains) };
}

/** Returns the data points that the metric filters of the log of the tasks create. */
function countLines(template: Template, lines: readonly Line[]): Series {
  const filters = Object.values(resourcesOf(template, 'AWS::Logs::MetricFilter'))
    .map(({ Properties = {} }) => Properties)
    .filter(({ LogGroupName }) => JSON.stringify(LogGroupName).includes('RunsTasksLog'));
  const series = filters.map(({ FilterPattern, MetricTransformations }) => {
    const [transformation] = MetricTransformations as {
      MetricName: string;
      MetricValue: string;
      DefaultValue?: number;
    }[];
    const { MetricName = '', MetricValue = '', DefaultValue } = transformation ?? {};
    const points = lines.flatMap(({ minute, text }) => {
      const value = !isMatch(String(FilterPattern), text)
        ? DefaultValue
        : MetricValue.startsWith('$')
          ? Number(select(MetricValue, JSON.parse(text)))
          : Number(MetricValue);
      return value === undefined ? [] : [{ minute, value }];
    });
    return [MetricName, points];
  });
  return Object.fromEntries(series) as Series;
}

/** Returns a data point of every five minutes. */
export function everyFiveMinutes(valueAt: (minute: number) => number): Point[] {
  return every(5, valueAt);
}

/** Returns data points at equal distances in minutes. */
export function every(minutes: number, valueAt: (minute: number) => number): Point[] {
  return Array.from({ length: WEEK / minutes }, (_, i) => ({
    minute: i * minutes,
    value: valueAt(i * minutes),
  }));
}
