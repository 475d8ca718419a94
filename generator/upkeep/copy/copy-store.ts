import { bytesWords, count } from '../../../schemas/words.js';
import pMap from 'p-map';
import { objectKey, POINTER_KEY, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { TrustAnchor } from '../../../schemas/trust/trust-anchor.js';
import type { Manifest, Pointer } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import type { SafetyOptions } from '../../../infra/store/store-safety.js';
import { GeneratorError, type NextWords, RUN_AGAIN } from '../../core/generator-error.js';
import { refreshCopies } from '../../publish/refresh-copies.js';
import type { Progress } from '../../run/progress.js';
import type { StoredKeySet } from '../../signing/signed-history.js';
import { assertSpaceForFiles } from '../../state/disk-space.js';
import { watchGc } from '../../state/gc-lease.js';
import { assertMoved, isMoveOutcomeUnknown, movePointer } from '../../state/move-pointer.js';
import {
  isRetained,
  readPointer,
  type ReadPointer,
  readReleases,
  type StoredRelease,
} from '../../state/published-state.js';
import { assertStore, markStore } from '../../state/store-mark.js';
import { damaged, parseStored, readArtifact, withStoreAddress } from '../../state/stored-json.js';
import { type GcResult, gcStore, type GcStoreOptions } from '../gc-store.js';
import {
  type CopyItem,
  type CopyList,
  copyObject,
  indexOfTarget,
  listCopyItems,
  readTargetPointer,
  sizesOf,
} from './copy-objects.js';
import { copyCurrentTrust, copyStatements, type CopyTrustOptions, readSourceKeys } from './copy-trust.js';
import { parseInstant } from '../../../schemas/dates.js';
import { readClock } from '../../state/trusted-clock.js';
import { checkIndexes, checkListing } from '../../core/verification/check-files.js';

/** Number of objects copied at a time, by their largest size. Fewer large ones, so that memory stays bounded. */
const CONCURRENCY = [
  { maxBytes: 65_536, concurrency: 32 },
  { maxBytes: 4_000_000, concurrency: 8 },
  { maxBytes: Infinity, concurrency: 2 },
];
const RECORD_CONCURRENCY = 8;

/** Options for `copyStore`. */
export type CopyStoreOptions = {
  readonly from: ObjectStore;
  readonly to: ObjectStore;
  /** Returns milliseconds from any origin, and never goes back. */
  readonly clock: () => number;
  /** How the server of the target is judged before anything is written. Default: by this machine's clock, without a promise. */
  readonly safety?: SafetyOptions;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Omits what garbage collection deletes, and collects the garbage of the target afterwards. */
  readonly prune?: Pick<GcStoreOptions, 'apply' | 'graceMs' | 'clock'>;
  /** The release to copy; by default the one that the source's pointer names. */
  readonly selection?: Selection;
  /** Whose signatures the source must have, at the time of this machine's clock (milliseconds since the epoch). */
  readonly trust?: { readonly anchor: TrustAnchor; readonly now: () => number } | undefined;
};

/** The report of a copy. */
export type CopyResult = {
  readonly outcome: 'copied' | 'unchanged';
  readonly from: string;
  readonly to: string;
  /** The copied release, which is the current one of the target unless another copy has brought a later one. */
  readonly revision: string;
  readonly sequence: number;
  readonly sha256: string;
  /** Number of later releases at the source that `selection` left out; absent without it. */
  readonly behind?: number;
  /** Objects written to the target, including the pointer and public copies. */
  readonly written: { readonly objects: number; readonly bytes: number };
  /** Number of files of old releases that garbage collection has deleted at the source. */
  readonly skipped: number;
  /** Keys of the target that did not match their digest and were replaced. */
  readonly mended: readonly string[];
  /** The garbage of the target; absent without `prune`. */
  readonly pruned?: GcResult;
};

type Tally = { objects: number; bytes: number; skipped: number; replaced: string[] };

/**
 * Mirrors the release that the source's pointer names when the copy begins, or the selected one, with all before it. Its structure is
 * checked before anything is written, every byte is compared with its digest, and the target's pointer moves last. An
 * interrupted copy continues where it stopped.
 * @throws GeneratorError 'usage' if the target's release is not among the source's releases, 'damaged' if the source lacks
 * something, 'interrupted' if `signal` was aborted; its message says whether the target's pointer was moved.
 */
export async function copyStore(options: CopyStoreOptions): Promise<CopyResult> {
  const { to, signal, progress, prune } = options;
  const state = { isMoved: false };
  try {
    const copied = await copyAndMove(options, () => (state.isMoved = true));
    if (prune === undefined) return copied;
    const pruned = await withStoreAddress(to, () => gcStore(to, { ...prune, progress, signal }));
    return { ...copied, pruned };
  } catch (error) {
    if (!signal.aborted) throw error;
    if (state.isMoved) throw interruptedError(to, 'moved', error);
    throw interruptedError(to, isMoveOutcomeUnknown(error) ? 'unknown' : 'not moved', error);
  }
}

async function copyAndMove(options: CopyStoreOptions, onMoved: () => void): Promise<CopyResult> {
  const { from, to, clock, progress, signal, selection } = options;
  const tally: Tally = { objects: 0, bytes: 0, skipped: 0, replaced: [] };
  progress.begin('state');
  const { pointer, behind, targetPointer, list, releases, keys, ...survey } = await surveyStores(options);
  progress.end(pointer.revision);
  signal.throwIfAborted();

  progress.begin('copy', list.files.length + list.records.length);
  const gc = await withStoreAddress(to, () => watchGc(to, clock));
  countWritten(tally, await markStore(to, options.safety ?? { now: Date.now }));
  await copyAll(options, list, tally);
  const proof = { ...survey.proof, onWritten: (bytes: number) => countWritten(tally, bytes) };
  if (keys !== undefined) await withStoreAddress(from, () => copyStatements(releases, keys, proof));
  progress.end(`${count(tally.objects, 'object')}, ${bytesWords(tally.bytes)} new`);

  if (targetPointer?.value.sha256 !== pointer.sha256) {
    signal.throwIfAborted();
    await gc.assertNothingDeleted();
    progress.begin('commit');
    countWritten(tally, await moveTarget(to, pointer, targetPointer, signal));
    progress.end(`sequence ${pointer.sequence}`);
  }
  onMoved();
  const refreshed = await withStoreAddress(to, () => refreshCopies(to, progress, signal));
  if (keys !== undefined) await withStoreAddress(from, () => copyCurrentTrust(keys.value, proof));
  const written = { objects: tally.objects + refreshed.objects, bytes: tally.bytes + refreshed.bytes };
  const { revision, sequence, sha256 } = pointer;
  const { skipped, replaced } = tally;
  return {
    outcome: written.objects === 0 ? 'unchanged' : 'copied',
    from: from.address,
    to: to.address,
    revision,
    sequence,
    sha256,
    ...(selection === undefined ? {} : { behind }),
    written,
    skipped,
    mended: replaced.sort(),
  };
}

type Survey = {
  /** The release to copy. */
  readonly pointer: Pointer;
  readonly behind: number;
  readonly targetPointer: ReadPointer | undefined;
  readonly list: CopyList;
  readonly releases: readonly StoredRelease[];
  readonly proof: Omit<CopyTrustOptions, 'onWritten'>;
  /** The key set of the source, if its releases are signed. */
  readonly keys: StoredKeySet | undefined;
};

/** Reads which objects there are to copy, and the release that the target has. Checks that the target has room. */
async function surveyStores({ from, to, clock, prune, selection, trust }: CopyStoreOptions): Promise<Survey> {
  await assertStore(from);
  // Read the target before the source's releases: otherwise another copy could bring it one that is newer than those.
  const targetPointer = await readTargetPointer(to);
  const [pointer, head] = await withStoreAddress(from, () =>
    Promise.all([readPointer(from), from.head(POINTER_KEY)]),
  );
  if (pointer === undefined || head === undefined) {
    throw new GeneratorError('usage', `${from.address} has no release yet. Publish one first.`, {
      next: ['publish', '--help'],
    });
  }
  const history = await withStoreAddress(from, () => readReleases(from, pointer.value));
  const nowMs = head.answeredAtMs;
  const target = targetPointer?.value;
  const behind = selectRelease(history, selection, { nowMs, target, from });
  const releases = history.slice(behind);
  const selected = behind === 0 ? pointer.value : (pointerTo(history[behind]) ?? pointer.value);
  await withStoreAddress(from, () => assertStructure(from, selected, releases));
  // Against an anchor, the source is not trusted, so that its clock does not count.
  const startedAt = clock();
  const now = trust?.now ?? ((): number => nowMs + clock() - startedAt);
  const proof = { from, to, trust: trust?.anchor, now };
  const keys = await withStoreAddress(from, () => readSourceKeys(pointer.value, proof));
  const index = await indexOfTarget(from, to, releases, target);
  const list = await withStoreAddress(from, () =>
    listCopyItems(from, {
      releases,
      targetIndex: index,
      nowMs,
      isPruned: prune !== undefined,
    }),
  );
  await assertSpaceForFiles(to, sizesOf(list, releases[0]));
  return { pointer: selected, behind, targetPointer, list, releases, proof, keys };
}

function pointerTo(release: StoredRelease | undefined): Pointer | undefined {
  if (release === undefined) return undefined;
  const { revision, sequence } = release.record;
  return { schema: 'pointer/1', revision, sequence, sha256: release.sha256 };
}

/** Copies the files, then the records. */
async function copyAll(
  { from, to, progress, signal }: CopyStoreOptions,
  { files, records }: CopyList,
  tally: Tally,
): Promise<void> {
  const copy = async (item: CopyItem): Promise<void> => {
    signal.throwIfAborted();
    const { outcome, bytes } = await copyObject(from, to, item);
    countWritten(tally, bytes);
    tally.skipped += outcome === 'skipped' ? 1 : 0;
    if (outcome === 'replaced') tally.replaced.push(item.key);
    progress.advance();
  };
  let minBytes = -1;
  for (const { maxBytes, concurrency } of CONCURRENCY) {
    const group = files.filter(({ bytes = 0 }) => bytes > minBytes && bytes <= maxBytes);
    await pMap(group, copy, { concurrency });
    minBytes = maxBytes;
  }
  await pMap(records, copy, { concurrency: RECORD_CONCURRENCY });
}

/** Moves the target's pointer and returns its size. */
async function moveTarget(
  to: ObjectStore,
  pointer: Pointer,
  targetPointer: ReadPointer | undefined,
  signal: AbortSignal,
): Promise<number> {
  const move = await movePointer(to, pointer, { expected: targetPointer?.etag ?? null, signal });
  return assertMoved(
    to,
    move,
    (current) =>
      `Another run moved the pointer of ${to.address} to ${current}, so this run did not move it. Run again.`,
  );
}

function countWritten(tally: Tally, bytes: number): void {
  tally.objects += bytes > 0 ? 1 : 0;
  tally.bytes += bytes;
}

function interruptedError(
  to: ObjectStore,
  move: 'not moved' | 'unknown' | 'moved',
  cause: unknown,
): GeneratorError {
  const what = {
    'not moved':
      'was not moved: nothing visible has changed. Run again; the copy continues where it stopped.',
    unknown: 'may have been moved. Run status there.',
    moved: 'names the copied release. Some public copies may be outdated: run again.',
  }[move];
  return new GeneratorError('interrupted', `interrupted: the pointer of ${to.address} ${what}`, { cause });
}

const HOUR_MS = 3_600_000;

/**
 * The release to copy: the newest one that was published at least this long ago, or the one with this revision. `now` is
 * the machine's clock, which counts only if the source has no clock of its own.
 */
type Selection = { readonly delayHours: number; readonly now: () => number } | { readonly revision: string };

/** Options for `selectRelease`. */
type SelectOptions = {
  readonly from: ObjectStore;
  /** The time up to which the source may have collected garbage. */
  readonly nowMs: number;
  /** The pointer of the target, if it has one. */
  readonly target: Pointer | undefined;
};

/**
 * Returns the index of the release to copy in the source's releases, newest first. A delayed copy keeps a later release that
 * the target already has.
 * @throws GeneratorError 'usage' if there is no such release, garbage collection may have deleted its files, or the
 * target has a later one.
 */
function selectRelease(
  releases: readonly StoredRelease[],
  selection: Selection | undefined,
  options: SelectOptions,
): number {
  const { nowMs, target } = options;
  const from = options.from.address;
  if (selection === undefined) return 0;
  const current = releases.findIndex(({ sha256 }) => sha256 === target?.sha256);
  const isDelayed = 'delayHours' in selection;
  const index = isDelayed
    ? findDelayed(releases, readClock(options.from, selection.now).nowMs - selection.delayHours * HOUR_MS)
    : releases.findIndex(({ record }) => record.revision === selection.revision);
  if (isDelayed && current >= 0 && (index < 0 || index > current)) return current;
  const release = releases[index];
  if (release === undefined)
    throw isDelayed
      ? usage(
          `${from} has no release that was published ${count(selection.delayHours, 'hour')} ago or earlier and that no rollback undid. Run again later.`,
          RUN_AGAIN,
        )
      : usage(
          `There is no release ${selection.revision} in ${from}. ${PUBLIC_PATHS.changes} lists the releases.`,
        );
  if (current >= 0 && current < index)
    throw usage(
      `The target already has ${target?.revision ?? ''}, a later release than ${release.record.revision}. A copy never goes back: choose another target.`,
    );
  if (!isRetained(release, index, nowMs))
    throw usage(
      `Release ${release.record.revision} is no longer kept in full in ${from}. Choose a later one.`,
    );
  return index;
}

/** Returns the index of the newest release that was published by this time and is not undone; -1 if there is none. */
function findDelayed(releases: readonly StoredRelease[], byMs: number): number {
  const undone = findUndone(releases);
  return releases.findIndex(
    ({ record }, index) => (parseInstant(record.published_at) ?? Infinity) <= byMs && !undone.has(index),
  );
}

/** Returns the indexes of the releases between a rollback and its target. A rollback that is undone itself undoes nothing. */
function findUndone(releases: readonly StoredRelease[]): Set<number> {
  const undone = new Set<number>();
  releases.forEach(({ record: { changes } }, index) => {
    if (changes.rollback === null || undone.has(index)) return;
    const target = releases.findIndex(({ record }) => record.revision === changes.rollback);
    for (let between = index + 1; between < target; between += 1) undone.add(between);
  });
  return undone;
}

function usage(message: string, next?: NextWords): GeneratorError {
  return new GeneratorError('usage', `${message} Nothing was copied.`, { next });
}

/**
 * Checks what a verification checks of the files that list others: the pointer, the manifests of days, and the public lists
 * of files and of changes. Precondition: `releases` begins with the record that the pointer's digest names.
 * @throws GeneratorError 'damaged' for the first fault.
 */
async function assertStructure(
  store: ObjectStore,
  { revision, sequence }: Pointer,
  releases: readonly StoredRelease[],
): Promise<void> {
  const [current] = releases;
  if (current?.record.revision !== revision || current.record.sequence !== sequence)
    throw damaged(POINTER_KEY, 'does not name the revision and sequence of its record');
  const { record } = current;
  const manifests = new Map<string, Manifest>();
  for (const [path, { sha256, bytes }] of Object.entries(record.manifests)) {
    const body = await readArtifact(store, sha256, bytes);
    const key = objectKey(sha256);
    if (body.length !== bytes) throw damaged(key, `has ${body.length} bytes, not the ${bytes} listed`);
    manifests.set(path, parseStored(key, 'manifest', body));
  }
  const changes = releases.map((release) => release.record.changes);
  const [fault] = [...checkListing({ record, manifests }), ...checkIndexes(record, changes)];
  if (fault !== undefined) throw damaged(fault.key, fault.message);
}
