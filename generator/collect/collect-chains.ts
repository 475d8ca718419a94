import type { Chain, ChainState, LedgerLine } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { Lineage } from '../core/collection/ledger/lineage.js';
import { GeneratorError } from '../core/generator-error.js';
import type { Progress } from '../run/progress.js';
import { SourceError, type SourceErrorCode } from '../sources/source.js';
import type { Acceptances, ChainPlan } from './chain-plan.js';
import type { DayReport } from './chain-run.js';
import { EMPTY_STATE } from './chain-state.js';
import { collectChain } from './collect-chain.js';
import {
  commitCollection,
  readCollection,
  type Collection,
  type CommitOptions,
  type Descriptions,
} from './collection-store.js';
import { createCountsReader } from './kept-counts.js';

/** Work of this length is committed before the collection goes on. */
const COMMIT_EVERY_MS = 60_000;

/** Options for `collectChains`. */
export type CollectChainsOptions = CommitOptions & {
  readonly store: ObjectStore;
  readonly plans: readonly ChainPlan[];
  readonly accepted?: ReadonlyMap<Chain, Acceptances>;
  readonly isDryRun: boolean;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/** The result of a collection for a chain. */
export type ChainResult = {
  readonly days: readonly DayReport[];
  readonly lines: readonly LedgerLine[];
  readonly before: ChainState;
  readonly state: ChainState;
  readonly failures: readonly string[];
  /** Why the chain could not be collected to its end. What was accepted before stays. */
  readonly error: { readonly code: SourceErrorCode; readonly message: string } | null;
};

/** The results of the chains, and the collection after them. */
export type CollectionResult = {
  readonly collection: Collection;
  readonly chains: ReadonlyMap<Chain, ChainResult>;
};

/**
 * Collects chains one after the other, and commits what each yields: at its end, and every minute. A source that fails ends
 * only the collection of its chain.
 * @throws GeneratorError 'conflict' if another collection was committed meanwhile; 'interrupted' after `signal` was aborted,
 * when what was accepted is committed.
 */
export async function collectChains(options: CollectChainsOptions): Promise<CollectionResult> {
  const { store, plans, progress } = options;
  const collection = await readCollection(store);
  assertSameSources(collection, options.sources);
  const committer = createCommitter(options, collection);
  const chains = new Map<Chain, ChainResult>();
  for (const plan of plans) {
    progress.begin('collect');
    const result = await collectOne(plan, options, committer);
    chains.set(plan.chain, result);
    progress.end(`${plan.chain}: ${result.error === null ? describe(result) : result.error.code}`);
  }
  return { collection: committer.current(), chains };
}

/** Refuses a name that the ledgers use for another source. @throws GeneratorError 'usage' */
function assertSameSources({ sources, ledgers }: Collection, described: Descriptions): void {
  for (const [id, { name }] of Object.entries(described)) {
    const before = sources[id]?.name;
    const isUsed = [...ledgers.values()].some((lines) => lines.some(({ source }) => source === id));
    if (before === undefined || before === name || !isUsed) continue;
    throw new GeneratorError(
      'usage',
      `The source ${id} is ${name} now, but the values that were collected from ${id} are of ${before}. Give the new source another name in the policy, so that the history keeps its source.`,
    );
  }
}

function describe({ lines, state }: ChainResult): string {
  const awaited = state.awaited.length === 0 ? '' : `, ${state.awaited.length} awaited`;
  return `${lines.length} accepted${awaited}`;
}

async function collectOne(
  plan: ChainPlan,
  { store, accepted, asOfMs, isDryRun, progress, signal }: CollectChainsOptions,
  committer: Committer,
): Promise<ChainResult> {
  const { chain } = plan;
  const { ledgers, states } = committer.current();
  const [lines, before] = [ledgers.get(chain) ?? [], states.get(chain) ?? EMPTY_STATE];
  const counts = createCountsReader(store, lines);
  const acceptances = accepted?.get(chain);
  const run = collectChain({
    ...{ plan, lines, state: before, nowMs: asOfMs, signal, countsOf: counts.countsOf },
    ...(acceptances ? { accepted: acceptances } : {}),
  });
  const result = { days: [] as DayReport[], lines: [] as LedgerLine[], before };
  let state = before;
  try {
    for (let next = await run.next(); ; next = await run.next()) {
      ({ state } = next.value);
      if (next.done === true) {
        await committer.add(chain, { lines: [], lineages: [], state }, 'now');
        return { ...result, state, failures: next.value.failures, error: null };
      }
      const { lines: added, lineages, report } = next.value;
      result.days.push(report);
      result.lines.push(...added);
      counts.keep(report.date, lineages);
      await committer.add(chain, { lines: added, lineages, state }, 'sometimes');
      progress.advance();
    }
  } catch (error) {
    if (!(error instanceof SourceError) && !signal.aborted) throw error;
    await committer.add(chain, { lines: [], lineages: [], state }, 'now');
    if (!(error instanceof SourceError)) throw interruption(store, committer.current(), isDryRun);
    return { ...result, state, failures: [], error: { code: error.code, message: error.message } };
  }
}

function interruption({ address }: ObjectStore, { sequence }: Collection, isDryRun: boolean): GeneratorError {
  const kept =
    sequence === 0 || isDryRun ? 'nothing was written' : `collection ${sequence} at ${address} stays`;
  return new GeneratorError('interrupted', `interrupted: ${kept}. Run again to go on.`);
}

type Addition = {
  readonly lines: readonly LedgerLine[];
  readonly lineages: readonly Lineage[];
  readonly state: ChainState;
};

/** Commits what chains yield. */
type Committer = {
  readonly current: () => Collection;
  /** Adds to a chain, and commits what was added so far: `now`, or after some time. */
  readonly add: (chain: Chain, addition: Addition, when: 'now' | 'sometimes') => Promise<void>;
};

function createCommitter(
  { store, isDryRun, ...options }: Pick<CollectChainsOptions, 'store' | 'isDryRun'> & CommitOptions,
  start: Collection,
): Committer {
  let collection = start;
  let pending: { lines: LedgerLine[]; lineages: Lineage[] } = { lines: [], lineages: [] };
  let committedMs = performance.now();
  return {
    current: () => collection,
    async add(chain, { lines, lineages, state }, when) {
      pending.lines.push(...lines);
      pending.lineages.push(...lineages);
      if (when === 'sometimes' && performance.now() - committedMs < COMMIT_EVERY_MS) return;
      if (isDryRun) return;
      const change = {
        ...{ lines: new Map([[chain, pending.lines]]), lineages: pending.lineages },
        states: new Map([[chain, state]]),
      };
      collection = await commitCollection(store, collection, change, options);
      pending = { lines: [], lineages: [] };
      committedMs = performance.now();
    },
  };
}
