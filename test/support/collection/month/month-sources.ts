import { DEFAULT_RULES } from '../../../../generator/core/collection/collection-rules.js';
import type { ChainPlan } from '../../../../generator/collect/policy.js';
import { SourceError, type Source, type SourceFacts } from '../../../../generator/sources/source.js';
import { metricsOf } from '../../../../schemas/catalog.js';
import { addDays, toDayNumber } from '../../../../schemas/dates.js';
import { sha256Hex } from '../../../../schemas/digest.js';
import { HISTORY_DAYS, type MonthChain, type MonthScript, type Outage } from './month-script.js';
import { viewCheck, viewMain, type View } from './month-view.js';

export const FIRST_OF_MONTH = '2026-03-01';

const DATES = new Map<number, string>();

export function dateOf(day: number): string {
  const date = DATES.get(day) ?? addDays(FIRST_OF_MONTH, day);
  DATES.set(day, date);
  return date;
}
export const numberOf = (date: string): number => toDayNumber(date) - toDayNumber(FIRST_OF_MONTH);

/** Returns the outage of a source in an hour. */
export function findOutage(
  { outages }: MonthScript,
  chain: MonthChain,
  source: Outage['source'],
  hour: number,
): Outage | undefined {
  return outages.find(
    (each) => each.chain === chain && each.source === source && hour >= each.from && hour < each.until,
  );
}

/** Returns how a chain is collected in an hour of the month. */
export function planOf(script: MonthScript, chain: MonthChain, hour: number): ChainPlan {
  const main = createSource(script, chain, 'main', hour);
  const check = createSource(script, chain, 'check', hour);
  return {
    chain,
    rules: DEFAULT_RULES[chain],
    since: dateOf(-HISTORY_DAYS),
    parts: [{ source: main, metrics: metricsOf(chain) }],
    checks: [{ source: check, same: ['tx_count'] }],
  };
}

function createSource(script: MonthScript, chain: MonthChain, kind: Outage['source'], hour: number): Source {
  const id = `${kind}-${chain}`;
  const view = (day: number): View | undefined => {
    if (kind === 'main') return viewMain(script, chain, day, hour);
    const count = viewCheck(script, chain, day, hour);
    return count === undefined ? undefined : viewOfCount(count);
  };
  return {
    facts: { id, name: id, licence: 'CC0' } as SourceFacts, // nothing else is read
    days(_chain, { first, last }) {
      const outage = findOutage(script, chain, kind, hour);
      if (outage !== undefined) return Promise.reject(new SourceError(outage.code, `${id} has an outage.`));
      const marks = new Map<string, string>();
      for (let day = numberOf(first), end = numberOf(last); day <= end; day += 1) {
        const found = view(day);
        if (found !== undefined) marks.set(dateOf(day), markOf(found));
      }
      return Promise.resolve(marks);
    },
    probe: () => Promise.resolve([]),
    day(_chain, date) {
      const { values = {}, counts = {}, damaged = false } = view(numberOf(date)) ?? {};
      if (damaged) return Promise.reject(new SourceError('shape', `${id}: ${date} has no column.`));
      const evidence = { kind: 'responses', responses: [] } as const;
      return Promise.resolve({ chain, date, values, counts, evidence });
    },
  };
}

const CHECKS = new Map<string, View>();

/** What a check source says about a date. */
function viewOfCount(count: string): View {
  const view = CHECKS.get(count) ?? { values: { tx_count: count }, counts: {}, wrong: [], damaged: false };
  CHECKS.set(count, view);
  return view;
}

const MARKS = new WeakMap<View, string>();

function markOf(view: View): string {
  const mark = MARKS.get(view) ?? sha256Hex(JSON.stringify([view.values, view.counts, view.damaged]));
  MARKS.set(view, mark);
  return mark;
}
