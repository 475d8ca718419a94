import { CHAIN_IDS } from '../../schemas/catalog.js';
import { parseInstant } from '../../schemas/dates.js';
import type { ReleaseChanges } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { cutSeries, type InputSeries } from '../core/input-series.js';
import { planSteps } from '../core/release/plan-release.js';
import type { PlannedRelease, PlanRequest } from '../core/release/plan-types.js';
import { createPointedStore } from './pointed-store.js';
import { prepareHold, prepareRollback, type OperatorTerms } from './prepare-rollback.js';
import { readProductTexts } from './product-texts.js';
import { SILENT } from './progress.js';
import { readState } from './published-state.js';
import type { ChainRelease } from './reachable-objects.js';
import { runInterruptibly } from './run-interruptibly.js';

/** A release that was published once, as far as it must be known to be planned again. */
export type PastRelease = {
  readonly changes: ReleaseChanges;
  readonly hold: string | null;
  /** The release before it; `undefined` of the first one. */
  readonly previous: ChainRelease | undefined;
};

/** What a replay is made from. */
export type ReplayTerms = {
  readonly inputs: readonly InputSeries[];
  readonly signal: AbortSignal;
};

/**
 * Plans a past release once more, from the state before it and what the input held then. Whether the result is what
 * was published, only its digests tell. Resolves `undefined` when the state before it is damaged, or gives no release.
 */
export async function replayRelease(
  store: ObjectStore,
  release: PastRelease,
  terms: ReplayTerms,
): Promise<PlannedRelease | undefined> {
  try {
    const { previous, changes, hold } = release;
    if (previous === undefined || (changes.rollback === null && hold === previous.record.hold))
      return await replayPublication(store, release, terms);
    return await replayOperation(store, { ...release, previous }, terms);
  } catch (error) {
    if (error instanceof GeneratorError && error.exit !== 'interrupted') return undefined;
    throw error;
  }
}

/** A rollback or hold rests on published files alone. */
async function replayOperation(
  store: ObjectStore,
  { changes, hold, previous }: PastRelease & { readonly previous: ChainRelease },
  { signal }: ReplayTerms,
): Promise<PlannedRelease | undefined> {
  const { revision, sequence } = previous.record;
  const terms: OperatorTerms = {
    store: createPointedStore(store, { revision, sequence, sha256: previous.sha256 }),
    asOfMs: parseInstant(changes.published_at) ?? NaN,
    progress: SILENT,
    signal,
  };
  const prepared =
    changes.rollback === null
      ? await prepareHold(terms, hold)
      : await prepareRollback(terms, changes.rollback, changes.reason ?? '');
  return prepared.release;
}

async function replayPublication(
  store: ObjectStore,
  { changes, previous }: PastRelease,
  { inputs, signal }: ReplayTerms,
): Promise<PlannedRelease | undefined> {
  const cut = CHAIN_IDS.flatMap((chain) => {
    const series = inputs.find((each) => each.chain === chain);
    const through = changes.chains[chain]?.updated_through;
    return series === undefined || through === undefined ? [] : [cutSeries(series, through)];
  }).filter((series) => series.dates.length > 0);
  const chains = cut.map((series) => series.chain);
  const state = previous && (await readState(store, previous.record, previous.sha256, chains));
  const request: PlanRequest = {
    inputs: cut,
    previous: state,
    asOfMs: parseInstant(changes.published_at) ?? NaN,
    texts: await readProductTexts(),
    full: true,
    ...(changes.reason === null ? {} : { acceptance: { reason: changes.reason } }),
  };
  return tryPlan(request, signal);
}

/** Another input than that of the time may contradict what was published, as none would that is published. */
async function tryPlan(request: PlanRequest, signal: AbortSignal): Promise<PlannedRelease | undefined> {
  try {
    return (await runInterruptibly(planSteps(request), signal)).release;
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}
