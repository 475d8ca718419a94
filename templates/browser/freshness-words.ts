import { instantWords } from '../../schemas/words.js';
import { judgeFreshness, type FreshnessLimits } from '../../schemas/freshness.js';

/** Returns what a page says about late or stale data at a time; undefined while the data is fresh. */
export function latenessWords(
  limits: FreshnessLimits,
  atMs: number,
): { readonly state: 'late' | 'stale'; readonly words: string } | undefined {
  const state = judgeFreshness(limits, atMs);
  if (state === 'fresh') return undefined;
  const since = state === 'stale' ? limits.stale_after : limits.late_after;
  const word = state === 'stale' ? 'Stale' : 'Late';
  return { state, words: since === null ? word : `${word} since ${instantWords(since)}` };
}
