/** Time and share of the work before which an estimate would say more about the start than about the rest. */
const MIN_ELAPSED_MS = 2_000;
const MIN_SHARE = 0.1;

/** The work of a stage so far. */
export type StageWork = { readonly elapsedMs: number; readonly done: number; readonly total: number };

/**
 * Estimates the seconds left at the mean speed since the start of the stage: at most nine times the time that has passed.
 * Returns `undefined` while it is too early to estimate.
 */
export function estimateSecondsLeft({ elapsedMs, done, total }: StageWork): number | undefined {
  if (elapsedMs < MIN_ELAPSED_MS || done === 0 || done < total * MIN_SHARE) return undefined;
  return Math.ceil((elapsedMs * Math.max(0, total - done)) / done / 1000);
}
