import { StoreError, type ObjectStore } from '../../infra/store/object-store.js';
import { wordsOfOption } from '../../infra/process/shell-command.js';
import { GeneratorError, type NextWords } from '../core/generator-error.js';
import type { PlannedRelease } from '../core/release/plan-types.js';
import type { Progress } from '../run/progress.js';
import { refreshTrustFiles, type Signing } from '../signing/signing.js';
import { isMoveOutcomeUnknown } from '../state/move-pointer.js';
import { readAliasSequence, readPointer, type StartingPoint } from '../state/published-state.js';
import { applyRelease, type ApplyOptions } from './apply-release.js';
import { refreshAliases } from './refresh-aliases.js';
import type { Writing, Written } from './release-writing.js';

/** A release to publish, if there is one, and the state that it was planned from. */
export type ReleaseToPublish = {
  readonly release: PlannedRelease | undefined;
  readonly start: StartingPoint;
  /** The writing that began while the release was planned, if any. */
  readonly writing?: Writing | undefined;
};

/** Options for `publishRelease`. `now` returns milliseconds since the epoch. */
export type PublishReleaseOptions = {
  readonly now: () => number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
  /** Present if the releases of the store are signed. */
  readonly signing?: Signing | undefined;
};

/**
 * Writes and commits the planned release, if there is one, then refreshes the public copies if they are outdated, and the files
 * by which readers verify the release.
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
  const copies = isOutdated ? await refreshAliases(store, progress, signal) : NOTHING;
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
export type CommitState = 'nothing' | 'not committed' | 'committed' | 'unknown';

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
