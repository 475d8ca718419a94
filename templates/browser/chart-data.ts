import { toSeries, type ChartSeries } from '../../generator/core/charts/chart-series.js';
import type { Chart } from '../../schemas/types.generated.js';

/** Reads the data of charts. @throws Error if one cannot be read. */
export async function fetchSeries(paths: readonly string[]): Promise<ChartSeries[]> {
  const charts = paths.map(async (path) => {
    const response = await fetch(path);
    if (!response.ok) throw new Error(`${path}: ${response.status}`);
    return toSeries((await response.json()) as Chart); // our own file, checked against its schema when it was published
  });
  return Promise.all(charts);
}
