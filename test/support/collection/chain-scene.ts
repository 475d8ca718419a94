import type { ChainPlan } from '../../../generator/collect/policy.js';
import type { DayReport, DayStep } from '../../../generator/collect/chain-run.js';
import { EMPTY_STATE } from '../../../generator/collect/collection-store.js';
import { collectChain, type CollectChainOptions } from '../../../generator/collect/collect-chain.js';
import { DEFAULT_RULES } from '../../../generator/core/collection/collection-rules.js';
import type { DayValues } from '../../../generator/core/collection/day-values.js';
import { datesOf } from '../../../generator/core/collection/ledger.js';
import { metricsOf } from '../../../schemas/catalog.js';
import { addDays, parseInstant } from '../../../schemas/dates.js';
import type { ChainState, LedgerLine } from '../../../schemas/types.generated.js';
import { SourceError } from '../../../generator/sources/source.js';
import { createMemorySource } from './memory-source.js';

export const FIRST = '2026-07-01';
const { signal } = new AbortController();

/** The days of a source, which a test changes. */
export type Days = Map<string, DayValues>;

/** The values of the date with number `i`. */
export const usual = (i: number): DayValues => ({
  tx_count: String(1_000 + i),
  active_addresses: String(500 + i),
  fees_total: `1000.${(i % 9) + 1}`,
  fee_median: `0.01${(i % 9) + 1}`,
});

/** Returns the days from `FIRST`. */
export function createDays(count: number): Days {
  return new Map(Array.from({ length: count }, (_, i) => [addDays(FIRST, i), usual(i)]));
}

/** A collection of base that a source fills. */
export function createScene(days: Days, plan: Partial<ChainPlan> = {}) {
  const lines: LedgerLine[] = [];
  const source = createMemorySource(days);
  let state: ChainState = EMPTY_STATE;
  const start = (at: string, changes: Partial<CollectChainOptions>): ReturnType<typeof collectChain> =>
    collectChain({
      plan: {
        chain: 'base',
        rules: DEFAULT_RULES.base,
        since: FIRST,
        checks: [],
        parts: [{ source, metrics: metricsOf('base') }],
        ...plan,
      },
      lines: [...lines],
      state,
      nowMs: parseInstant(at) ?? NaN,
      signal,
      countsOf: () => Promise.resolve(undefined),
      ...changes,
    });
  /** Collects as far as the source answers, and keeps what was accepted. */
  const collectUntilFailure = async (at: string, whole: ChainPlan) => {
    const run = start(at, { plan: whole });
    const days: DayReport[] = [];
    try {
      for (let next = await run.next(); ; next = await run.next()) {
        ({ state } = next.value);
        if (next.done === true) return { days, error: undefined };
        lines.push(...next.value.lines);
        days.push(next.value.report);
      }
    } catch (error) {
      if (!(error instanceof SourceError)) throw error;
      return { days, error };
    }
  };
  const collect = async (at: string, changes: Partial<CollectChainOptions> = {}) => {
    const run = start(at, changes);
    const steps: DayStep[] = [];
    let next = await run.next();
    for (; next.done !== true; next = await run.next()) steps.push(next.value);
    ({ state } = next.value);
    const added = steps.flatMap((step) => step.lines);
    lines.push(...added);
    return {
      added,
      lineages: steps.flatMap((step) => step.lineages),
      days: steps.map(({ report }) => report),
      failures: next.value.failures,
      notes: next.value.notes,
    };
  };
  const valuesOn = (date: string): DayValues | undefined =>
    datesOf(lines).find((each) => each.date === date)?.values;
  return { lines, source, collect, collectUntilFailure, valuesOn, state: () => state };
}

type Collected = Awaited<ReturnType<ReturnType<typeof createScene>['collect']>>;

/** The dates that a collection looked at, each with its outcome. */
export const outcomes = ({ days }: Collected): string[] =>
  days.map(({ date, outcome }) => `${date} ${outcome}`);
