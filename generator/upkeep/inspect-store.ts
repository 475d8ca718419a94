import { byChain, CHAIN_IDS, CHAINS } from '../../schemas/catalog.js';
import { parseInstant, wholeDaysBetween } from '../../schemas/dates.js';
import { OBJECTS_PREFIX, PUBLIC_PATHS, RELEASES_PREFIX } from '../../schemas/paths.js';
import type {
  Chain,
  ChainHolds,
  ChainStatus,
  Pointer,
  ReleaseRecord,
} from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { count } from '../core/text/count.js';
import { toFreshness } from '../core/artifacts/freshness.js';
import { describeFuture, isUnfinished } from '../state/future-release.js';
import { readAliasSequence, readPointer, readRecord } from '../state/published-state.js';
import { assertStore } from '../state/store-mark.js';
import { listedFilesOf, readDayFiles, readReleaseChain, recordKeysOf } from '../state/reachable-objects.js';
import { damaged, readArtifactJson } from '../state/stored-json.js';
import { futureStep, isRolledBack } from './future-step.js';
import {
  NO_REFUSALS,
  readWaitingRefusals,
  settleStep,
  type FormatAccept,
  type WaitingRefusals,
} from './waiting-refusals.js';
import { readClock, type TrustedClock } from '../state/trusted-clock.js';
import { warmUpOf, type WarmUp } from './warm-up.js';

/** The state of a store at the current time: the document of `status --json`. */
export type StoreStatus = Omit<WaitingRefusals, 'damage'> & {
  readonly address: string;
  readonly revision: string | null;
  readonly sequence: number | null;
  readonly sha256: string | null;
  readonly published_at: string | null;
  /** Whole days since `published_at`. */
  readonly age_days: number | null;
  /** A sentence if the release was published after the current time, because a clock was wrong; otherwise null. */
  readonly from_future: string | null;
  readonly hold: string | null;
  /** The chains on hold, with their reasons. */
  readonly holds: ChainHolds;
  readonly chains: { readonly [chain in Chain]?: ChainNow };
  readonly aliases: { readonly sequence: number; readonly behind: number };
  /** Number of artifacts; null if they were not counted, or could not be counted because of damage. */
  readonly objects: number | null;
  /** Artifacts and release records that no release of the chain reaches; null like `objects`. */
  readonly orphans: { readonly objects: number; readonly bytes: number; readonly releases: number } | null;
  /** Damage of the record of refusals, or that was found while counting; null if none. Only "verify" finds all damage. */
  readonly damage: string | null;
  /** The suggested next step, as a command or a sentence. */
  readonly next: string;
};

/** The state of a chain. Lag and freshness refer to the current time, not to the time of publication. */
export type ChainNow = Pick<
  ChainStatus,
  'updated_through' | 'last_available' | 'lag_days' | 'freshness' | 'expected_next_by' | 'days'
> & {
  readonly overdue: boolean;
  /** True if the newest date has not ended: a machine whose clock was ahead published it. */
  readonly unfinished: boolean;
  /** Not null while a new chain has too little history for a label. Its lag is then that of its newest date. */
  readonly warming_up: WarmUp | null;
};

/** Options for `inspectStore`. */
export type InspectOptions = {
  readonly nowMs: number;
  /** True to count objects, which reads all history. Everything else reads only a few keys. */
  readonly countsObjects: boolean;
  /** The chains to report; all by default. */
  readonly chains?: readonly Chain[];
  readonly formatAccept: FormatAccept;
};

/** Reads the state of a store without verifying its files. @throws GeneratorError 'usage' or 'damaged'. */
export async function inspectStore(
  store: ObjectStore,
  { nowMs, countsObjects, chains: wanted = CHAIN_IDS, formatAccept }: InspectOptions,
): Promise<StoreStatus> {
  await assertStore(store);
  const [pointer, aliasSequence] = await Promise.all([readPointer(store), readAliasSequence(store)]);
  if (pointer === undefined) return { ...emptyStatus(store), ...(countsObjects ? {} : NOT_COUNTED) };
  const record = await readRecord(store, pointer.value);
  const [chains, { damage, ...waiting }] = await Promise.all([
    readChains(store, record, nowMs, wanted),
    readWaitingRefusals(store, record, wanted, formatAccept),
  ]);
  const counts = countsObjects ? await tryCountObjects(store, pointer.value) : NOT_COUNTED;
  const clock = readClock(store, () => nowMs);
  const status = {
    address: store.address,
    revision: record.revision,
    sequence: record.sequence,
    sha256: pointer.value.sha256,
    published_at: record.published_at,
    age_days: Math.max(0, wholeDaysBetween(parseInstant(record.published_at) ?? NaN, clock.nowMs)),
    from_future: describeFuture(record, clock),
    hold: record.hold,
    holds: record.holds ?? {},
    ...waiting,
    chains,
    aliases: { sequence: aliasSequence, behind: record.sequence - aliasSequence },
    ...counts,
    damage: counts.damage ?? damage,
  };
  const isUndone = status.from_future !== null && (await isRolledBack(store, record));
  return { ...status, next: nextStep(status, clock, isUndone) };
}

function emptyStatus(store: ObjectStore): StoreStatus {
  const nothing = {
    revision: null,
    sequence: null,
    sha256: null,
    published_at: null,
    age_days: null,
    from_future: null,
    hold: null,
    holds: {},
  };
  return {
    address: store.address,
    ...nothing,
    ...NO_REFUSALS,
    chains: {},
    aliases: { sequence: 0, behind: 0 },
    objects: 0,
    orphans: { objects: 0, bytes: 0, releases: 0 },
    damage: null,
    next: `nothing is published yet; to publish: generator publish --input DIR --store ${store.address}`,
  };
}

async function readChains(
  store: ObjectStore,
  record: ReleaseRecord,
  nowMs: number,
  wanted: readonly Chain[],
): Promise<{ readonly [chain in Chain]?: ChainNow }> {
  const path = PUBLIC_PATHS.status;
  const entry = record.public[path];
  if (entry === undefined) throw damaged(`release ${record.revision}`, `does not list ${path}`);
  const now = new Date(nowMs).toISOString();
  const clock = readClock(store, () => nowMs);
  const status = await readArtifactJson(store, entry.sha256, 'status');
  return byChain((chain) => {
    const published = status.chains[chain];
    if (published === undefined || !wanted.includes(chain)) return undefined;
    const { updated_through, last_available, days } = published;
    const fresh = toFreshness(chain, updated_through, last_available, now);
    return {
      updated_through,
      ...fresh,
      days,
      overdue: now > fresh.expected_next_by,
      unfinished: isUnfinished(updated_through, clock),
      warming_up: warmUpOf(published, nowMs),
    };
  });
}

type ObjectCounts = Pick<StoreStatus, 'objects' | 'orphans' | 'damage'>;

const NOT_COUNTED: ObjectCounts = { objects: null, orphans: null, damage: null };

/** Counts the objects. Returns damage instead of throwing it, so that the rest of the status is still reported. */
async function tryCountObjects(store: ObjectStore, pointer: Pointer): Promise<ObjectCounts> {
  try {
    return await countObjects(store, pointer);
  } catch (error) {
    if (!(error instanceof GeneratorError) || error.fault === undefined) throw error;
    return { objects: null, orphans: null, damage: `${error.fault.key} ${error.fault.message}` };
  }
}

/** Counts all objects, and those that no release of the chain reaches. */
async function countObjects(store: ObjectStore, current: Pointer): Promise<ObjectCounts> {
  const chain = await readReleaseChain(store, current);
  const digests = new Set((await readDayFiles(store, chain.slice(0, 1))).keys());
  for (const { record } of chain) for (const { sha256 } of listedFilesOf(record)) digests.add(sha256);
  const records = recordKeysOf(chain);
  let objects = 0;
  const orphans = { objects: 0, bytes: 0, releases: 0 };
  for await (const { key, sizeBytes } of store.list(OBJECTS_PREFIX)) {
    objects += 1;
    if (digests.has(key.slice(OBJECTS_PREFIX.length))) continue;
    orphans.objects += 1;
    orphans.bytes += sizeBytes;
  }
  for await (const { key } of store.list(RELEASES_PREFIX)) if (!records.has(key)) orphans.releases += 1;
  return { objects, orphans, damage: null };
}

/**
 * Returns a phrase for each chain whose last available date lags by more than `maxLagDays`, and one if the public copies
 * lag by any release. Empty if nothing lags. While a chain warms up, its newest date counts.
 */
export function findLagging(
  { revision, chains, aliases }: Pick<StoreStatus, 'revision' | 'chains' | 'aliases'>,
  maxLagDays: number,
): string[] {
  if (revision === null) return ['nothing is published'];
  const late = CHAIN_IDS.flatMap((chain) => {
    const state = chains[chain];
    if (state === undefined) return [];
    const lag = (state.warming_up ?? state).lag_days;
    if (lag !== null && lag <= maxLagDays) return [];
    return [lag === null ? `${chain} has no available date` : `${chain} lags ${count(lag, 'day')}`];
  });
  const { behind } = aliases;
  if (behind > 0) return [...late, `the public copies lag ${count(behind, 'release')}`];
  return behind === 0 ? late : [...late, 'the public copies are marked ahead of the release'];
}

function nextStep(status: Omit<StoreStatus, 'next'>, clock: TrustedClock, isUndone: boolean): string {
  const { address, hold, aliases, chains, damage } = status;
  if (damage !== null) return `the store is damaged: generator verify --store ${address}`;
  const publish = `generator publish --input DIR --store ${address}`;
  if (aliases.behind !== 0)
    return `${aliases.behind > 0 ? 'the public copies lag' : 'aliases.json is ahead of the release'}; to refresh the public copies: generator repair --store ${address}`;
  if (status.from_future !== null) return futureStep(status, clock, isUndone);
  if (hold !== null)
    return `publication is held (${hold}); once the cause is fixed: generator unhold --store ${address}`;
  const held = CHAIN_IDS.filter((chain) => status.holds[chain] !== undefined);
  const refusal = status.refusals.find(({ chain }) => chain === null || !held.includes(chain));
  if (refusal !== undefined) return settleStep(refusal);
  const overdue = CHAIN_IDS.filter((chain) => chains[chain]?.overdue && !held.includes(chain));
  if (overdue.length > 0)
    return `${overdue.join(', ')} overdue: check the input of ${overdue.length === 1 ? 'that chain' : 'those chains'}, then: ${publish}`;
  const stale = CHAIN_IDS.filter((chain) => {
    const state = chains[chain];
    return state?.freshness === 'stale' && state.warming_up === null && !held.includes(chain);
  });
  if (stale.length > 0)
    return `${stale.map((chain) => CHAINS[chain].name).join(', ')}: no recent date has enough metrics to be available; check which metrics the input lacks`;
  if (held.length > 0)
    return `${held.join(', ')} held; once the cause is fixed: generator unhold ${held.map((chain) => `--chain ${chain}`).join(' ')} --store ${address}`;
  const due =
    Object.values(chains)
      .map((chain) => chain.expected_next_by)
      .sort()[0] ?? '';
  return `nothing to do until the next date, which is due by ${due}`;
}
