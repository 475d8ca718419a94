import { count, plural } from '../../schemas/words.js';
import { byChain, CHAIN_IDS, CHAINS } from '../../schemas/catalog.js';
import { addDays, parseInstant, wholeDaysBetween } from '../../schemas/dates.js';
import {
  OBJECTS_PREFIX,
  parseReleaseKey,
  PUBLIC_PATHS,
  REFUSAL_KEY,
  RELEASES_PREFIX,
} from '../../schemas/paths.js';
import type {
  Chain,
  ChainHolds,
  ChainStatus,
  Pointer,
  ReleaseRecord,
  StoreCheck,
} from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { readVerdict } from '../../infra/store/store-safety.js';
import { GeneratorError } from '../core/generator-error.js';
import { type FreshnessNow, lagDays, toFreshness } from '../core/artifacts/freshness.js';
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
import {
  type FormatCommand,
  formatUsually,
  futureStep,
  isRolledBack,
  readSigningStatus,
  type SigningStatus,
  signingStep,
  type StepOptions,
} from './signing-status.js';
import {
  type FormatAccept,
  NO_REFUSALS,
  readWaitingRefusals,
  settleStep,
  type WaitingRefusals,
} from './waiting-refusals.js';
import { unholdWords } from '../core/release/held.js';
import type { LabelGap } from '../core/release/label-gap.js';
import { readLabelGap } from './read-label-gap.js';

/** Options for `inspectStore`. */
type InspectOptions = {
  readonly nowMs: number;
  /** True to count objects, which reads all history, and to explain missing labels. Everything else reads only a few keys. */
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
  const [pointer, aliasSequence, promise] = await Promise.all([
    readPointer(store),
    readAliasSequence(store),
    store.server === undefined ? undefined : readVerdict(store),
  ]);
  if (pointer === undefined) return { ...emptyStatus(store, format), ...(countsObjects ? {} : NOT_COUNTED) };
  const record = await readRecord(store, pointer.value);
  const clock = readClock(store, () => nowMs);
  const [chains, { damage, ...waiting }, signing] = await Promise.all([
    readChains(store, record, options),
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
    single_writer: promise?.value.single_writer === true ? promise.value : null,
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
    single_writer: null,
    objects: 0,
    orphans: { objects: 0, bytes: 0, releases: 0 },
    damage: null,
    next: `nothing is published yet; to publish: ${format(['publish', '--input', 'DIR', '--store', store.address])}`,
  };
}

async function readChains(
  store: ObjectStore,
  record: ReleaseRecord,
  { nowMs, countsObjects, chains: wanted = CHAIN_IDS }: InspectOptions,
): Promise<{ readonly [chain in Chain]?: ChainNow }> {
  const path = PUBLIC_PATHS.status;
  const entry = record.public[path];
  if (entry === undefined) throw damaged(`release ${record.revision}`, `does not list ${path}`);
  const now = new Date(nowMs).toISOString();
  const clock = readClock(store, () => nowMs);
  const status = await readArtifactJson(store, entry.sha256, 'status', entry.bytes);
  const gaps = new Map(
    await Promise.all(
      wanted.map(async (chain) => {
        const published = countsObjects ? status.chains[chain] : undefined; // a monitor makes few requests
        return [chain, published && (await readLabelGap(store, record, chain, published))] as const;
      }),
    ),
  );
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
      label_gap: gaps.get(chain) ?? null,
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
  // Beside a record is the statement about it.
  for await (const { key } of store.list(RELEASES_PREFIX))
    if (parseReleaseKey(key) !== undefined && !records.has(key)) orphans.releases += 1;
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

/** Returns what a person does next about a store, as a command or a sentence. */
function nextStep(status: Omit<StoreStatus, 'next'>, options: StepOptions): string {
  const { format } = options;
  const { address, hold, chains, damage, signing } = status;
  if (damage?.startsWith(`${REFUSAL_KEY} `) === true)
    return `the record of refusals is damaged; to empty it, so that the next run fills it: ${format(['repair', '--store', address])}`;
  if (damage !== null) return `the store is damaged: ${format(['verify', '--store', address])}`;
  const publish = format(['publish', '--input', 'DIR', '--store', address]);
  if (status.aliases.behind !== 0) return refreshStep(status, options);
  if (status.from_future !== null) return futureStep(status, options);
  if (signing !== null && signing.remedy !== null) return signingStep(signing.remedy, address, format);
  if (hold !== null)
    return `publication is held (${hold}); once the cause is fixed: ${format(unholdWords(address))}`;
  const held = CHAIN_IDS.filter((chain) => status.holds[chain] !== undefined);
  const refusal = status.refusals.find(({ chain }) => chain === null || !held.includes(chain));
  if (refusal !== undefined) return settleStep(refusal);
  const overdue = CHAIN_IDS.filter((chain) => chains[chain]?.overdue && !held.includes(chain));
  if (overdue.length > 0)
    return `${overdue.join(', ')} overdue: check the input of ${plural(overdue.length, 'that chain', 'those chains')}, then: ${publish}`;
  const stale = CHAIN_IDS.filter((chain) => {
    const state = chains[chain];
    return state?.freshness === 'stale' && state.warming_up === null && !held.includes(chain);
  });
  if (stale.length > 0)
    return `${stale.map((chain) => CHAINS[chain].name).join(', ')}: no recent date has enough metrics to be available; check which metrics the input lacks`;
  if (held.length > 0)
    return `${held.join(', ')} held; once the cause is fixed: ${format(unholdWords(address, held))}`;
  const due =
    Object.values(chains)
      .map((chain) => chain.expected_next_by)
      .sort()[0] ?? '';
  return `nothing to do until the next date, which is due by ${due}`;
}

function refreshStep({ aliases, address }: Omit<StoreStatus, 'next'>, { format }: StepOptions): string {
  const fault = aliases.behind > 0 ? 'the public copies lag' : 'aliases.json is ahead of the release';
  return `${fault}; to refresh the public copies: ${format(['repair', '--store', address])}`;
}

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
  /** Null if the releases are not signed, or none is published. */
  readonly signing: SigningStatus | null;
  /** The verdict of a server that loses writes, if the operator has promised that one process at a time writes; otherwise null. */
  readonly single_writer: StoreCheck | null;
  /** Number of artifacts; null if they were not counted, or could not be counted because of damage. */
  readonly objects: number | null;
  /** Artifacts and release records that no release of the chain reaches; null like `objects`. */
  readonly orphans: { readonly objects: number; readonly bytes: number; readonly releases: number } | null;
  /**
   * Damage of the record of refusals, or that was found while counting, after the key that has it; null if none. Only
   * "verify" finds all damage.
   */
  readonly damage: string | null;
  /** The suggested next step, as a command or a sentence. */
  readonly next: string;
};

/** The state of a chain. Lag and freshness refer to the current time, not to the time of publication. */
export type ChainNow = FreshnessNow &
  Pick<ChainStatus, 'updated_through' | 'days'> & {
    readonly overdue: boolean;
    /** True if the newest date has not ended: a machine whose clock was ahead published it. */
    readonly unfinished: boolean;
    /** Not null while a new chain has too little history for a label. Its lag is then that of its newest date. */
    readonly warming_up: WarmUp | null;
    /** Why the newest date has no label; null if it has one, or if objects were not counted. */
    readonly label_gap: LabelGap | null;
  };

/**
 * Number of dates that a chain needs for its first label: smoothing needs 4 dates, the baseline 90 smoothed values, and it
 * ends 7 days before the date (3 + 90 + 7). Source: methodology v1 §2.
 */
export const WARM_UP_DATES = 100;

/** A new chain without enough history for a label. `until` is the first date that can have one. */
type WarmUp = {
  readonly until: string;
  /** Whole days from the end of the newest date until now. */
  readonly lag_days: number;
};

/** Returns the warm-up of a chain, or null once it has ended. */
export function warmUpOf(
  { updated_through: through, last_available, days }: ChainStatus,
  nowMs: number,
): WarmUp | null {
  const { available, degraded, missing, withdrawn } = days;
  const dates = available + degraded + missing + withdrawn;
  if (last_available !== null || dates >= WARM_UP_DATES) return null;
  return { until: addDays(through, WARM_UP_DATES - dates), lag_days: lagDays(through, nowMs) };
}
