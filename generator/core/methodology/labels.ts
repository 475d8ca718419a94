import type { Level, Methodology, RegimeLabel } from '../../../schemas/types.generated.js';

/** The evidence that decides a day's label. */
type LabelEvidence = {
  readonly demand: Level | null;
  readonly pressure: Level | null;
  readonly hasInput: boolean;
  readonly dataQuality: number;
};

/** Returns the label of a day: `indeterminate` without enough evidence. Source: methodology v1 §5. */
export function decideLabel(evidence: LabelEvidence, methodology: Methodology): RegimeLabel {
  const { demand, pressure, hasInput, dataQuality } = evidence;
  if (demand === null || pressure === null || !hasInput) return 'indeterminate';
  if (dataQuality < methodology.data_quality.minimum) return 'indeterminate';
  return methodology.labels[demand][pressure];
}

/** A run of consecutive dates with the same label. `days` counts from its start to the date in question. */
export type Run = {
  /** Index of the first date of the run. */
  readonly start: number;
  readonly days: number;
  /** Label of the date before the run; null in the first run. */
  readonly previous: RegimeLabel | null;
};

/** Returns the run of each date, `indeterminate` runs included. Shape: one per label, same order. */
export function followRuns(labels: readonly RegimeLabel[]): Run[] {
  let start = 0;
  return labels.map((label, t) => {
    if (t > 0 && labels[t - 1] !== label) start = t;
    return { start, days: t - start + 1, previous: labels[start - 1] ?? null };
  });
}
