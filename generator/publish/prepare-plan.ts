import pMap from 'p-map';
import { byChain, CHAIN_IDS } from '../../schemas/catalog.js';
import { toInstant } from '../../schemas/dates.js';
import type { Chain, ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { absentFault, findAbsentChains } from '../core/release/absent-chains.js';
import { manifestOf, type PublishedState } from '../core/release/published-state.js';
import { mayPlanAhead } from '../core/release/may-plan-ahead.js';
import { planSteps } from '../core/release/plan-release.js';
import type { Acceptance, ChainPlan, Plan, PlanRequest } from '../core/release/plan-types.js';
import { compareMetrics, type PublishedGold, type Restatement } from '../core/release/restatement.js';
import type { InputSeries } from '../core/input/input-series.js';
import { count } from '../core/text/count.js';
import type { Input } from '../input/read-input.js';
import type { Progress } from '../run/progress.js';
import { planAhead } from './plan-ahead.js';
import { readProductTexts } from '../texts/product-texts.js';
import { readStartingPoint, type StartingPoint } from '../state/published-state.js';
import { assertStore, isStore } from '../state/store-mark.js';
import type { Writing } from './release-writing.js';
import { runInterruptibly } from '../run/run-interruptibly.js';
import { readArtifactJson } from '../state/stored-json.js';

/** Tolerance for an as-of instant ahead of the machine's clock. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** Options for `preparePlan`. */
export type PreparePlanOptions = {
  readonly store: ObjectStore;
  readonly input: Input;
  readonly asOfMs: number;
  /** True to fail if there is no store yet. */
  readonly existing: boolean;
  /** True to rebuild history even if its digests show that it is unchanged. */
  readonly full: boolean;
  readonly allOrNothing: boolean;
  /** True to treat a published chain without a file as a fault of the input. */
  readonly requireAll: boolean;
  /** The chains that the operator selected; absent for all. */
  readonly chains?: readonly Chain[];
  readonly acceptance?: Acceptance;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
  /** If present, a first release is written while it is planned; otherwise nothing is written. */
  readonly writeAhead?: { readonly now: () => number };
};

/** A plan, the input and state that it was made from, and the writing that began while it was made. */
export type PreparedPlan = {
  readonly input: Input;
  /** The published chains that the input lacks. */
  readonly absent: readonly Chain[];
  readonly start: StartingPoint;
  readonly plan: Plan;
  readonly writing?: Writing;
};

/**
 * Reads the published state and plans the next release.
 * @throws GeneratorError 'usage' for a wrong as-of or address, 'held' if publication is held; the errors of writing; the
 * reason of `signal` once it is aborted.
 */
export async function preparePlan(options: PreparePlanOptions): Promise<PreparedPlan> {
  const { store, asOfMs, progress, signal } = options;
  progress.begin('state');
  if (options.existing) await assertStore(store);
  const isExisting = options.existing || (await isStore(store));
  const chains = options.input.series.map((series) => series.chain);
  const empty: StartingPoint = { pointer: undefined, state: undefined, aliasSequence: 0 };
  const start = isExisting ? await readStartingPoint(store, chains) : empty;
  progress.end(start.state ? start.state.record.revision : 'empty');
  assertPublishable(start.state, asOfMs);
  const record = start.state?.record;
  const absent = findAbsentChains(record, [...chains, ...options.input.invalid], options.chains);
  const input = options.requireAll ? withAbsent(options.input, absent, record) : options.input;

  progress.begin('plan');
  const request: PlanRequest = {
    inputs: input.series,
    inputInvalid: input.faults.length > 0,
    previous: start.state,
    asOfMs,
    texts: await readProductTexts(),
    full: options.full,
    allOrNothing: options.allOrNothing,
    ...(options.acceptance ? { acceptance: options.acceptance } : {}),
  };
  if (options.writeAhead !== undefined && mayPlanAhead(request)) {
    return { input, absent, start, ...(await planAhead(request, { ...options, ...options.writeAhead })) };
  }
  const plan = await runInterruptibly(planSteps(request), signal);
  progress.end(plan.release ? count(plan.release.artifacts.length, 'file') : 'nothing to publish');
  return { input, absent, start, plan: await explainRestatements(store, plan, input.series, start.state) };
}

/** Adds a fault for each absent chain. */
function withAbsent(input: Input, absent: readonly Chain[], record: ReleaseRecord | undefined): Input {
  const remedy = 'put the file back, or run without --require-all';
  return {
    ...input,
    faults: [...input.faults, ...absent.map((chain) => absentFault(chain, record, remedy))],
  };
}

/** Throws GeneratorError 'usage' if an as-of instant is more than five minutes ahead of the machine's clock. */
export function assertNotAhead(asOfMs: number, nowMs: number): void {
  if (asOfMs > nowMs + CLOCK_TOLERANCE_MS) {
    throw new GeneratorError(
      'usage',
      `--as-of ${toInstant(asOfMs)} is ahead of this machine's clock, ${toInstant(nowMs)}. Use an earlier instant, or set the clock.`,
    );
  }
}

function assertPublishable(state: PublishedState | undefined, asOfMs: number): void {
  if (state === undefined) return;
  const { published_at: publishedAt, hold } = state.record;
  assertNotBefore(asOfMs, publishedAt);
  if (hold !== null) {
    throw new GeneratorError(
      'held',
      `Publication is held: ${hold}. Nothing was published. Once the cause is fixed, run "generator unhold".`,
    );
  }
}

/** Throws GeneratorError 'usage' if an as-of instant is before the current release. */
export function assertNotBefore(asOfMs: number, publishedAt: string): void {
  if (toInstant(asOfMs) >= publishedAt) return;
  throw new GeneratorError(
    'usage',
    `--as-of ${toInstant(asOfMs)} is before the current release, published at ${publishedAt}. Use that instant or a later one.`,
  );
}

/** Adds to each refused restatement how its metrics changed. This is the only use of published days in planning. */
async function explainRestatements(
  store: ObjectStore,
  plan: Plan,
  inputs: readonly InputSeries[],
  state: PublishedState | undefined,
): Promise<Plan> {
  const chains: { [chain in Chain]?: ChainPlan } = {};
  for (const chain of CHAIN_IDS) {
    const each = plan.chains[chain];
    const series = inputs.find((candidate) => candidate.chain === chain);
    if (each?.refusal === undefined || each.refusal.kind === 'drop' || series === undefined) continue;
    const { restatement } = each.refusal;
    const published = await readPublishedGold(store, chain, restatement, state);
    const explained = { ...restatement, metrics: compareMetrics(series, published) };
    chains[chain] = { ...each, refusal: { ...each.refusal, restatement: explained } };
  }
  return { ...plan, chains: byChain((chain) => chains[chain] ?? plan.chains[chain]) };
}

async function readPublishedGold(
  store: ObjectStore,
  chain: Chain,
  restatement: Restatement,
  state: PublishedState | undefined,
): Promise<PublishedGold[]> {
  const dates = new Set(restatement.input_dates);
  const entries = manifestOf(state, 'gold', chain)?.dates.filter((entry) => dates.has(entry.date)) ?? [];
  return pMap(entries, (entry) => readArtifactJson(store, entry.sha256, 'gold-day'), { concurrency: 16 });
}
