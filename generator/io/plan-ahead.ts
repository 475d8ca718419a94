import { GENRES } from '../../schemas/catalog.js';
import { countDates } from '../core/release/may-plan-ahead.js';
import { nextStamp, planSteps } from '../core/release/plan-release.js';
import type { Plan, PlanRequest } from '../core/release/plan-types.js';
import { writersFingerprint } from '../core/release/writers-fingerprint.js';
import { draftInThreads } from './draft-threads.js';
import { beginWriting, type Writing, type WriteTerms } from './release-writing.js';
import { runInterruptibly } from './run-interruptibly.js';

/**
 * Plans a first release, and writes its day files while it is planned. The stage of the plan, which has begun, ends
 * here; that of writing is left open.
 * @throws GeneratorError as drafting and writing do; the reason of the signal once that is aborted.
 */
export async function planAhead(
  request: PlanRequest,
  terms: WriteTerms,
): Promise<{ readonly plan: Plan; readonly writing: Writing }> {
  terms.progress.end('a first release: written as it is planned');
  const writing = await beginWriting(terms, countDates(request) * GENRES.length);
  const stamp = nextStamp(undefined, request.asOfMs);
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(terms.signal ? [terms.signal] : [])]);
  const drafting = draftInThreads(request.inputs, stamp, writing, { ...terms, signal });
  try {
    writersFingerprint(request.texts); // made once: now, while this thread has nothing else to do
  } catch (error) {
    stop.abort(error);
  }
  const drafted = await drafting;
  const plan = await runInterruptibly(planSteps({ ...request, drafted }), terms.signal);
  return { plan, writing };
}
