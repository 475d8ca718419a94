import { GENRES } from '../../schemas/catalog.js';
import { countDates } from '../core/release/may-plan-ahead.js';
import { nextStamp, planSteps } from '../core/release/plan-release.js';
import type { Plan, PlanRequest } from '../core/release/plan-types.js';
import { fingerprintSteps } from '../core/release/writers-fingerprint.js';
import { assertSpaceForHistory } from '../state/disk-space.js';
import { draftInThreads } from './draft-threads.js';
import { beginWriting, type Writing, type WriteOptions } from './release-writing.js';
import { runInterruptibly } from '../run/run-interruptibly.js';

/**
 * Drafts the days of a first release in threads, writes them as they are drafted, and then plans the release from the
 * drafts. Ends the stage 'plan', which the caller began, and leaves the stage 'write' open.
 * @throws StoreError 'unavailable' if the disk has too little space; the errors of drafting and writing; the reason of the signal once it is aborted.
 */
export async function planAhead(
  request: PlanRequest,
  options: WriteOptions,
): Promise<{ readonly plan: Plan; readonly writing: Writing }> {
  const dates = countDates(request);
  await assertSpaceForHistory(options.store, { dates, chains: request.inputs.length });
  options.progress.end('first release, written while it is planned');
  const writing = await beginWriting(options, dates * GENRES.length);
  const stamp = nextStamp(undefined, request.asOfMs);
  const stop = new AbortController();
  const signal = AbortSignal.any([stop.signal, ...(options.signal ? [options.signal] : [])]);
  const drafting = draftInThreads(request.inputs, stamp, writing, { ...options, signal });
  // The fingerprint is computed while the threads draft. It is cached, so that planning does not compute it again.
  const fingerprinting = runInterruptibly(fingerprintSteps(request.texts), signal).catch((error: unknown) => {
    stop.abort(error);
  });
  const [drafted] = await Promise.all([drafting, fingerprinting]).finally(() => {
    stop.abort();
  });
  const plan = await runInterruptibly(planSteps({ ...request, drafted }), options.signal);
  return { plan, writing };
}
