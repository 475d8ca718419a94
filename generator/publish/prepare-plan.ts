import { byChain, CHAIN_IDS } from '../../schemas/catalog.js';
import { methodologyDigest } from '../../schemas/methodology.js';
import type { Chain, ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import type { ReferenceTexts } from '../core/draft/site.js';
import { absentFault, findAbsentChains } from '../core/release/absent-chains.js';
import { chainsToRebuild } from '../core/release/assess-chain.js';
import type { PublishedState } from '../core/release/published-state.js';
import { writersFingerprint } from '../core/release/writers-fingerprint.js';
import { unholdWords } from '../core/release/held.js';
import { planSteps } from '../core/release/plan-release.js';
import type { Acceptance, ChainPlan, Plan, PlanRequest } from '../core/release/plan-types.js';
import { compareMetrics } from '../core/release/restatement.js';
import type { InputFault } from '../core/input/input-fault.js';
import type { InputSeries } from '../core/input/input-series.js';
import { count } from '../core/text/count.js';
import type { Input } from '../input/read-input.js';
import type { Progress } from '../run/progress.js';
import { acceptRecorded } from './accept-recorded.js';
import { assertNotBefore, withoutUnfinished } from './check-as-of.js';
import type { CollectedInput } from './collected-input.js';
import { mayPlanAhead, planAhead } from './plan-ahead.js';
import { planWithRecords } from './plan-with-records.js';
import { readPublishedGold } from './published-gold.js';
import { readProductTexts } from '../texts/product-texts.js';
import { readDays, readStartingPoint, withManifests, type StartingPoint } from '../state/published-state.js';
import { assertStore, isStore } from '../state/store-mark.js';
import { assertNotAhead, machineClock, readClock, type TrustedClock } from '../state/trusted-clock.js';
import type { Writing } from './release-writing.js';
import { runInterruptibly } from '../run/run-interruptibly.js';

/** Options for `preparePlan`. */
export type PreparePlanOptions = CollectedInput & {
  readonly store: ObjectStore;
  readonly input: Input;
  readonly asOfMs: number;
  /** The machine's clock, in milliseconds since the epoch. It counts only if the store has no clock of its own. */
  readonly now: () => number;
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
  readonly writesAhead?: boolean;
};

/** A plan, the input and state that it was made from, and the writing that began while it was made. */
export type PreparedPlan = {
  readonly input: Input;
  /** Faults of the input in chains on hold, which publish nothing: they stop nothing. */
  readonly heldFaults: readonly InputFault[];
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
  const { store, asOfMs, progress, readLineages = () => [] } = options;
  progress.begin('state');
  if (options.existing) await assertStore(store);
  const isExisting = options.existing || (await isStore(store));
  const chains = options.input.series.map((series) => series.chain);
  const empty: StartingPoint = { pointer: undefined, state: undefined, aliasSequence: 0 };
  const read = isExisting ? await readStartingPoint(store, chains, []) : empty;
  progress.end(read.state ? read.state.record.revision : 'empty');
  const clock = readClock(store, options.now);
  assertNotAhead(asOfMs, clock);
  assertPublishable(read.state, options, clock);
  const record = read.state?.record;
  const absent = findAbsentChains(record, [...chains, ...options.input.invalid], options.chains);
  const finished = withoutUnfinished(options.input, clock);
  const required = options.requireAll ? withAbsent(finished, absent, record) : finished;
  const isHeld = ({ chain }: InputFault): boolean =>
    chain !== undefined && record?.holds?.[chain] !== undefined;
  const input = { ...required, faults: required.faults.filter((fault) => !isHeld(fault)) };

  progress.begin('plan');
  const texts = await readTexts(input, record);
  const start = { ...read, state: read.state && (await addManifests(read.state, input, texts, options)) };
  const found = { input, heldFaults: required.faults.filter(isHeld), absent, start };
  const request: PlanRequest = {
    inputs: input.series,
    inputInvalid: input.faults.length > 0,
    previous: start.state,
    asOfMs,
    texts,
    full: options.full,
    allOrNothing: options.allOrNothing,
    ...(record?.holds ? { holds: record.holds } : {}),
    ...(options.acceptance ? { acceptance: options.acceptance } : {}),
    lineages: await readLineages(start.state),
  };
  if (options.writesAhead === true && mayPlanAhead(request)) {
    return { ...found, ...(await planAhead(request, options)) };
  }
  const plan = await planRecorded(request, options);
  progress.end(plan.release ? count(plan.release.artifacts.length, 'file') : 'nothing to publish');
  return { ...found, plan: await explainRestatements(store, plan, input.series, start.state) };
}

/** Reads the texts for the site of the input, or for the published site if that of the input has faults. */
function readTexts({ site }: Input, record: ReleaseRecord | undefined): Promise<ReferenceTexts> {
  return readProductTexts(site === undefined ? record?.site : (site ?? undefined));
}

/** Adds what the plan needs of the chains that it rebuilds: their manifests and, unless all is to be made again, newest days. */
async function addManifests(
  state: PublishedState,
  { series }: Input,
  texts: ReferenceTexts,
  { store, full }: PreparePlanOptions,
): Promise<PublishedState> {
  const methodologySha256 = methodologyDigest(texts.methodology);
  const trust = {
    writersSha256: writersFingerprint(texts),
    methodologySha256,
    site: texts.site.details,
    full,
  };
  const chains = chainsToRebuild(series, state, trust);
  const listed = await withManifests(store, state, chains);
  return full ? listed : { ...listed, days: await readDays(store, listed, chains) };
}

/** Plans, and accepts what the ledgers recorded if the options have ledgers. */
async function planRecorded(
  request: PlanRequest,
  { store, recorded, signal }: PreparePlanOptions,
): Promise<Plan> {
  const plan = await planWithRecords(
    store,
    (superseded) => runInterruptibly(planSteps({ ...request, superseded }), signal),
    signal,
  );
  return recorded === undefined ? plan : acceptRecorded(store, { plan, request, recorded, signal });
}

/** Adds a fault for each absent chain. */
function withAbsent(input: Input, absent: readonly Chain[], record: ReleaseRecord | undefined): Input {
  const remedy = 'put the file back, or run without --require-all';
  return {
    ...input,
    faults: [...input.faults, ...absent.map((chain) => absentFault(chain, record, remedy))],
  };
}

function assertPublishable(
  state: PublishedState | undefined,
  { store, asOfMs, now }: PreparePlanOptions,
  clock: TrustedClock,
): void {
  if (state === undefined) return;
  const { hold } = state.record;
  if (hold !== null) {
    throw new GeneratorError(
      'held',
      `Publication is held: ${hold}. Nothing was published. Once the cause is fixed, end the hold:`,
      { next: unholdWords(store.address) },
    );
  }
  assertNotBefore(asOfMs, state.record, clock, machineClock(now));
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
