import { byChain, CHAIN_IDS } from '../../schemas/catalog.js';
import { methodologyDigest } from '../../schemas/methodology.js';
import type { Chain, LedgerLine } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { joinReasons, judgeRecorded } from '../core/collection/ledger/recorded-changes.js';
import { planSteps } from '../core/release/plan-release.js';
import type { ChainPlan, Plan, PlanRequest } from '../core/release/plan-types.js';
import type { Restatement } from '../core/release/restatement.js';
import { writersFingerprint } from '../core/release/writers-fingerprint.js';
import { runInterruptibly } from '../run/run-interruptibly.js';
import { planWithRecords } from './plan-with-records.js';
import { readPublishedGold } from './published-gold.js';

/** The lines of the ledgers of a collection, by chain. */
export type RecordedLines = ReadonlyMap<Chain, readonly LedgerLine[]>;

/** Options for `acceptRecorded`: a plan that accepts nothing, and its request. */
export type AcceptRecordedOptions = {
  readonly plan: Plan;
  readonly request: PlanRequest;
  readonly recorded: RecordedLines;
  readonly signal: AbortSignal | undefined;
};

/**
 * Plans again, and accepts the restatements of each chain whose changed dates the collection recorded, every one. The
 * refusals of the others say what was not recorded.
 */
export async function acceptRecorded(store: ObjectStore, options: AcceptRecordedOptions): Promise<Plan> {
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
  const planAgain = (superseded: PlanRequest['superseded'] = new Map()): Promise<Plan> =>
    runInterruptibly(planSteps({ ...request, acceptance, superseded }), signal);
  const next = reasons.size === 0 ? plan : await planWithRecords(store, planAgain, signal);
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
