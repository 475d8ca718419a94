import pMap from 'p-map';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { byChain, CHAIN_IDS } from '../../schemas/catalog.js';
import { methodologyDigest } from '../../schemas/methodology.js';
import type { Chain, GoldDay } from '../../schemas/types.generated.js';
import { joinReasons, judgeRecorded } from '../core/collection/ledger.js';
import type { InputSeries } from '../core/input/input-series.js';
import type { DayRecord } from '../core/records/day-writers.js';
import { compareMetrics } from '../core/release/assess-chain.js';
import { planSteps } from '../core/release/plan-release.js';
import {
  type ChainPlan,
  manifestOf,
  type Plan,
  type PlanRequest,
  type PublishedState,
  type Restatement,
} from '../core/release/plan-types.js';
import { writersFingerprint } from '../core/release/writers-fingerprint.js';
import { daySchemaOf } from '../core/verification/check-files.js';
import type { RecordedLines } from '../input/collected-ledgers.js';
import { runInterruptibly } from '../run/progress.js';
import { readArtifactJson } from '../state/stored-json.js';

const RECORD_CONCURRENCY = 32;

/**
 * Plans, and reads the published records that the plan turns out to lack, until it lacks none. `plan` receives the records
 * that were read so far, by digest.
 */
export async function planWithPublished<P extends Pick<Plan, 'lacking'>>(
  store: ObjectStore,
  plan: (records: ReadonlyMap<string, DayRecord>) => P | Promise<P>,
  signal?: AbortSignal,
): Promise<P> {
  const records = new Map<string, DayRecord>();
  for (;;) {
    const planned = await plan(records);
    if (planned.lacking.length === 0) return planned;
    await pMap(
      new Map(planned.lacking.map(({ sha256, genre }) => [sha256, genre])),
      async ([sha256, genre]) => {
        signal?.throwIfAborted();
        records.set(sha256, await readArtifactJson(store, sha256, daySchemaOf(genre)));
      },
      { concurrency: RECORD_CONCURRENCY },
    );
  }
}

/** Options for `planAndAccept`. */
type AcceptOptions = {
  /** What the ledgers of collected chains recorded; absent unless recorded changes are accepted. */
  readonly recorded?: RecordedLines;
  readonly signal?: AbortSignal;
};

/** Plans, and accepts the restatements that the collection recorded. */
export async function planAndAccept(
  store: ObjectStore,
  request: PlanRequest,
  { recorded, signal }: AcceptOptions,
): Promise<Plan> {
  const plan = await planRequest(store, request, signal);
  return recorded === undefined ? plan : acceptRecorded(store, { plan, request, recorded, signal });
}

function planRequest(store: ObjectStore, request: PlanRequest, signal?: AbortSignal): Promise<Plan> {
  const planOnce = (superseded: ReadonlyMap<string, DayRecord>): Promise<Plan> =>
    runInterruptibly(planSteps({ ...request, superseded }), signal);
  return planWithPublished(store, planOnce, signal);
}

/** Options for `acceptRecorded`: a plan that accepts nothing, and its request. */
type AcceptRecordedOptions = {
  readonly plan: Plan;
  readonly request: PlanRequest;
  readonly recorded: RecordedLines;
  readonly signal: AbortSignal | undefined;
};

/**
 * Plans again, and accepts the restatements of each chain whose changed dates the collection recorded, every one. The
 * refusals of the others say what was not recorded.
 */
async function acceptRecorded(store: ObjectStore, options: AcceptRecordedOptions): Promise<Plan> {
  const { plan, request, signal } = options;
  const refused = new Map<Chain, ChainPlan>();
  const reasons = new Map<Chain, readonly string[]>();
  for (const chain of CHAIN_IDS) {
    const each = plan.chains[chain];
    if (each?.refusal?.kind !== 'restatement') continue;
    const judged = await judgeChain(store, chain, each.refusal.restatement, options);
    if (judged.unrecorded.length === 0) reasons.set(chain, judged.reasons);
    else refused.set(chain, { ...each, refusal: { ...each.refusal, not_recorded: judged.unrecorded } });
  }
  const acceptance = { reason: joinReasons([...reasons.values()].flat()), chains: [...reasons.keys()] };
  const next = reasons.size === 0 ? plan : await planRequest(store, { ...request, acceptance }, signal);
  return { ...next, chains: byChain((chain) => refused.get(chain) ?? next.chains[chain]) };
}

async function judgeChain(
  store: ObjectStore,
  chain: Chain,
  restatement: Restatement,
  { request, recorded }: AcceptRecordedOptions,
): Promise<{ readonly reasons: readonly string[]; readonly unrecorded: readonly string[] }> {
  const series = request.inputs.find((each) => each.chain === chain);
  const fault = findOtherCause(chain, restatement, request);
  if (fault !== undefined || series === undefined) return { reasons: [], unrecorded: [fault ?? ''] };
  const published = await readPublishedGold(store, chain, restatement, request.previous);
  return judgeRecorded(series, published, recorded.get(chain) ?? []);
}

/** Returns a cause of a restatement that no ledger records; `undefined` if there is none. */
function findOtherCause(
  chain: Chain,
  { input_dates: changed, added_dates: added, withdrawn_dates: withdrawn }: Restatement,
  { previous, texts }: PlanRequest,
): string | undefined {
  const record = previous?.record.chains[chain];
  const isSameCode =
    record?.writers_sha256 === writersFingerprint(texts) &&
    record.methodology_sha256 === methodologyDigest(texts.methodology);
  if (!isSameCode || changed.length === 0) return 'other code or another methodology restates dates';
  if (withdrawn.length > 0) return `a rollback withdrew ${withdrawn[0] ?? ''}`;
  if (added.length > 0) return `${added[0] ?? ''} was not published, but later dates were`;
  return undefined;
}

/** Adds to each refused restatement how its metrics changed. */
export async function explainRestatements(
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

const GOLD_CONCURRENCY = 16;

/** Reads the published gold days of the dates whose input changed, in the order of their dates. */
async function readPublishedGold(
  store: ObjectStore,
  chain: Chain,
  { input_dates: changed }: Restatement,
  state: PublishedState | undefined,
): Promise<GoldDay[]> {
  const dates = new Set(changed);
  const entries = manifestOf(state, 'gold', chain)?.dates.filter((entry) => dates.has(entry.date)) ?? [];
  return pMap(entries, (entry) => readArtifactJson(store, entry.sha256, 'gold-day'), {
    concurrency: GOLD_CONCURRENCY,
  });
}
