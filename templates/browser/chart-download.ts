import { toDate } from '../../schemas/dates.js';
import type { ChartSeries } from '../../generator/core/charts/chart-series.js';
import type { ChartWindow, Scene } from '../../generator/core/charts/scenes.js';
import { toSvgFile } from '../../generator/core/charts/svg-text.js';
import { toCsv } from './chart-csv.js';
import { newestDayOf, rangeWords, restingDay } from './chart-view.js';
import type { Format } from './chart-tools.js';
import { currentScheme, saveFile } from './dom.js';
import { paintChart } from './paint-chart.js';

/** What a chart shows now. */
type Shown = {
  readonly name: string;
  readonly heading: string;
  readonly all: readonly ChartSeries[];
  readonly window: ChartWindow;
  readonly scene: Scene;
};

/** Saves what a chart shows. */
export function download({ name, heading, all, window, scene }: Shown, format: Format): void {
  const newest = newestDayOf(all);
  const last = format === 'CSV' ? restingDay(window, newest) : window.to - 1; // a CSV has only days with data
  const file = `${name}-${toDate(window.from)}-${toDate(last)}.${format.toLowerCase()}`;
  const subheading = `${rangeWords(window, newest)}, UTC days`;
  const scheme = currentScheme();
  if (format === 'CSV') {
    saveFile(file, new Blob([toCsv(all, window)], { type: 'text/csv' }));
  } else if (format === 'SVG') {
    const options = { name, label: heading, description: subheading, heading, subheading, scheme };
    saveFile(file, new Blob([toSvgFile(scene, options)], { type: 'image/svg+xml' }));
  } else {
    paintChart(scene, heading, subheading, scheme).toBlob((body) => {
      if (body !== null) saveFile(file, body);
    });
  }
}
