import { CHAIN_IDS } from '../../../schemas/catalog.js';
import { parseInstant } from '../../../schemas/dates.js';
import type { ReleaseChanges, Site } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { GeneratorError } from '../../core/generator-error.js';
import { cutSeries, type InputSeries } from '../../core/input/input-series.js';
import { isSameHeld, type Held } from '../../core/release/held.js';
import { planSteps } from '../../core/release/plan-release.js';
import type { DayRecord } from '../../core/records/day-writers.js';
import type { Plan, PlannedRelease, PlanRequest } from '../../core/release/plan-types.js';
import { planWithRecords } from '../../publish/prepare-plan.js';
import { prepareHold, prepareRollback, type PrepareReleaseOptions } from '../../publish/prepare-rollback.js';
import { readProductTexts } from '../../texts/product-texts.js';
import { runInterruptibly, SILENT } from '../../run/progress.js';
import { readState, type StoredRelease } from '../../state/published-state.js';
import { withPointerTo } from './with-pointer-to.js';

/** The facts about a published release that are needed to plan it again. */
export type PastRelease = {
  readonly changes: ReleaseChanges;
  /** What was on hold after it. */
  readonly held: Held;
  /** The site that its public files were made for. */
  readonly site: Site | undefined;
  /** The release before it; `undefined` for the first one. */
  readonly previous: StoredRelease | undefined;
};

/** Options for `replayRelease`. */
type ReplayOptions = {
  readonly inputs: readonly InputSeries[];
  readonly signal: AbortSignal;
};

/**
 * Plans a past release again, from the state before it and the dates that the input had then. The caller must compare
 * digests to know whether the result is what was published. Returns `undefined` if the state before it is damaged, or
 * if the plan has no release.
 */
export async function replayRelease(
  store: ObjectStore,
  release: PastRelease,
  options: ReplayOptions,
): Promise<PlannedRelease | undefined> {
  try {
    const { previous, changes, held } = release;
    if (previous === undefined || (changes.rollback === null && isSameHeld(held, previous.record)))
      return await replayPublication(store, release, options);
    return await replayOperation(store, { ...release, previous }, options);
  } catch (error) {
    if (error instanceof GeneratorError && error.exit !== 'interrupted') return undefined;
    throw error;
  }
}

/** Plans a rollback or hold again, which needs only published files. */
async function replayOperation(
  store: ObjectStore,
  { changes, held, previous }: PastRelease & { readonly previous: StoredRelease },
  { signal }: ReplayOptions,
): Promise<PlannedRelease | undefined> {
  const { revision, sequence } = previous.record;
  const options: PrepareReleaseOptions = {
    store: withPointerTo(store, { revision, sequence, sha256: previous.sha256 }),
    asOfMs: parseInstant(changes.published_at) ?? NaN,
    progress: SILENT,
    signal,
  };
  const prepared =
    changes.rollback === null
      ? await prepareHold(options, () => held)
      : await prepareRollback(options, {
          to: changes.rollback,
          reason: changes.reason ?? '',
          chains: CHAIN_IDS.filter((chain) => changes.chains[chain] !== undefined),
          held,
        });
  return prepared.release;
}

async function replayPublication(
  store: ObjectStore,
  { changes, site, previous }: PastRelease,
  { inputs, signal }: ReplayOptions,
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
    texts: await readProductTexts(site),
    full: true, // the release drafted each of these chains, also one whose input was the same
    ...(changes.reason === null ? {} : { acceptance: { reason: changes.reason } }),
  };
  return tryPlan(store, request, signal);
}

/** Returns `undefined` if planning fails: an input that differs from the original one may contradict published days. */
async function tryPlan(
  store: ObjectStore,
  request: PlanRequest,
  signal: AbortSignal,
): Promise<PlannedRelease | undefined> {
  const plan = (superseded: ReadonlyMap<string, DayRecord>): Promise<Plan> =>
    runInterruptibly(planSteps({ ...request, superseded }), signal);
  try {
    return (await planWithRecords(store, plan, signal)).release;
  } catch (error) {
    if (signal.aborted) throw error;
    return undefined;
  }
}
