import type { ChartPoint } from '../../../generator/core/artifacts/chart-data.js';
import { addDays } from '../../../schemas/dates.js';
import type { RegimeLabel } from '../../../schemas/types.generated.js';

/** The first day of the charts in tests. */
export const FIRST = '2025-03-01';

/** Creates a day with a label and its position on both axes. */
export function chartDay(
  t: number,
  label: RegimeLabel,
  demand: number | null = 0.5,
  pressure: number | null = -0.5,
): ChartPoint {
  return { date: addDays(FIRST, t), label, confidence: 0.75, demand, pressure, missing: [] };
}

/** Creates days with the same label and changing axes. */
export function chartDays(count: number, label: RegimeLabel = 'steady'): ChartPoint[] {
  return Array.from({ length: count }, (_, t) => chartDay(t, label, Math.sin(t / 9), Math.cos(t / 20) / 3));
}
