import { type Collection, EMPTY_STATE } from '../../../../generator/collect/collection-store.js';
import type { Acceptances } from '../../../../generator/collect/policy.js';
import { collectChains } from '../../../../generator/collect/collect-chains.js';
import { datesOf } from '../../../../generator/core/collection/ledger.js';
import { SILENT } from '../../../../generator/run/progress.js';
import type { ObjectStore } from '../../../../infra/store/object-store.js';
import { toInstant } from '../../../../schemas/dates.js';
import type { MetricName } from '../../../../schemas/types.generated.js';
import { createStoppingStore, StoppedError } from '../../stores/stopping-store.js';
import { FIRST_OF_MONTH, dateOf, planOf } from './month-sources.js';
import type { MonthChain, MonthScript } from './month-script.js';

const { signal } = new AbortController();

/** Milliseconds since the epoch of the run of an hour of the month. */
export const runMs = (hour: number): number => Date.parse(`${FIRST_OF_MONTH}T00:15:00Z`) + hour * 3_600_000;
export const runAt = (hour: number): string => toInstant(runMs(hour));

/** What a person accepts in a run. */
export type Decision = { readonly chain: MonthChain; readonly day: number; readonly metric: MetricName };

export type HourlyRun = {
  readonly script: MonthScript;
  readonly chains: readonly MonthChain[];
  readonly hour: number;
  readonly decisions: readonly Decision[];
  readonly kill?: number;
};

/** Collects in an hour of the month. Returns whether the run was killed. */
export async function collectHour(collection: ObjectStore, run: HourlyRun): Promise<boolean> {
  const { script, chains, hour, decisions, kill } = run;
  const store = kill === undefined ? collection : createStoppingStore(collection, kill).store;
  const accepted = new Map(
    chains.map((chain): [MonthChain, Acceptances] => {
      const accepts = (date: string, metric: MetricName): boolean =>
        decisions.some((each) => each.chain === chain && dateOf(each.day) === date && each.metric === metric);
      return [chain, { accepts, reason: 'confirmed by the source' }];
    }),
  );
  const plans = chains.map((chain) => planOf(script, chain, hour));
  const options = { store, plans, accepted, asOfMs: runMs(hour), isDryRun: false, progress: SILENT, signal };
  try {
    await collectChains({ ...options, sources: {} });
    return false;
  } catch (error) {
    if (error instanceof StoppedError) return true;
    throw error;
  }
}

/** A chain of a collection as text, in the form of the oracle's table. */
export function describeChain({ ledgers, states }: Collection, chain: MonthChain): string[] {
  const { drifts, awaited } = states.get(chain) ?? EMPTY_STATE;
  const rows = datesOf(ledgers.get(chain) ?? []).map(
    ({ date, values }) => `${date} ${JSON.stringify(Object.entries(values).sort())}`,
  );
  return [
    ...rows.sort(),
    ...drifts.map(({ date, metric }) => `drift ${date} ${metric}`).sort(),
    ...awaited.map(({ date }) => `awaited ${date}`).sort(),
  ];
}

/** Returns the decisions of the script that are due, and for which the collection asks. */
export function findDecisions(collection: Collection, script: MonthScript, hour: number): Decision[] {
  return [...script.episodes.values()].flatMap(({ chain, day, decided }) => {
    const { drifts, awaited } = collection.states.get(chain) ?? EMPTY_STATE;
    const date = dateOf(day);
    const isAsked =
      drifts.some((each) => each.date === date && each.metric === 'tx_count') ||
      awaited.some(
        (each) => each.date === date && each.reasons.some((reason) => reason.startsWith('jump: tx_count')),
      );
    return hour >= decided && isAsked ? [{ chain, day, metric: 'tx_count' as const }] : [];
  });
}
