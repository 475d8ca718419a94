import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import type { PlannedRelease } from '../core/release/plan-types.js';
import { applyRelease, type Written } from './apply-release.js';
import type { Progress } from './progress.js';
import type { StartingPoint } from './published-state.js';
import { refreshAliases } from './refresh-aliases.js';

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
  { release, start }: { readonly release: PlannedRelease | undefined; readonly start: StartingPoint },
  terms: PublishTerms,
): Promise<Written> {
  let written: Written = { objects: 0, bytes: 0 };
  let committed = false;
  try {
    if (release !== undefined) {
      written = await applyRelease({
        ...terms,
        store,
        release,
        etag: start.pointer?.etag ?? null,
      });
      committed = true;
    }
    const sequence = release?.record.sequence ?? start.pointer?.value.sequence ?? 0;
    if (release === undefined && start.aliasSequence === sequence) return written;
    const refreshed = await refreshAliases(store, terms.progress, terms.signal);
    return { objects: written.objects + refreshed.objects, bytes: written.bytes + refreshed.bytes };
  } catch (error) {
    throw terms.signal.aborted ? interruptedError(committed, error) : error;
  }
}

function interruptedError(committed: boolean, cause: unknown): GeneratorError {
  const what = committed
    ? 'committed: the release is published, some public copies may lag; the next run refreshes them'
    : 'not committed: nothing visible has changed; run again';
  return new GeneratorError('interrupted', `interrupted: ${what}`, { cause });
}
