import type { MetricName } from '../../../../schemas/types.generated.js';
import { FIRST_TRY, goodOf, REQUIRED, type ChainTable } from './month-oracle.js';
import type { PublishedChange } from './month-releases.js';
import { runMs, type Decision } from './month-run.js';
import { MONTH_CHAINS, MONTH_DAYS, nameOf, type MonthChain, type MonthScript } from './month-script.js';
import { dateOf, findOutage, numberOf } from './month-sources.js';
import { metricsOf, rightValues } from './month-view.js';

const DEADLINE = 12;
const HOURS = MONTH_DAYS * 24;

type Places = Map<string, number>;
const placeOf = (chain: MonthChain, date: string, metric: string): string => `${chain} ${date} ${metric}`;

/** Returns what a release must change: the values of the tables that differ from those `shown`, which it adds. */
export function releaseTables(
  tables: ReadonlyMap<MonthChain, ChainTable>,
  shown: Places,
  at: string,
): PublishedChange[] {
  const changes: PublishedChange[] = [];
  for (const [chain, { values }] of tables) {
    for (const [day, each] of values) {
      for (const metric of metricsOf(each)) {
        const [place, value] = [placeOf(chain, dateOf(day), metric), Number(each[metric])];
        if (shown.get(place) === value) continue;
        shown.set(place, value);
        changes.push({ at, chain, date: dateOf(day), metric, value });
      }
    }
  }
  return changes;
}

/** Returns the published values that are neither right nor the large change that a person accepted. */
export function findWrong(
  script: MonthScript,
  log: readonly PublishedChange[],
  decided: readonly Decision[],
): PublishedChange[] {
  return log.filter(({ chain, date, metric, value }) => {
    const day = numberOf(date);
    const right = rightValues(script, chain, day, metric as MetricName); // closed by the gold schema
    const isAccepted =
      script.episodes.get(nameOf(chain, day))?.fault === 'large' &&
      decided.some((each) => each.chain === chain && each.day === day);
    return !right.some(
      (each) => value === each || (isAccepted && value !== null && Math.abs(value / each / 1.05 - 1) < 1e-6),
    );
  });
}

/** A month that was lived, as far as the promises about time need it. */
type Lived = {
  readonly script: MonthScript;
  readonly log: readonly PublishedChange[];
  /** The hours in which a collection and a publication ran to their end. */
  readonly whole: ReadonlySet<number>;
};

/** What was published too late, and the number of days that were good at their deadline. */
export type Lateness = { readonly late: readonly string[]; readonly goodDays: number };

/**
 * Finds values that were published too late. A day that is good at its deadline must be out one hour after it, whatever was
 * killed; every other value in the first hour after the deadline in which its source has it and no machine fails.
 */
export function findLate({ script, log, whole }: Lived): Lateness {
  const first = firstHours(log);
  const late: string[] = [];
  let goodDays = 0;
  for (const chain of MONTH_CHAINS) {
    for (let day = 0; day < MONTH_DAYS - 1; day += 1) {
      const deadline = (day + 1) * 24 + DEADLINE;
      const isOut = (metric: MetricName, until: number): boolean =>
        (first.get(placeOf(chain, dateOf(day), metric)) ?? Infinity) <= until;
      if (isGood(script, chain, day)) {
        goodDays += 1;
        const missing = REQUIRED[chain].filter((metric) => !isOut(metric, deadline + 1));
        if (missing.length > 0) late.push(`${nameOf(chain, day)} good, but without ${missing.join()}`);
      }
      for (let hour = deadline; hour < Math.min(HOURS, deadline + 100); hour += 1) {
        if (!whole.has(hour)) continue;
        const missing = readyAt(script, chain, day, hour).filter((metric) => !isOut(metric, hour));
        if (missing.length > 0) late.push(`${nameOf(chain, day)} in hour ${hour} without ${missing.join()}`);
      }
    }
  }
  return { late, goodDays };
}

/** Returns whether a date is complete and believed in every hour from the first try to an hour after the deadline. */
function isGood(script: MonthScript, chain: MonthChain, day: number): boolean {
  const end = (day + 1) * 24;
  for (let hour = end + FIRST_TRY[chain]; hour <= end + DEADLINE + 1; hour += 1) {
    const ready = readyAt(script, chain, day, hour);
    if (!REQUIRED[chain].every((metric) => ready.includes(metric))) return false;
  }
  return true;
}

/** Returns the metrics of a date that a collection may take in an hour. */
function readyAt(script: MonthScript, chain: MonthChain, day: number, hour: number): MetricName[] {
  if (findOutage(script, chain, 'main', hour) !== undefined) return [];
  const accepts = (): boolean => hour >= (script.episodes.get(nameOf(chain, day))?.decided ?? Infinity);
  return metricsOf(goodOf({ script, chain, hour, accepts }, day));
}

/** The hour in which a value of each place was published first. */
function firstHours(log: readonly PublishedChange[]): Places {
  const first: Places = new Map();
  for (const { at, chain, date, metric } of log) {
    const place = placeOf(chain, date, metric);
    if (!first.has(place)) first.set(place, (Date.parse(at) - runMs(0)) / 3_600_000);
  }
  return first;
}
