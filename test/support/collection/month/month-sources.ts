import { DEFAULT_RULES } from '../../../../generator/core/collection/collection-rules.js';
import type { DayValues } from '../../../../generator/core/collection/values/day-values.js';
import type { ChainPlan } from '../../../../generator/collect/chain-plan.js';
import { SourceError, type Source, type SourceFacts } from '../../../../generator/sources/source.js';
import { metricsOf } from '../../../../schemas/catalog.js';
import { addDays, toDayNumber } from '../../../../schemas/dates.js';
import { sha256Hex } from '../../../../schemas/digest.js';
import { HISTORY_DAYS, type MonthChain, type MonthScript, type Outage } from './month-script.js';
import { viewCheck, viewMain, type View } from './month-view.js';

export const FIRST_OF_MONTH = '2026-03-01';

export const dateOf = (day: number): string => addDays(FIRST_OF_MONTH, day);
const numberOf = (date: string): number => toDayNumber(date) - toDayNumber(FIRST_OF_MONTH);

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
    ...{ chain, rules: DEFAULT_RULES[chain], since: dateOf(-HISTORY_DAYS) },
    parts: [{ source: main, metrics: metricsOf(chain) }],
    checks: [{ source: check, same: ['tx_count'] }],
  };
}

function createSource(script: MonthScript, chain: MonthChain, kind: Outage['source'], hour: number): Source {
  const id = `${kind}-${chain}`;
  const view = (date: string): View | undefined => {
    if (kind === 'main') return viewMain(script, chain, numberOf(date), hour);
    const count = viewCheck(script, chain, numberOf(date), hour);
    const values: DayValues = count === undefined ? {} : { tx_count: count };
    return count === undefined ? undefined : { values, counts: {}, wrong: [], damaged: false };
  };
  return {
    facts: { id, name: id, licence: 'CC0' } as SourceFacts, // nothing else is read
    days(_chain, { first, last }) {
      const outage = findOutage(script, chain, kind, hour);
      if (outage !== undefined) return Promise.reject(new SourceError(outage.code, `${id} has an outage.`));
      const marks = new Map<string, string>();
      for (let date = first; date <= last; date = addDays(date, 1)) {
        const found = view(date);
        if (found !== undefined)
          marks.set(date, sha256Hex(JSON.stringify([found.values, found.counts, found.damaged])));
      }
      return Promise.resolve(marks);
    },
    probe: () => Promise.resolve([]),
    day(_chain, date) {
      const { values = {}, counts = {}, damaged = false } = view(date) ?? {};
      if (damaged) return Promise.reject(new SourceError('shape', `${id}: ${date} has no column.`));
      const evidence = { kind: 'responses', responses: [] } as const;
      return Promise.resolve({ chain, date, values, counts, evidence });
    },
  };
}
