import type { ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { applyRelease, type Written } from './apply-release.js';
import type { PreparedPlan } from './prepare-plan.js';
import type { Progress } from './progress.js';
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
  { plan, start }: PreparedPlan,
  terms: PublishTerms,
): Promise<Written> {
  let written: Written = { objects: 0, bytes: 0 };
  let committed = false;
  try {
    if (plan.release !== undefined) {
      written = await applyRelease({
        ...terms,
        store,
        release: plan.release,
        etag: start.pointer?.etag ?? null,
      });
      committed = true;
    }
    const sequence = plan.release?.record.sequence ?? start.pointer?.value.sequence ?? 0;
    if (plan.release === undefined && start.aliasSequence === sequence) return written;
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
