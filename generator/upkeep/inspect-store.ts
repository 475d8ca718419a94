import { count } from '../core/text/count.js';
import { byChain, CHAIN_IDS } from '../../schemas/catalog.js';
import { parseInstant, wholeDaysBetween } from '../../schemas/dates.js';
import { OBJECTS_PREFIX, PUBLIC_PATHS, RELEASES_PREFIX } from '../../schemas/paths.js';
import type { Chain, Pointer, ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { toFreshness } from '../core/artifacts/freshness.js';
import { describeFuture, isUnfinished, readClock } from '../state/trusted-clock.js';
import {
  listedFilesOf,
  readAliasSequence,
  readDayFiles,
  readPointer,
  readRecord,
  readReleases,
  recordKeysOf,
} from '../state/published-state.js';
import { assertStore } from '../state/store-mark.js';
import { damaged, readArtifactJson } from '../state/stored-json.js';
import { formatUsually, isRolledBack, type FormatCommand } from './future-step.js';
import { nextStep } from './next-step.js';
import { readSigningStatus } from './signing-status.js';
import type { ChainNow, StoreStatus } from './store-status.js';
import { NO_REFUSALS, readWaitingRefusals, type FormatAccept } from './waiting-refusals.js';
import { warmUpOf } from './warm-up.js';

/** Options for `inspectStore`. */
type InspectOptions = {
  readonly nowMs: number;
  /** True to count objects, which reads all history. Everything else reads only a few keys. */
  readonly countsObjects: boolean;
  /** The chains to report; all by default. */
  readonly chains?: readonly Chain[];
  readonly formatAccept: FormatAccept;
  /** Formats other commands. Default: with `generator` as the program. */
  readonly formatCommand?: FormatCommand;
};

/** Reads the state of a store without verifying its files. @throws GeneratorError 'usage' or 'damaged'. */
export async function inspectStore(store: ObjectStore, options: InspectOptions): Promise<StoreStatus> {
  const { nowMs, countsObjects, chains: wanted = CHAIN_IDS, formatAccept } = options;
  const { formatCommand: format = formatUsually } = options;
  await assertStore(store);
  const [pointer, aliasSequence] = await Promise.all([readPointer(store), readAliasSequence(store)]);
  if (pointer === undefined) return { ...emptyStatus(store, format), ...(countsObjects ? {} : NOT_COUNTED) };
  const record = await readRecord(store, pointer.value);
  const clock = readClock(store, () => nowMs);
  const [chains, { damage, ...waiting }, signing] = await Promise.all([
    readChains(store, record, nowMs, wanted),
    readWaitingRefusals(store, record, wanted, formatAccept),
    readSigningStatus(store, { record, sha256: pointer.value.sha256 }, clock.nowMs),
  ]);
  const counts = countsObjects ? await tryCountObjects(store, pointer.value) : NOT_COUNTED;
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
    signing,
    ...counts,
    damage: counts.damage ?? damage,
  };
  const isUndone = status.from_future !== null && (await isRolledBack(store, record));
  return { ...status, next: nextStep(status, { clock, isUndone, format }) };
}

function emptyStatus(store: ObjectStore, format: FormatCommand): StoreStatus {
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
    signing: null,
    objects: 0,
    orphans: { objects: 0, bytes: 0, releases: 0 },
    damage: null,
    next: `nothing is published yet; to publish: ${format(['publish', '--input', 'DIR', '--store', store.address])}`,
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
    const { updated_through, last_available, days, sources } = published;
    const fresh = toFreshness(chain, updated_through, last_available, now, sources);
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

/** Counts all objects, and those that no release reaches. */
async function countObjects(store: ObjectStore, current: Pointer): Promise<ObjectCounts> {
  const releases = await readReleases(store, current);
  const digests = new Set((await readDayFiles(store, releases.slice(0, 1))).keys());
  for (const { record } of releases) for (const { sha256 } of listedFilesOf(record)) digests.add(sha256);
  const records = recordKeysOf(releases);
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
 * Returns a phrase for each chain whose last available date lags by more than `maxLagDays`, one if the public copies lag by
 * any release, and one if readers refuse its signatures. Empty if nothing lags. While a chain warms up, its newest date counts.
 */
export function findLagging(
  { revision, chains, aliases, signing }: Pick<StoreStatus, 'revision' | 'chains' | 'aliases' | 'signing'>,
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
  return [...late, ...findLaggingCopies(aliases), ...(signing?.fault ? [signing.fault] : [])];
}

function findLaggingCopies({ behind }: StoreStatus['aliases']): string[] {
  if (behind === 0) return [];
  return [
    behind > 0
      ? `the public copies lag ${count(behind, 'release')}`
      : 'the public copies are marked ahead of the release',
  ];
}
