import type { ChartSeries } from '../../generator/core/charts/chart-series.js';
import type { ChartWindow } from '../../generator/core/charts/scenes.js';
import { csvLine } from '../../generator/core/text/csv.js';
import { toDate } from '../../schemas/dates.js';

const COLUMNS = [
  { name: 'date', type: 'date' },
  { name: 'chain', type: 'string' },
  { name: 'regime', type: 'string' },
  { name: 'confidence', type: 'number' },
  { name: 'demand_z', type: 'number' },
  { name: 'pressure_z', type: 'number' },
  { name: 'missing_signals', type: 'string' },
] as const;

/** Returns the days of a window as CSV: RFC 4180, by chain and date. Days that a chain does not have are left out. */
export function toCsv(all: readonly ChartSeries[], { from, to }: ChartWindow): string {
  const rows = all.flatMap(({ chain, first, days }) =>
    days.flatMap(({ label, confidence, demand, pressure, missing }, t) => {
      const day = first + t;
      if (day < from || day >= to || label === null) return [];
      const score = label === 'indeterminate' ? null : confidence;
      return [csvLine(COLUMNS, [toDate(day), chain, label, score, demand, pressure, missing.join(' ')])];
    }),
  );
  return [COLUMNS.map(({ name }) => name).join(','), ...rows, ''].join('\r\n');
}
