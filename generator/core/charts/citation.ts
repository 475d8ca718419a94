import { CHAINS } from '../../../schemas/catalog.js';
import { dayWords } from '../../../schemas/words.js';
import { headingOf, type MetricLine } from './metric-scene.js';

/** Who is cited for a chart. */
type CitedSource = {
  /** Name of the site. */
  readonly publisher: string;
  /** Names of the sources of the first metric's chain. */
  readonly sources: string;
  /** Address of the chart; empty if it is unknown. */
  readonly address: string;
};

/** Returns the line by which a reader cites a chart of metrics. */
export function citationOf(
  lines: readonly MetricLine[],
  { publisher, sources, address }: CitedSource,
): string {
  const last = Math.min(...lines.map(lastDayOf));
  const [one, other] = lines;
  const from =
    one === undefined || other === undefined || one.chain === other.chain
      ? `Source of the metrics: ${sources}.`
      : `Source of the metrics of ${CHAINS[one.chain].name}: ${sources}; the page of ${CHAINS[other.chain].name} names its own.`;
  const place = address === '' ? '' : ` ${address}`;
  return `${publisher}, “${headingOf(lines)}”, data through ${dayWords(last)}. ${from}${place}`;
}

/** Returns the last day on which a metric has a value. */
function lastDayOf({ first, values }: MetricLine): number {
  return (
    first +
    Math.max(
      0,
      values.findLastIndex((value) => value !== null),
    )
  );
}
