import type { Level, Methodology, RegimeLabel } from '../../../schemas/types.generated.js';

/** What a day's label is decided from. */
export type LabelEvidence = {
  readonly demand: Level | null;
  readonly pressure: Level | null;
  readonly hasInput: boolean;
  readonly dataQuality: number;
};

/** The label of a day; `indeterminate` without enough evidence. Source: methodology v1 §5. */
export function decideLabel(evidence: LabelEvidence, methodology: Methodology): RegimeLabel {
  const { demand, pressure, hasInput, dataQuality } = evidence;
  if (demand === null || pressure === null || !hasInput) return 'indeterminate';
  if (dataQuality < methodology.data_quality.minimum) return 'indeterminate';
  return methodology.labels[demand][pressure];
}

/** The run that a date belongs to: consecutive dates with one label. */
export type Run = {
  /** Index of the first date of the run. */
  readonly start: number;
  readonly days: number;
  /** Label of the date before the run; null in the first run. */
  readonly previous: RegimeLabel | null;
};

/** The run of each date, `indeterminate` ones included. Shape: one per label, same order. */
export function followRuns(labels: readonly RegimeLabel[]): Run[] {
  let start = 0;
  return labels.map((label, t) => {
    if (t > 0 && labels[t - 1] !== label) start = t;
    return { start, days: t - start + 1, previous: labels[start - 1] ?? null };
  });
}
