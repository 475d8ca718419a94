import type { Chain, ChainState, LedgerLine } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { Descriptions, Lineage } from '../core/collection/ledger.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import { countWords } from '../../schemas/words.js';
import type { Progress } from '../run/progress.js';
import { SourceError, type SourceErrorCode } from '../sources/source.js';
import { assertNotAhead, readClock } from '../state/trusted-clock.js';
import type { Acceptances, ChainPlan } from './policy.js';
import type { DayReport } from './chain-run.js';
import {
  type Collection,
  commitCollection,
  type CommitOptions,
  EMPTY_STATE,
  findNewDrifts,
  readCollection,
} from './collection-store.js';
import { collectChain } from './collect-chain.js';
import { collectedKey } from '../../schemas/paths.js';
import type { CollectedDay } from '../core/collection/day-values.js';
import { readByDigest } from '../state/stored-json.js';

/** Number of times that a chain is collected, if other collections are committed meanwhile. */
const MOST_TRIES = 3;

/** Work of this length is committed before the collection continues. */
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
  /** What is odd about accepted values and those of other sources, as sentences. */
  readonly notes: readonly string[];
  /** Why the chain could not be collected to its end. What was accepted before stays. */
  readonly error: { readonly code: SourceErrorCode | 'conflict'; readonly message: string } | null;
};

/** The results of the chains, and the collection after them. */
export type CollectionResult = {
  readonly collection: Collection;
  readonly chains: ReadonlyMap<Chain, ChainResult>;
  /** Chains that were collected until now, but not from now on. */
  readonly ended: readonly Chain[];
};

/**
 * Collects chains one after the other, and commits what each yields: at its end, and every minute. A source that fails, or
 * other collections that are committed at the same time again and again, end only the collection of their chain.
 *
 * - What is committed is kept: an interrupt or a failure loses at most a minute of work.
 * - After a conflict, the chain is collected again from what the other run committed, a few times.
 * - The name of a source never changes its meaning: the ledgers would give old values to the new source.
 *
 * @throws GeneratorError 'usage' if the as-of is ahead of the store's clock; 'interrupted' after `signal` was aborted, when
 * what was accepted is committed.
 */
export async function collectChains(options: CollectChainsOptions): Promise<CollectionResult> {
  const { store, plans, progress, asOfMs } = options;
  const collection = await readCollection(store);
  assertNotAhead(
    asOfMs,
    readClock(store, () => asOfMs),
  ); // a store without a clock leaves this check to the command
  assertSameSources(collection, options.sources);
  const committer = createCommitter(options, collection);
  const chains = new Map<Chain, ChainResult>();
  for (const plan of plans) {
    progress.begin('collect');
    const result = await collectOne(plan, options, committer);
    chains.set(plan.chain, result);
    progress.end(`${plan.chain}: ${result.error === null ? describe(result) : result.error.code}`);
  }
  const ended = (options.ended ?? []).filter((chain) => collection.states.get(chain)?.schedule !== undefined);
  return { collection: committer.current(), chains, ended };
}

/** Refuses a name that the ledgers use for another source. @throws GeneratorError 'usage' */
function assertSameSources({ sources, ledgers }: Collection, described: Descriptions): void {
  for (const [id, { name }] of Object.entries(described)) {
    const before = sources[id]?.name;
    const isUsed = [...ledgers.values()].some((lines) => lines.some(({ source }) => source === id));
    if (before === undefined || before === name || !isUsed) continue;
    throw new GeneratorError(
      'usage',
      `The source ${id} is ${name} now, but the values collected from ${id} so far come from ${before}. Give the new source another name in the policy, so that the history keeps its source.`,
      { next: RUN_AGAIN },
    );
  }
}

function describe({ lines, state }: ChainResult): string {
  const awaited = state.awaited.length === 0 ? '' : `, ${countWords(state.awaited.length)} awaited`;
  return `${countWords(lines.length)} accepted${awaited}`;
}

/** What of a chain is committed, by this run and by others. */
type Kept = Pick<ChainResult, 'days' | 'lines' | 'before' | 'state'>;

/** Collects a chain. After a conflict, collects it again from the committed state. */
async function collectOne(
  plan: ChainPlan,
  options: CollectChainsOptions,
  committer: Committer,
): Promise<ChainResult> {
  const stateNow = (): ChainState => committer.current().states.get(plan.chain) ?? EMPTY_STATE;
  let kept: Kept = { days: [], lines: [], before: stateNow(), state: stateNow() };
  const keep = (now: Kept): void => void (kept = now);
  for (let tries = 1; ; tries += 1) {
    try {
      return await tryOne(plan, options, committer, { kept, keep });
    } catch (error) {
      const isConflict = error instanceof GeneratorError && error.exit === 'conflict';
      if (!isConflict || options.signal.aborted) throw error;
      await committer.readAgain();
      kept = continueFrom(stateNow(), kept);
      if (tries === MOST_TRIES)
        return { ...kept, failures: [], notes: [], error: { code: 'conflict', message: error.message } };
    }
  }
}

/** Returns what is kept after others committed `state`. The differences that they found are not new. */
function continueFrom(state: ChainState, { days, lines, before, state: own }: Kept): Kept {
  const found = { drifts: findNewDrifts(before, own) };
  return { days, lines, state, before: { ...state, drifts: findNewDrifts(found, state) } };
}

async function tryOne(
  plan: ChainPlan,
  { store, accepted, asOfMs, isDryRun, progress, signal }: CollectChainsOptions,
  committer: Committer,
  { kept, keep }: { readonly kept: Kept; readonly keep: (now: Kept) => void },
): Promise<ChainResult> {
  const { chain } = plan;
  const lines = committer.current().ledgers.get(chain) ?? [];
  const counts = createCountsReader(store, lines);
  const acceptances = accepted?.get(chain);
  const run = collectChain({
    plan,
    lines,
    state: kept.state,
    nowMs: asOfMs,
    signal,
    countsOf: counts.countsOf,
    ...(acceptances ? { accepted: acceptances } : {}),
  });
  const result = { days: [...kept.days], lines: [...kept.lines], before: kept.before };
  let { state } = kept;
  try {
    for (let next = await run.next(); ; next = await run.next()) {
      ({ state } = next.value);
      if (next.done === true) {
        await committer.add(chain, { lines: [], lineages: [], state }, 'now');
        return { ...result, state, failures: next.value.failures, notes: next.value.notes, error: null };
      }
      const { lines: added, lineages, report } = next.value;
      result.days.push(report);
      result.lines.push(...added);
      counts.keep(report.date, lineages);
      if (await committer.add(chain, { lines: added, lineages, state }, 'sometimes'))
        keep({ ...result, days: [...result.days], lines: [...result.lines], state });
      progress.advance();
    }
  } catch (error) {
    if (!(error instanceof SourceError) && !signal.aborted) throw error;
    await committer.add(chain, { lines: [], lineages: [], state }, 'now');
    if (!(error instanceof SourceError)) throw interruption(store, committer.current(), isDryRun);
    return { ...result, state, failures: [], notes: [], error: { code: error.code, message: error.message } };
  }
}

function interruption({ address }: ObjectStore, { sequence }: Collection, isDryRun: boolean): GeneratorError {
  const kept =
    sequence === 0 || isDryRun ? 'nothing was written' : `collection ${sequence} at ${address} stays`;
  return new GeneratorError('interrupted', `interrupted: ${kept}. Run again to continue.`);
}

type Addition = {
  readonly lines: readonly LedgerLine[];
  readonly lineages: readonly Lineage[];
  readonly state: ChainState;
};

/** Commits what chains yield. */
type Committer = {
  readonly current: () => Collection;
  /** Adds to a chain, and commits what was added so far: `now`, or after some time. Resolves to whether it did. */
  readonly add: (chain: Chain, addition: Addition, when: 'now' | 'sometimes') => Promise<boolean>;
  /** Reads the collection again, and forgets what is not committed. */
  readonly readAgain: () => Promise<void>;
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
      if (when === 'sometimes' && performance.now() - committedMs < COMMIT_EVERY_MS) return false;
      if (isDryRun) return false;
      const change = {
        lines: new Map([[chain, pending.lines]]),
        lineages: pending.lineages,
        states: new Map([[chain, state]]),
      };
      collection = await commitCollection(store, collection, change, options);
      pending = { lines: [], lineages: [] };
      committedMs = performance.now();
      return true;
    },
    async readAgain() {
      collection = await readCollection(store);
      pending = { lines: [], lineages: [] };
    },
  };
}

type Counts = CollectedDay['counts'];

/** The counts of accepted dates of a chain. */
type CountsReader = {
  /** Returns the counts that a source gave on a date; `undefined` if nothing of it was accepted. */
  readonly countsOf: (source: string, date: string) => Promise<Counts | undefined>;
  /** Keeps the counts of lineages that are not in the store yet. */
  readonly keep: (date: string, lineages: readonly Lineage[]) => void;
};

/** Reads counts from the lineages that the lines of a ledger name. */
function createCountsReader(store: ObjectStore, lines: readonly LedgerLine[]): CountsReader {
  const nameOf = (source: string, date: string): string => `${date} ${source}`;
  const digests = new Map(lines.map(({ source, date, lineage }) => [nameOf(source, date), lineage]));
  const kept = new Map<string, Counts>();
  return {
    async countsOf(source, date) {
      const name = nameOf(source, date);
      const digest = digests.get(name);
      const known = kept.get(name);
      if (known !== undefined || digest === undefined) return known;
      const counts = parseCounts(
        Buffer.from(await readByDigest(store, collectedKey(digest), digest)).toString('utf8'),
      );
      kept.set(name, counts);
      return counts;
    },
    keep(date, lineages) {
      for (const { source, text } of lineages) kept.set(nameOf(source, date), parseCounts(text));
    },
  };
}

function parseCounts(lineage: string): Counts {
  return (JSON.parse(lineage) as Pick<CollectedDay, 'counts'>).counts; // its digest is that of a text that toLineage wrote
}
