import { byChain, CHAIN_IDS, CHAINS } from '../../schemas/catalog.js';
import { parseInstant, wholeDaysBetween } from '../../schemas/dates.js';
import { OBJECTS_PREFIX, PUBLIC_PATHS, RELEASES_PREFIX } from '../../schemas/paths.js';
import type { Chain, ChainStatus, Pointer, ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { toFreshness } from '../core/artifacts/freshness.js';
import { isMarkedStore, readAliasSequence, readPointer, readRecord } from './published-state.js';
import { listedFilesOf, readDayFiles, readReleaseChain, recordKeysOf } from './reachable-objects.js';
import { damaged, readArtifactJson } from './stored-json.js';

/** What a store holds and how late it is, as of now. */
export type StoreStatus = {
  readonly address: string;
  readonly revision: string | null;
  readonly sequence: number | null;
  readonly sha256: string | null;
  readonly published_at: string | null;
  /** Whole days since published_at. */
  readonly age_days: number | null;
  readonly hold: string | null;
  readonly chains: { readonly [chain in Chain]?: ChainNow };
  readonly aliases: { readonly sequence: number; readonly behind: number };
  /** Null where they were not asked for, or damage keeps them from being counted. */
  readonly objects: number | null;
  readonly orphans: { readonly objects: number; readonly bytes: number; readonly releases: number } | null;
  /** The damage that was met on the way; null when there was none. Only "verify" looks for all of it. */
  readonly damage: string | null;
  /** What to do next, as a command or a sentence. */
  readonly next: string;
};

/** How a chain stands now. Lag and freshness are as of now, not as published. */
export type ChainNow = Pick<
  ChainStatus,
  'updated_through' | 'last_available' | 'lag_days' | 'freshness' | 'expected_next_by' | 'days'
> & { readonly overdue: boolean };

/** When it is looked at, and how long: a census of the objects reads all history, the rest a handful of keys. */
export type InspectTerms = { readonly nowMs: number; readonly census: boolean };

/** Looks at a store without judging its bytes. @throws GeneratorError 'usage' or 'damaged'. */
export async function inspectStore(
  store: ObjectStore,
  { nowMs, census }: InspectTerms,
): Promise<StoreStatus> {
  await isMarkedStore(store, true);
  const [pointer, aliasSequence] = await Promise.all([readPointer(store), readAliasSequence(store)]);
  if (pointer === undefined) return { ...emptyStatus(store), ...(census ? {} : NOT_COUNTED) };
  const record = await readRecord(store, pointer.value);
  const chains = await readChains(store, record, new Date(nowMs).toISOString());
  const known = {
    address: store.address,
    revision: record.revision,
    sequence: record.sequence,
    sha256: pointer.value.sha256,
    published_at: record.published_at,
    age_days: wholeDaysBetween(parseInstant(record.published_at) ?? NaN, nowMs),
    hold: record.hold,
    chains,
    aliases: { sequence: aliasSequence, behind: record.sequence - aliasSequence },
    ...(census ? await tryCensus(store, pointer.value) : NOT_COUNTED),
  };
  return { ...known, next: nextStep(known) };
}

function emptyStatus(store: ObjectStore): StoreStatus {
  const nothing = {
    revision: null,
    sequence: null,
    sha256: null,
    published_at: null,
    age_days: null,
    hold: null,
  };
  return {
    address: store.address,
    ...nothing,
    chains: {},
    aliases: { sequence: 0, behind: 0 },
    objects: 0,
    orphans: { objects: 0, bytes: 0, releases: 0 },
    damage: null,
    next: `nothing is published yet: generator publish --input DIR --store ${store.address}`,
  };
}

async function readChains(
  store: ObjectStore,
  record: ReleaseRecord,
  now: string,
): Promise<{ readonly [chain in Chain]?: ChainNow }> {
  const path = PUBLIC_PATHS.status;
  const entry = record.public[path];
  if (entry === undefined) throw damaged(`release ${record.revision}`, `does not list ${path}`);
  const status = await readArtifactJson(store, entry.sha256, 'status');
  return byChain((chain) => {
    const said = status.chains[chain];
    if (said === undefined) return undefined;
    const { updated_through, last_available, days } = said;
    const fresh = toFreshness(chain, updated_through, last_available, now);
    return { updated_through, ...fresh, days, overdue: now > fresh.expected_next_by };
  });
}

type Census = Pick<StoreStatus, 'objects' | 'orphans' | 'damage'>;

const NOT_COUNTED: Census = { objects: null, orphans: null, damage: null };

/** Damage in the past does not keep the present from being told. */
async function tryCensus(store: ObjectStore, pointer: Pointer): Promise<Census> {
  try {
    return await takeCensus(store, pointer);
  } catch (error) {
    if (!(error instanceof GeneratorError) || error.fault === undefined) throw error;
    return { objects: null, orphans: null, damage: `${error.fault.key} ${error.fault.message}` };
  }
}

/** Counts the objects that no release of the chain reaches. */
async function takeCensus(store: ObjectStore, current: Pointer): Promise<Census> {
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
 * What lags by more than `maxLagDays`, a phrase each: the last available dates of chains, and the public copies by any
 * release. Empty when nothing does.
 */
export function findLagging(
  { revision, chains, aliases }: Pick<StoreStatus, 'revision' | 'chains' | 'aliases'>,
  maxLagDays: number,
): string[] {
  if (revision === null) return ['nothing is published'];
  const late = CHAIN_IDS.flatMap((chain) => {
    const lag = chains[chain]?.lag_days;
    if (lag === undefined || (lag !== null && lag <= maxLagDays)) return [];
    return [lag === null ? `${chain} has no available date` : `${chain} lags ${count(lag, 'day')}`];
  });
  const { behind } = aliases;
  if (behind > 0) return [...late, `the public copies lag ${count(behind, 'release')}`];
  return behind === 0 ? late : [...late, 'the public copies are marked ahead of the release'];
}

function count(number: number, unit: string): string {
  return `${number} ${unit}${number === 1 ? '' : 's'}`;
}

function nextStep({ address, hold, aliases, chains, damage }: Omit<StoreStatus, 'next'>): string {
  if (damage !== null) return `the store is damaged: generator verify --store ${address}`;
  const publish = `generator publish --input DIR --store ${address}`;
  if (aliases.behind !== 0)
    return `the public copies lag; this refreshes them: generator repair --store ${address}`;
  if (hold !== null)
    return `publication is held (${hold}); when that is settled: generator unhold --store ${address}`;
  const overdue = CHAIN_IDS.filter((chain) => chains[chain]?.overdue);
  if (overdue.length > 0)
    return `${overdue.join(', ')} overdue: check the input of ${overdue.length === 1 ? 'that chain' : 'those chains'}, then ${publish}`;
  const silent = CHAIN_IDS.filter((chain) => chains[chain]?.freshness === 'stale');
  if (silent.length > 0)
    return `${silent.map((chain) => CHAINS[chain].name).join(', ')}: dates arrive, but none is available lately; check which metrics the input lacks`;
  const due =
    Object.values(chains)
      .map((chain) => chain.expected_next_by)
      .sort()[0] ?? '';
  return `nothing to do; the next date is due by ${due}`;
}
