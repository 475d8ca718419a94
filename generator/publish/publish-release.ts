import { bytesWords, count } from '../../schemas/words.js';
import { type Etag, type ObjectStore, StoreError } from '../../infra/store/object-store.js';
import type { SafetyOptions } from '../../infra/store/store-safety.js';
import { wordsOfOption } from '../../infra/process/shell-command.js';
import { GeneratorError, type NextWords } from '../core/generator-error.js';
import type { PlannedRelease } from '../core/release/plan-types.js';
import type { Progress } from '../run/progress.js';
import { refreshTrustFiles, type Signing, signRelease } from '../signing/signing.js';
import { assertMoved, isMoveOutcomeUnknown, movePointer } from '../state/move-pointer.js';
import { readAliasSequence, readPointer, type StartingPoint } from '../state/published-state.js';
import { releaseKey } from '../../schemas/paths.js';
import { findSchemaFaults } from '../../schemas/validate.js';
import { readNextHistory } from '../signing/signed-history.js';
import {
  type FileInfo,
  metaOf,
  putImmutable,
  toBody,
  writeBody,
  type WriteResult,
} from '../state/stored-json.js';
import pMap from 'p-map';
import type { Artifact } from '../core/artifacts/artifact.js';
import { type GcWatch, watchGc } from '../state/gc-lease.js';
import { refreshCopies, type Written } from './refresh-copies.js';
import { markStore } from '../state/store-mark.js';

/** A release to publish, if there is one, and the state that it was planned from. */
type ReleaseToPublish = {
  readonly release: PlannedRelease | undefined;
  readonly start: StartingPoint;
  /** The writing that began while the release was planned, if any. */
  readonly writing?: Writing | undefined;
};

/** Options for `publishRelease`. */
type PublishReleaseOptions = SafetyOptions & {
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Present if the releases of the store are signed. */
  readonly signing?: Signing | undefined;
};

/**
 * Writes and commits the planned release, if there is one, then refreshes the public copies if they are outdated, and the files
 * by which readers verify the release.
 *
 * - Nothing is written while garbage collection runs, and nothing is committed if it deleted since.
 * - Every file, the record and the statement are in the store before the pointer moves. The move is the commit.
 * - The pointer moves only if it is still the one that the release was planned from.
 * - Public copies follow the pointer, never a plan: runs at the same time cannot put back an older copy.
 * - A run that stops after the commit leaves copies that the next run refreshes, also one without a release.
 *
 * @throws GeneratorError 'interrupted' if it ended early because of `signal`; its message says whether the release was
 * committed, or that this is unknown.
 */
export async function publishRelease(
  store: ObjectStore,
  { release, start, writing }: ReleaseToPublish,
  options: PublishReleaseOptions,
): Promise<Written> {
  const { signal } = options;
  const etag = start.pointer?.etag ?? null;
  const written =
    release === undefined
      ? NOTHING
      : await commitRelease({ ...options, store, release, etag, writing }, signal);
  const isOutdated = release !== undefined || start.aliasSequence !== (start.pointer?.value.sequence ?? 0);
  try {
    const refreshed = await refreshPublic(store, isOutdated, options);
    if (isOutdated) signal.throwIfAborted();
    return addCounts(written, refreshed);
  } catch (error) {
    if (signal.aborted) throw interruptedError(release ? 'committed' : 'nothing', error);
    throw release === undefined ? error : committedError(release.record.revision, error);
  }
}

const NOTHING: Written = { objects: 0, bytes: 0 };

/** Refreshes the public copies if they are outdated, and the files by which readers verify a signed release. */
async function refreshPublic(
  store: ObjectStore,
  isOutdated: boolean,
  { progress, signal, signing }: PublishReleaseOptions,
): Promise<Written> {
  const copies = isOutdated ? await refreshCopies(store, progress, signal) : NOTHING;
  return addCounts(copies, signing === undefined ? NOTHING : await refreshTrustFiles(store, signing));
}

function addCounts(one: Readonly<Written>, other: Readonly<Written>): Written {
  return { objects: one.objects + other.objects, bytes: one.bytes + other.bytes };
}

/** Refreshes the public copies if they are outdated, and the timestamp. Also for runs that must not publish. */
export async function refreshPublished(store: ObjectStore, options: PublishReleaseOptions): Promise<void> {
  const [pointer, sequence] = await Promise.all([readPointer(store), readAliasSequence(store)]);
  await refreshPublic(store, pointer !== undefined && pointer.value.sequence !== sequence, options);
}

/** Returns an error that occurred after the commit, with a message that first says that the release is published. */
function committedError(revision: string, error: unknown): unknown {
  if (!(error instanceof StoreError) && !(error instanceof GeneratorError)) return error;
  const message = `${revision} is published, but its public copies were not refreshed; the next run tries again: ${error.message}`;
  if (error instanceof StoreError) return new StoreError(error.code, message, { cause: error });
  const { exit, fault, next } = error;
  return new GeneratorError(exit, message, { cause: error, fault, next });
}

async function commitRelease(options: ApplyOptions, signal: AbortSignal): Promise<Written> {
  try {
    signal.throwIfAborted();
    return await applyRelease(options);
  } catch (error) {
    if (!signal.aborted) throw error;
    throw interruptedError(isMoveOutcomeUnknown(error) ? 'unknown' : 'not committed', error);
  }
}

/** Outcome of the commit in an interrupted run; `nothing` if it had no release to commit. */
type CommitState = 'nothing' | 'not committed' | 'committed' | 'unknown';

/** Returns the error that ends an interrupted publish. */
export function interruptedError(state: CommitState, cause: unknown): GeneratorError {
  const what = {
    nothing:
      'not committed: there was nothing to commit. Some public copies may be outdated; the next run refreshes them.',
    'not committed': 'not committed: nothing visible has changed. Run again.',
    committed:
      'committed: the release is published. Some public copies may be outdated; the next run refreshes them.',
    unknown: 'unknown: run status to see whether the release was committed. The store did not answer.',
  }[state];
  const next: NextWords =
    state === 'unknown' ? (args) => ['status', ...wordsOfOption(args, '--store')] : undefined;
  return new GeneratorError('interrupted', `interrupted: ${what}`, { cause, next });
}

/** Options for `applyRelease`. */
type ApplyOptions = WriteOptions & {
  readonly release: PlannedRelease;
  /** Etag of the pointer that the release was planned from; `null` if there was no pointer. */
  readonly etag: Etag | null;
  /** The writing that began while the release was planned, if any. */
  readonly writing?: Writing | undefined;
  /** Present if the releases of the store are signed. */
  readonly signing?: Signing | undefined;
};

/**
 * Writes a release in the order of the protocol: store mark, artifacts, release record, statement, pointer. Moving the
 * pointer commits the release; until then it is invisible to readers. So no pointer names an unsigned release.
 * @throws GeneratorError 'conflict' if another release was committed first or garbage collection was running, and
 * 'store-unavailable' if it is unknown whether the release was committed.
 */
export async function applyRelease(options: ApplyOptions): Promise<Written> {
  const { progress, release, signal } = options;
  const writing = options.writing ?? (await beginWriting(options, release.artifacts.length));
  await writeArtifacts(writing, release.artifacts, options);

  progress.begin('record');
  await writeRecord(writing, options);
  await writeStatement(writing, options);
  progress.end(release.record.revision);

  signal?.throwIfAborted();
  await writing.gc.assertNothingDeleted();
  progress.begin('commit');
  countWrite(writing, 'created', await commit(options));
  progress.end(`sequence ${release.record.sequence}`);
  return writing.written;
}

async function writeRecord(writing: Writing, { store, release }: ApplyOptions): Promise<void> {
  const key = releaseKey(release.record.revision, release.sha256);
  const [fault] = findSchemaFaults('release-record', release.record);
  if (fault !== undefined) {
    throw new GeneratorError(
      'artifact-invalid',
      `${key} at ${fault.pointer}: ${fault.message}. Nothing was published. This is a bug in the generator: please report it.`,
    );
  }
  const body = Buffer.from(release.recordText, 'utf8');
  countWrite(writing, await putImmutable(store, key, body, release.sha256, metaOf(key)), body.length);
}

async function writeStatement(writing: Writing, { store, release, signing }: ApplyOptions): Promise<void> {
  if (signing === undefined) return;
  const history = await readNextHistory(store, release, signing.keySet);
  const bytes = await signRelease(store, signing, { release, history, isExposed: true });
  countWrite(writing, bytes > 0 ? 'created' : 'exists', bytes);
}

/** Moves the pointer to the release and returns the size of the pointer. */
async function commit({ store, release, etag, signal }: ApplyOptions): Promise<number> {
  const { revision, sequence } = release.record;
  const named = { revision, sequence, sha256: release.sha256 };
  const move = await movePointer(store, named, { expected: etag, signal });
  return assertMoved(
    store,
    move,
    (revision) =>
      `Another run moved the pointer to ${revision} in the meantime, so this release was not published. Run again.`,
  );
}

/** Number of artifacts written at a time. Fewer large ones, so that memory stays bounded. */
const WRITE_CONCURRENCY = 64;
const LARGE_CONCURRENCY = 2;
const LARGE_BYTES = 65_536;

/** A file to write. `body` returns its validated bytes when it is about to be written. */
export type FileToWrite = FileInfo & { readonly body: () => Uint8Array | Promise<Uint8Array> };

/** Options for writing a release. */
export type WriteOptions = SafetyOptions & {
  readonly store: ObjectStore;
  readonly progress: Progress;
  readonly signal?: AbortSignal;
};

/** A publish in progress. It is invisible to readers until its commit. */
export type Writing = {
  readonly gc: GcWatch;
  readonly written: Written;
  /** Number of this release's files that the store has so far, including those that it had before. */
  files: number;
};

/**
 * Starts a publish: starts the watch for garbage collection, marks the store, and opens the stage of `total` artifacts.
 * @throws GeneratorError 'conflict' if a garbage collection is running.
 */
export async function beginWriting(options: WriteOptions, total: number): Promise<Writing> {
  const { store, progress, now } = options;
  progress.begin('mark');
  const gc = await watchGc(store, now);
  const bytes = await markStore(store, options);
  progress.end();
  progress.begin('write', total);
  return { gc, written: { objects: bytes > 0 ? 1 : 0, bytes }, files: 0 };
}

/** Writes files as they arrive, `concurrency` at a time. */
export async function writeFiles(
  writing: Writing,
  files: Iterable<FileToWrite> | AsyncIterable<FileToWrite>,
  { store, progress, signal }: WriteOptions,
  concurrency = WRITE_CONCURRENCY,
): Promise<void> {
  const write = async (file: FileToWrite): Promise<void> => {
    signal?.throwIfAborted();
    countWrite(writing, await writeBody(store, file, await file.body()), file.bytes);
    writing.files += 1;
    progress.advance();
  };
  await pMap(files, write, { concurrency });
}

/** Writes the artifacts of the release in addition to the files already written, and ends the stage. */
export async function writeArtifacts(
  writing: Writing,
  artifacts: readonly Artifact[],
  options: WriteOptions,
): Promise<void> {
  const { progress } = options;
  progress.expect(writing.files + artifacts.length);
  const isLarge = (artifact: Artifact): boolean => artifact.bytes > LARGE_BYTES;
  const toFiles = (some: readonly Artifact[]): FileToWrite[] =>
    some.map((artifact) => ({ ...artifact, body: () => toBody(artifact) }));
  await writeFiles(writing, toFiles(artifacts.filter((artifact) => !isLarge(artifact))), options);
  await writeFiles(writing, toFiles(artifacts.filter(isLarge)), options, LARGE_CONCURRENCY);
  progress.end(`${count(writing.files, 'file')}, ${bytesWords(writing.written.bytes)} new`);
}

/** Counts an object if this run created it. */
function countWrite({ written }: Writing, result: WriteResult, bytes: number): void {
  if (result !== 'created') return;
  written.objects += 1;
  written.bytes += bytes;
}
