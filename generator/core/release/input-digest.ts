import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { metricsWithValues, sourceOn, type InputSeries } from '../input/input-series.js';

/** A commitment to the input of a chain: its rows as values, not as text, and their sources. */
export type InputDigest = {
  readonly rows: number;
  readonly sha256: string;
};

/**
 * Returns a function from date to the SHA-256 over the canonical rows up to and including it. A metric without any
 * value counts like a metric without a column; a date without a row contributes nothing.
 */
export function createInputDigest(series: InputSeries): (date: string) => InputDigest {
  const known = DIGESTS.get(series) ?? digestRows(series);
  DIGESTS.set(series, known);
  return known;
}

/** The function of each series: its rows are written as text once. */
const DIGESTS = new WeakMap<InputSeries, (date: string) => InputDigest>();

function digestRows(series: InputSeries): (date: string) => InputDigest {
  const columns = metricsWithValues(series).map((metric) => [metric, series.metrics[metric]] as const);
  const rows: { readonly date: string; readonly text: string }[] = [];
  series.dates.forEach((date, t) => {
    if (!series.present[t]) return;
    const metrics: Record<string, number> = {};
    for (const [metric, column] of columns) {
      const value = column?.[t] ?? null;
      if (value !== null) metrics[metric] = value;
    }
    rows.push({ date, text: canonicalJson({ date, metrics, source: sourceOn(series, date)?.name ?? null }) });
  });
  return (through) => {
    const covered = rows.filter(({ date }) => date <= through);
    return { rows: covered.length, sha256: sha256Hex(covered.map(({ text }) => `${text}\n`).join('')) };
  };
}
