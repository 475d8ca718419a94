import pMap from 'p-map';
import { byChain, CHAIN_IDS } from '../../schemas/catalog.js';
import { toInstant } from '../../schemas/dates.js';
import type { Chain } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { manifestOf, type PublishedState } from '../core/release/published-state.js';
import { mayPlanAhead } from '../core/release/may-plan-ahead.js';
import { planSteps } from '../core/release/plan-release.js';
import type { Acceptance, ChainPlan, Plan, PlanRequest } from '../core/release/plan-types.js';
import { compareMetrics, type PublishedGold, type Restatement } from '../core/release/restatement.js';
import type { InputSeries } from '../core/input-series.js';
import type { Input } from './read-input.js';
import type { Progress } from './progress.js';
import { planAhead } from './plan-ahead.js';
import { readProductTexts } from './product-texts.js';
import { isMarkedStore, readStartingPoint, type StartingPoint } from './published-state.js';
import type { Writing } from './release-writing.js';
import { runInterruptibly } from './run-interruptibly.js';
import { readArtifactJson } from './stored-json.js';

/** How far an as-of may lie ahead of the machine's clock. */
const CLOCK_TOLERANCE_MS = 5 * 60_000;

/** What a plan is prepared from. */
export type PlanTerms = {
  readonly store: ObjectStore;
  readonly input: Input;
  readonly asOfMs: number;
  readonly existing: boolean;
  readonly full: boolean;
  readonly allOrNothing: boolean;
  readonly acceptance?: Acceptance;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
  /** Permits to write a first release while it is planned, with the clock of the run. Otherwise nothing is written. */
  readonly writeAhead?: { readonly now: () => number };
};

/** A plan with what it was made from, and the writing that began while it was made. */
export type PreparedPlan = {
  readonly input: Input;
  readonly start: StartingPoint;
  readonly plan: Plan;
  readonly writing?: Writing;
};

/**
 * Reads the published state and plans the next release. Nothing is written, unless the terms permit to write ahead.
 * @throws GeneratorError 'usage' for a wrong as-of or address, 'held' when publication is held; what writing throws, if it
 * does; the reason of `signal` once that is aborted.
 */
export async function preparePlan(terms: PlanTerms): Promise<PreparedPlan> {
  const { store, input, asOfMs, progress, signal } = terms;
  progress.begin('state');
  const marked = await isMarkedStore(store, terms.existing);
  const chains = input.series.map((series) => series.chain);
  const fresh: StartingPoint = { pointer: undefined, state: undefined, aliasSequence: 0 };
  const start = marked ? await readStartingPoint(store, chains) : fresh;
  progress.end(start.state ? start.state.record.revision : 'empty');
  assertPublishable(start.state, asOfMs);

  progress.begin('plan');
  const request: PlanRequest = {
    inputs: input.series,
    inputInvalid: input.faults.length > 0,
    previous: start.state,
    asOfMs,
    texts: await readProductTexts(),
    full: terms.full,
    allOrNothing: terms.allOrNothing,
    ...(terms.acceptance ? { acceptance: terms.acceptance } : {}),
  };
  if (terms.writeAhead !== undefined && mayPlanAhead(request)) {
    return { input, start, ...(await planAhead(request, { ...terms, ...terms.writeAhead })) };
  }
  const plan = await runInterruptibly(planSteps(request), signal);
  progress.end(plan.release ? `${plan.release.artifacts.length} files` : 'nothing to publish');
  return { input, start, plan: await explainRestatements(store, plan, input.series, start.state) };
}

/**
 * Passes an as-of that the machine's clock has reached, give or take five minutes.
 * @throws GeneratorError 'usage' for a later one, naming both instants.
 */
export function assertNotAhead(asOfMs: number, nowMs: number): void {
  if (asOfMs > nowMs + CLOCK_TOLERANCE_MS) {
    throw new GeneratorError(
      'usage',
      `--as-of ${toInstant(asOfMs)} is ahead of this machine's clock, ${toInstant(nowMs)}; give an earlier instant, or mend the clock`,
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
      `publication is held: ${hold}; nothing was published; when the cause is mended, run "generator unhold"`,
    );
  }
}

/** Passes an as-of that is not before the current release. @throws GeneratorError 'usage' otherwise, naming both. */
export function assertNotBefore(asOfMs: number, publishedAt: string): void {
  if (toInstant(asOfMs) >= publishedAt) return;
  throw new GeneratorError(
    'usage',
    `--as-of ${toInstant(asOfMs)} lies before the current release's published_at, ${publishedAt}; give that instant or a later one`,
  );
}

/** Adds to each refused restatement how its metrics changed: only now are published days read. */
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
