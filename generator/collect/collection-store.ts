import { isDeepStrictEqual } from 'node:util';
import pMap from 'p-map';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { toInstant } from '../../schemas/dates.js';
import { sha256Hex } from '../../schemas/digest.js';
import { collectedKey, COLLECTION_KEY, STORE_KEY } from '../../schemas/paths.js';
import type {
  AwaitedDate,
  Chain,
  ChainState,
  CollectedFile,
  CollectionPointer,
  CollectionState,
  Drift,
  LedgerLine,
  SourceSchedule,
} from '../../schemas/types.generated.js';
import { assertValid, SchemaError } from '../../schemas/validate.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import {
  changesOf,
  datesOf,
  type Descriptions,
  formatLedger,
  formatMetricsCsv,
  type Lineage,
  parseLedger,
  type SourceDescription,
  toSegments,
} from '../core/collection/ledger.js';
import { GeneratorError } from '../core/generator-error.js';
import { watchGc } from '../state/gc-lease.js';
import { damaged, metaOf, putImmutable, readByDigest, readStoredJson } from '../state/stored-json.js';
import type { Part } from './policy.js';

/** Number of lineages that are written at the same time. */
const CONCURRENCY = 16;

/** A collection: the lines of each ledger, and its state. `etag` is that of the pointer; null before the first collection. */
export type Collection = {
  readonly sequence: number;
  readonly ledgers: ReadonlyMap<Chain, readonly LedgerLine[]>;
  readonly states: ReadonlyMap<Chain, ChainState>;
  readonly sources: Descriptions;
  readonly etag: Etag | null;
};

/**
 * Reads the collection at an address, which is not that of a release store.
 * @throws GeneratorError 'usage' for a release store, 'damaged' if a document is missing or not what it should be.
 */
export async function readCollection(store: ObjectStore): Promise<Collection> {
  if ((await store.head(STORE_KEY)) !== undefined) {
    throw new GeneratorError(
      'usage',
      `${store.address} is a release store, whose garbage collection would delete what is collected. Use another address.`,
    );
  }
  const found = await readStoredJson(store, COLLECTION_KEY, 'collection');
  if (found === undefined)
    return { sequence: 0, ledgers: new Map(), states: new Map(), sources: {}, etag: null };
  const { sequence, ledgers, state } = found.value;
  const chains = CHAIN_IDS.filter((chain) => ledgers[chain] !== undefined);
  const read = await pMap(
    chains,
    async (chain) => [chain, await readLedger(store, chain, ledgers[chain])] as const,
  );
  return { sequence, ledgers: new Map(read), ...(await readState(store, state)), etag: found.etag };
}

async function readState(
  store: ObjectStore,
  { sha256 }: CollectedFile,
): Promise<Pick<Collection, 'states' | 'sources'>> {
  const key = collectedKey(sha256);
  const bytes = await readByDigest(store, key, sha256);
  const { chains, sources } = asDocument(key, 'state', () =>
    assertValid('collection-state', JSON.parse(Buffer.from(bytes).toString('utf8'))),
  );
  return {
    states: new Map(CHAIN_IDS.flatMap((chain) => (chains[chain] ? [[chain, chains[chain]]] : []))),
    sources,
  };
}

async function readLedger(
  store: ObjectStore,
  chain: Chain,
  { sha256 }: Pick<CollectedFile, 'sha256'> = { sha256: '' }, // never absent: `chains` are those with a ledger
): Promise<readonly LedgerLine[]> {
  const key = collectedKey(sha256);
  const bytes = await readByDigest(store, key, sha256);
  const lines = asDocument(key, 'ledger', () => parseLedger(Buffer.from(bytes).toString('utf8')));
  const foreign = lines.find((line) => line.chain !== chain);
  if (foreign !== undefined)
    throw damaged(key, `is the ledger of ${chain}, but has a line of ${foreign.chain}`);
  return lines;
}

/** Returns the parsed document of a key. @throws GeneratorError 'damaged' if it is not what it should be. */
function asDocument<T>(key: string, what: string, parse: () => T): T {
  try {
    return parse();
  } catch (error) {
    if (error instanceof SchemaError || error instanceof SyntaxError)
      throw damaged(key, `is no ${what}: ${error.message}`);
    throw error;
  }
}

/** Additions of a run to a collection. */
export type CollectionChange = {
  readonly lines: ReadonlyMap<Chain, readonly LedgerLine[]>;
  /** The documents that the lines name. */
  readonly lineages: readonly Lineage[];
  /** The new states of chains; the others keep theirs. */
  readonly states: ReadonlyMap<Chain, ChainState>;
};

/** Options for `commitCollection`. */
export type CommitOptions = {
  readonly asOfMs: number;
  /** The sources of the run. Those of earlier runs keep their descriptions. */
  readonly sources: Descriptions;
  /** Chains that the policy no longer has: nothing of them is awaited. */
  readonly ended?: readonly Chain[];
};

/**
 * Appends lines to the ledgers, writes the input that they yield, and moves the pointer. Writes nothing if nothing changes.
 * Until the pointer moves, readers see the collection before.
 * @throws GeneratorError 'conflict' if another collection was committed since this one was read, or garbage collection ran.
 */
export async function commitCollection(
  store: ObjectStore,
  before: Collection,
  change: CollectionChange,
  { asOfMs, sources: described, ended = [] }: CommitOptions,
): Promise<Collection> {
  const states = new Map(
    [...before.states, ...change.states].map(
      ([chain, state]) => [chain, ended.includes(chain) ? withoutPlan(state) : state] as const,
    ),
  );
  const sources = { ...before.sources, ...described };
  const isSame = isDeepStrictEqual([states, sources], [before.states, before.sources]);
  if (isSame && [...change.lines.values()].every((lines) => lines.length === 0)) return before;
  const ledgers = new Map(
    CHAIN_IDS.map(
      (chain) => [chain, [...(before.ledgers.get(chain) ?? []), ...(change.lines.get(chain) ?? [])]] as const,
    ).filter(([, lines]) => lines.length > 0),
  );
  const sequence = before.sequence + 1;
  const gc = await watchGc(store, Date.now);
  await pMap(change.lineages, ({ text }) => writeFile(store, text), { concurrency: CONCURRENCY });
  const pointer = await writeFiles(
    store,
    { ledgers, states, sources },
    { sequence, asOf: toInstant(asOfMs) },
  );
  const body = Buffer.from(canonicalJson(assertValid('collection', pointer)));
  await gc.assertNothingDeleted();
  const etag = await store.compareAndSwap(COLLECTION_KEY, body, before.etag, metaOf(COLLECTION_KEY));
  if (etag === 'conflict') {
    throw new GeneratorError(
      'conflict',
      `Another collection was committed to ${store.address} meanwhile. Run again.`,
    );
  }
  return { sequence, ledgers, states, sources, etag };
}

async function writeFiles(
  store: ObjectStore,
  { ledgers, states, sources: descriptions }: Pick<Collection, 'ledgers' | 'states' | 'sources'>,
  { sequence, asOf }: { sequence: number; asOf: string },
): Promise<CollectionPointer> {
  const write = (text: string): Promise<CollectedFile> => writeFile(store, text);
  const describe = (name: string): SourceDescription => descriptions[name] ?? { name, licence: 'unknown' };
  const chains = [...ledgers].map(([chain, lines]) => ({ chain, lines, dates: datesOf(lines) }));
  const sources = Object.fromEntries(
    chains.map(({ chain, dates }) => [chain, toSegments(dates, describe, scheduleOf(states.get(chain)))]),
  );
  const changes = chains.flatMap(({ lines }) => changesOf(lines));
  const state: CollectionState = {
    schema: 'collection-state/1',
    chains: Object.fromEntries(states),
    sources: descriptions,
  };
  return {
    schema: 'collection/1',
    sequence,
    as_of: asOf,
    ledgers: Object.fromEntries(
      await pMap(chains, async ({ chain, lines }) => [chain, await write(formatLedger(lines))] as const),
    ),
    files: {
      ...Object.fromEntries(
        await pMap(
          chains,
          async ({ chain, dates }) => [`${chain}.csv`, await write(formatMetricsCsv(chain, dates))] as const,
        ),
      ),
      'sources.json': await write(canonicalJson(assertValid('sources', sources))),
    },
    changes: await write(canonicalJson(changes)),
    state: await write(canonicalJson(assertValid('collection-state', state))),
  };
}

async function writeFile(store: ObjectStore, text: string): Promise<CollectedFile> {
  const body = Buffer.from(text);
  const sha256 = sha256Hex(body);
  const key = collectedKey(sha256);
  await putImmutable(store, key, body, sha256, metaOf(key));
  return { sha256, bytes: body.length };
}

function scheduleOf({ schedule }: ChainState = EMPTY_STATE): SourceSchedule | undefined {
  const { first_try_hours, deadline_hours, settling_days } = schedule ?? {};
  if (first_try_hours === undefined || deadline_hours === undefined || settling_days === undefined)
    return undefined;
  return { first_try_hours, deadline_hours, settling_days };
}

export const EMPTY_STATE: ChainState = { marks: {}, awaited: [], drifts: [], checks: {} };

/** Number of dates of which the values of a check are kept, for its usual ratio. */
const CHECKED_DATES = 60;

/**
 * Returns the state without what is older than `oldest`, and of checks with the last dates only, in one order whatever the
 * order of its changes was.
 */
export function pruneState(
  { marks, awaited, drifts, checks, decisions, ...rest }: ChainState,
  oldest: string,
): ChainState {
  const kept = (decisions ?? [])
    .filter(({ date }) => date >= oldest)
    .sort((a, b) => byDate(a, b) || (a.metric < b.metric ? -1 : 1));
  return {
    ...rest,
    ...(kept.length === 0 ? {} : { decisions: kept }),
    marks: mapSources(marks, (dates) => dates.filter(([date]) => date >= oldest)),
    awaited: awaited.filter(({ date }) => date >= oldest).sort(byDate),
    drifts: drifts
      .filter(({ date }) => date >= oldest)
      .sort((a, b) => byDate(a, b) || (a.metric < b.metric ? -1 : 1)),
    checks: mapSources(checks, (dates) => dates.slice(-CHECKED_DATES)),
  };
}

/** Returns the state of a chain that is no longer collected: nothing is awaited. */
function withoutPlan({ schedule, basis, ...state }: ChainState): ChainState {
  return { ...state, awaited: [] };
}

/** Returns the state without the differences of sources that the chain takes nothing from. */
export function withoutDeparted(state: ChainState, parts: readonly Part[]): ChainState {
  const names = parts.map(({ source }) => source.facts.id);
  return { ...state, drifts: state.drifts.filter(({ source }) => names.includes(source)) };
}

/**
 * Returns the state without the marks of the dates that are awaited after one of which a person accepted something, so that
 * they are judged again by what was accepted.
 */
export function withoutLaterMarks(state: ChainState, decided: ReadonlySet<string>): ChainState {
  const [first] = [...decided].sort();
  if (first === undefined) return state;
  const later = state.awaited.filter(({ date }) => date > first).map(({ date }) => date);
  return {
    ...state,
    marks: mapSources(state.marks, (dates) => dates.filter(([date]) => !later.includes(date))),
  };
}

type Dated<T> = { [source: string]: { [date: string]: T } };

/** Selects the dates of each source. Sources without a date are dropped. */
function mapSources<T>(sources: Dated<T>, select: (dates: [string, T][]) => [string, T][]): Dated<T> {
  const selected = Object.entries(sources)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([source, dates]) => {
      const ascending = Object.entries(dates).sort(([a], [b]) => (a < b ? -1 : 1));
      return [source, Object.fromEntries(select(ascending))] as const;
    });
  return Object.fromEntries(selected.filter(([, dates]) => Object.keys(dates).length > 0));
}

function byDate(a: { readonly date: string }, b: { readonly date: string }): number {
  return a.date < b.date ? -1 : Number(a.date > b.date);
}

/** Returns the differences of a state that an earlier one does not have. */
export function findNewDrifts(
  before: Pick<ChainState, 'drifts'>,
  { drifts }: Pick<ChainState, 'drifts'>,
): Drift[] {
  const keyOf = ({ date, metric, to }: Drift): string => `${date} ${metric} ${to}`;
  const known = new Set(before.drifts.map(keyOf));
  return drifts.filter((each) => !known.has(keyOf(each)));
}

/** Returns the state with the mark of the data of a date that were read. */
export function withMark(state: ChainState, source: string, date: string, mark: string): ChainState {
  return { ...state, marks: { ...state.marks, [source]: { ...state.marks[source], [date]: mark } } };
}

/** Returns the state without the mark of a date, whose data are then read again. */
export function withoutMark(state: ChainState, source: string, date: string): ChainState {
  const { [source]: marks = {} } = state.marks;
  if (marks[date] === undefined) return state;
  const { [date]: _read, ...others } = marks;
  return { ...state, marks: { ...state.marks, [source]: others } };
}

/** Returns the state in which a date is awaited, since it was first awaited; `undefined`: nothing of the date is. */
export function withAwaited(
  state: ChainState,
  date: string,
  entry: Omit<AwaitedDate, 'date' | 'since'> | undefined,
  now: string,
): ChainState {
  const others = state.awaited.filter((each) => each.date !== date);
  if (entry === undefined) return { ...state, awaited: others };
  const since = state.awaited.find((each) => each.date === date)?.since ?? now;
  return { ...state, awaited: [...others, { date, since, ...entry }] };
}

/** Returns the state with the differences found on a date, each since it was first found. */
export function withDrifts(
  state: ChainState,
  date: string,
  found: readonly Omit<Drift, 'date' | 'since'>[],
  now: string,
): ChainState {
  const others = state.drifts.filter((each) => each.date !== date);
  const drifts = found.map((each) => {
    const known = state.drifts.find(
      ({ date: on, metric, to }) => on === date && metric === each.metric && to === each.to,
    );
    return { date, since: known?.since ?? now, ...each };
  });
  return { ...state, drifts: [...others, ...drifts] };
}
