import type { ChainChart } from '../../../generator/core/artifacts/chart-files.js';
import { addDays } from '../../../schemas/dates.js';
import { currentMethodology } from '../../../schemas/methodology.js';
import type { RegimeLabel } from '../../../schemas/types.generated.js';

/** The first day of the charts in tests. */
export const FIRST = '2025-03-01';
/** The release that the charts name. */
export const ORIGIN = { revision: '2026-03-01.000001', methodologyVersion: 'v1' } as const;

export type ChartDay = ChainChart['days'][number];

/** Creates a day with a label and its position on both axes. */
export function chartDay(
  t: number,
  label: RegimeLabel,
  demand: number | null = 0.5,
  pressure: number | null = -0.5,
): ChartDay {
  const axis = (z: number | null): { z: number | null; level: 'normal' | null } => ({
    z,
    level: z === null ? null : 'normal',
  });
  const axes = { demand: axis(demand), pressure: axis(pressure) };
  return { date: addDays(FIRST, t), regime: { label, since: FIRST, axes } };
}

/** Creates days with the same label and changing axes. */
export function chartDays(count: number, label: RegimeLabel = 'steady'): ChartDay[] {
  return Array.from({ length: count }, (_, t) => chartDay(t, label, Math.sin(t / 9), Math.cos(t / 20) / 3));
}

/** Draws the chart of these days of base. */
export function chartOf(days: readonly ChartDay[]): ChainChart {
  return { chain: 'base', days, thresholds: currentMethodology().levels, origin: ORIGIN };
}
