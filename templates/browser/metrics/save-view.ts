import { headingOf, type MetricLine } from '../../../generator/core/charts/metric-scene.js';
import { type ChartWindow, type Scene, windowWords } from '../../../generator/core/charts/scenes.js';
import { toSvgFile } from '../../../generator/core/charts/svg-text.js';
import { toDate } from '../../../schemas/dates.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { Format } from '../chart-tools.js';
import { currentScheme, saveFile } from '../dom.js';
import { paintChart } from '../paint-chart.js';
import type { RegimeRuns } from './metric-data.js';
import { toViewCsv } from './view-csv.js';

/** What a chart of metrics shows now. */
type ShownView = {
  readonly chain: Chain;
  readonly lines: readonly MetricLine[];
  readonly runs: RegimeRuns;
  readonly window: ChartWindow;
  readonly scene: Scene;
  readonly citation: string;
};

/** Saves what a chart of metrics shows. */
export function saveView(format: Format, { chain, lines, runs, window, scene, citation }: ShownView): void {
  const names = lines.map((line) => `${line.chain}-${line.metric.replaceAll('_', '-')}`).join('-');
  const file = `${names}-${toDate(window.from)}-${toDate(window.to - 1)}.${format.toLowerCase()}`;
  const heading = headingOf(lines);
  const subheading = `${windowWords(window)}, UTC days. ${citation}`;
  if (format === 'CSV') {
    saveFile(file, new Blob([toViewCsv(lines, runs, window)], { type: 'text/csv' }));
  } else if (format === 'SVG') {
    const options = {
      name: chain,
      label: heading,
      description: subheading,
      heading,
      subheading,
      scheme: currentScheme(),
    };
    saveFile(file, new Blob([toSvgFile(scene, options)], { type: 'image/svg+xml' }));
  } else {
    paintChart(scene, heading, subheading, currentScheme()).toBlob((body) => {
      if (body !== null) saveFile(file, body);
    });
  }
}
