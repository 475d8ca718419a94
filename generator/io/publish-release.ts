import { StoreError, type ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import type { PlannedRelease } from '../core/release/plan-types.js';
import { applyRelease, type ApplyTerms } from './apply-release.js';
import type { Progress } from './progress.js';
import { readAliasSequence, readPointer, type StartingPoint } from './published-state.js';
import type { Writing, Written } from './release-writing.js';
import { refreshAliases } from './refresh-aliases.js';
import { watchCommit } from './watched-commit.js';

/** A release to publish, when there is one, the state that it was planned from, and what was written of it already. */
export type ReleaseToPublish = {
  readonly release: PlannedRelease | undefined;
  readonly start: StartingPoint;
  readonly writing?: Writing | undefined;
};

/** What a publication may use of the outside world. */
export type PublishTerms = {
  readonly now: () => number;
  readonly progress: Progress;
  readonly signal: AbortSignal;
};

/**
 * Writes the planned release, when there is one, and brings the public copies to the current release, when they lag.
 * @throws GeneratorError 'interrupted', saying whether the release was committed, when the signal was aborted.
 */
export async function publishRelease(
  store: ObjectStore,
  { release, start, writing }: ReleaseToPublish,
  terms: PublishTerms,
): Promise<Written> {
  const { progress, signal } = terms;
  const etag = start.pointer?.etag ?? null;
  const written =
    release === undefined
      ? { objects: 0, bytes: 0 }
      : await commitRelease(store, { release, etag, writing }, terms);
  const sequence = release?.record.sequence ?? start.pointer?.value.sequence ?? 0;
  if (release === undefined && start.aliasSequence === sequence) return written;
  try {
    const refreshed = await refreshAliases(store, progress, signal);
    signal.throwIfAborted();
    return { objects: written.objects + refreshed.objects, bytes: written.bytes + refreshed.bytes };
  } catch (error) {
    if (signal.aborted) throw interruptedError(release ? 'committed' : 'nothing', error);
    throw release === undefined ? error : committedError(release.record.revision, error);
  }
}

/** Brings the public copies to the current release, when they lag. */
export async function refreshLagging(store: ObjectStore, { progress, signal }: PublishTerms): Promise<void> {
  const [pointer, sequence] = await Promise.all([readPointer(store), readAliasSequence(store)]);
  if (pointer !== undefined && pointer.value.sequence !== sequence)
    await refreshAliases(store, progress, signal);
}

/** A failure after the commit, told as one: whoever reads it must not take the release for unpublished. */
function committedError(revision: string, error: unknown): unknown {
  if (!(error instanceof StoreError) && !(error instanceof GeneratorError)) return error;
  const message = `${revision} is published, but some public copies lag; the next run refreshes them: ${error.message}`;
  if (error instanceof StoreError) return new StoreError(error.code, message, { cause: error });
  const { exit, fault } = error;
  return new GeneratorError(exit, message, { cause: error, ...(fault === undefined ? {} : { fault }) });
}

async function commitRelease(
  store: ObjectStore,
  apply: Pick<ApplyTerms, 'release' | 'etag' | 'writing'>,
  terms: PublishTerms,
): Promise<Written> {
  const commit = watchCommit(store, terms.signal);
  try {
    terms.signal.throwIfAborted();
    return await applyRelease({ ...terms, ...apply, store: commit.store });
  } catch (error) {
    if (!terms.signal.aborted) throw error;
    throw interruptedError(commit.isSent() && !isConflict(error) ? 'unknown' : 'not committed', error);
  }
}

/** Whether an interrupted run committed its release; `nothing` when it had none to commit. */
export type CommitFate = 'nothing' | 'not committed' | 'committed' | 'unknown';

/** What to say of a run that was interrupted. */
export function interruptedError(fate: CommitFate, cause: unknown): GeneratorError {
  const what = {
    nothing: 'not committed: there was nothing to commit; some public copies may lag: run again',
    'not committed': 'not committed: nothing visible has changed; run again',
    committed: 'committed: the release is published, some public copies may lag; the next run refreshes them',
    unknown: 'unknown: run status; the store did not say whether it moved the pointer',
  }[fate];
  return new GeneratorError('interrupted', `interrupted: ${what}`, { cause });
}

/** Whether the store said that another release was committed instead. */
function isConflict(error: unknown): boolean {
  return error instanceof GeneratorError && error.exit === 'conflict';
}
