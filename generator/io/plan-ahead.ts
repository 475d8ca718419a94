import { GENRES } from '../../schemas/catalog.js';
import { nextStamp, planSteps } from '../core/release/plan-release.js';
import type { Plan, PlanRequest } from '../core/release/plan-types.js';
import { writersFingerprint } from '../core/release/writers-fingerprint.js';
import { draftInThreads } from './draft-threads.js';
import { beginWriting, type Writing, type WriteTerms } from './release-writing.js';
import { runInterruptibly } from './run-interruptibly.js';

/** Fewest dates that are worth the start of threads. */
const FEWEST_DATES = 1_000;

/** Whether a plan is long, and nothing can refuse it: there is nothing to restate or drop, and no fault withholds it. */
export function mayPlanAhead({ previous, inputs, inputInvalid, allOrNothing }: PlanRequest): boolean {
  const withheld = inputInvalid === true && allOrNothing === true;
  return previous === undefined && !withheld && datesOf(inputs) >= FEWEST_DATES;
}

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
  const writing = await beginWriting(terms, datesOf(request.inputs) * GENRES.length);
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

function datesOf(inputs: PlanRequest['inputs']): number {
  return inputs.reduce((sum, { dates }) => sum + dates.length, 0);
}
