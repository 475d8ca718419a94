import type { ChartSeries } from '../../generator/core/charts/chart-series.js';
import type { ChartWindow } from '../../generator/core/charts/scenes.js';
import { toDate } from '../../schemas/dates.js';

const HEADER = 'date,chain,regime,confidence,demand_z,pressure_z,missing_signals';

/** Returns the days of a window as CSV: RFC 4180, by chain and date. Days that a chain does not have are left out. */
export function toCsv(all: readonly ChartSeries[], { from, to }: ChartWindow): string {
  const rows = all.flatMap(({ chain, first, days }) =>
    days.flatMap(({ label, confidence, demand, pressure, missing }, t) => {
      const day = first + t;
      if (day < from || day >= to || label === null) return [];
      const score = label === 'indeterminate' ? '' : confidence;
      const cells = [toDate(day), chain, label, score, demand ?? '', pressure ?? '', missing.join(' ')];
      return [cells.join(',')];
    }),
  );
  return [HEADER, ...rows, ''].join('\r\n');
}
