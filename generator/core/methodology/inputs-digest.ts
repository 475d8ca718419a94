import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Bytes, sha256Hex } from '../../../schemas/digest.js';
import type { MetricName } from '../../../schemas/types.generated.js';
import { columnOf, type InputSeries } from '../input/input-series.js';

const DIGEST_BYTES = 32;

/**
 * Returns a function from date index `t` to the SHA-256 over the row digests of the last `days` dates up to `t`.
 * Dates before the series contribute nothing. Each row digest is computed once, on first use.
 * Source: methodology v1 §9.
 */
export function createInputsDigest(
  series: InputSeries,
  inputs: readonly MetricName[],
  days: number,
): (t: number) => string {
  const columns = inputs.map((metric) => [metric, columnOf(series, metric)] as const);
  const digests = new Uint8Array(series.dates.length * DIGEST_BYTES);
  const isDigested = new Uint8Array(series.dates.length);

  function digestRow(t: number): void {
    const metrics = Object.fromEntries(columns.map(([metric, column]) => [metric, column[t] ?? null]));
    const row = canonicalJson({ chain: series.chain, date: series.dates[t], metrics });
    digests.set(sha256Bytes(row), t * DIGEST_BYTES);
    isDigested[t] = 1;
  }

  return (t) => {
    const first = Math.max(0, t - days + 1);
    for (let i = first; i <= t; i += 1) if (isDigested[i] === 0) digestRow(i);
    return sha256Hex(digests.subarray(first * DIGEST_BYTES, (t + 1) * DIGEST_BYTES));
  };
}
