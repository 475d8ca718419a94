import { dayWords } from '../text/words.js';
import { headingOf, type MetricLine } from './metric-scene.js';

/** Who is cited for a chart. */
type CitedSource = {
  /** Name of the site. */
  readonly publisher: string;
  /** Names of the sources of the metrics. */
  readonly sources: string;
  /** Address of the chart; empty if it is unknown. */
  readonly address: string;
};

/** Returns the line by which a reader cites a chart of metrics. */
export function citationOf(
  lines: readonly MetricLine[],
  { publisher, sources, address }: CitedSource,
): string {
  const last = Math.max(...lines.map(({ first, values }) => first + values.length - 1));
  const place = address === '' ? '' : ` ${address}`;
  return `${publisher}, “${headingOf(lines)}”, data through ${dayWords(last)}. Metrics from ${sources}.${place}`;
}
