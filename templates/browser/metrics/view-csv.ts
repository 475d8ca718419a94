import type { Run } from '../../../generator/core/charts/chart-series.js';
import type { MetricLine } from '../../../generator/core/charts/metric-scene.js';
import type { ChartWindow } from '../../../generator/core/charts/scenes.js';
import { type CellType, csvLine } from '../../../generator/core/text/csv.js';
import { isCounted } from '../../../schemas/catalog.js';
import { toDate } from '../../../schemas/dates.js';
import type { RegimeRuns } from './metric-data.js';

/** Returns the days of a window on which any line has a value as CSV (RFC 4180), with all digits and the regime of each chain. */
export function toViewCsv(lines: readonly MetricLine[], runs: RegimeRuns, { from, to }: ChartWindow): string {
  const chains = [...new Set(lines.map(({ chain }) => chain))];
  const columns: { readonly name: string; readonly type: CellType }[] = [
    { name: 'date', type: 'date' },
    ...chains.map((chain) => ({
      name: chains.length > 1 ? `${chain}_regime` : 'regime',
      type: 'string' as const,
    })),
    ...lines.map(({ chain, metric }) => ({
      name: `${chain}_${metric}`,
      type: isCounted(metric) ? ('integer' as const) : ('number' as const),
    })),
  ];
  const rows = Array.from({ length: to - from }, (_, i) => from + i).flatMap((day) => {
    const values = lines.map((line) => valueOn(line, day));
    if (values.every((value) => value === null)) return [];
    const regimes = chains.map((chain) => runOn(runs.get(chain) ?? [], day)?.label ?? null);
    return [csvLine(columns, [toDate(day), ...regimes, ...values])];
  });
  return [columns.map(({ name }) => name).join(','), ...rows, ''].join('\r\n');
}

/** Returns the value of a line on a day. */
export function valueOn({ first, values }: MetricLine, day: number): number | null {
  return values[day - first] ?? null;
}

/** Returns the run that a day belongs to. */
export function runOn(runs: readonly Run[], day: number): Run | undefined {
  let [low, high] = [0, runs.length - 1];
  while (low <= high) {
    const middle = (low + high) >> 1;
    const run = runs[middle];
    if (run === undefined) return undefined;
    if (day < run.from) high = middle - 1;
    else if (day >= run.to) low = middle + 1;
    else return run;
  }
  return undefined;
}
