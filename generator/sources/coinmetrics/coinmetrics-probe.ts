import { toMetricValue } from '../../core/collection/values/metric-value.js';
import type { JsonAnswer } from '../http-client.js';
import { probeReading } from '../probe-lines.js';
import { describeValue } from '../shape-error.js';
import { SourceError, type Probe } from '../source.js';
import { COMPLETION, type CoinMetricsAsset } from './coinmetrics-metrics.js';
import { parseDay, parsePage } from './page-rows.js';

const STATUSES: ReadonlySet<unknown> = new Set([undefined, null, 'flash', 'reviewed', 'revised']);

/** Options for `probeAsset`. */
type ProbeOptions = {
  readonly asset: CoinMetricsAsset;
  /** The last day that has ended. */
  readonly yesterday: string;
  readonly nowMs: number;
  /** Requests the rows of the last days. */
  readonly request: () => Promise<JsonAnswer>;
};

type Row = Readonly<Record<string, unknown>>;

/** Compares the rows of the last days with what is expected, column by column. @throws SourceError 'unavailable' */
export async function probeAsset({
  asset,
  yesterday,
  nowMs,
  request,
}: ProbeOptions): Promise<readonly Probe[]> {
  const item = `rows of ${asset.asset}`;
  const expected = 'one per day at 00:00 UTC, without dollars';
  const page = await probeReading(
    item,
    expected,
    async () => parsePage('coinmetrics', (await request()).value).rows,
  );
  if ('difference' in page) return [page.difference];
  const fault = findFault(page.value, asset, nowMs);
  const rows = page.value.filter(isRow);
  const newest =
    rows
      .map(({ time }) => String(time).slice(0, 10))
      .sort()
      .at(-1) ?? 'none';
  return [
    { item, expected, found: fault ?? `${rows.length} rows`, agrees: fault === undefined && rows.length > 0 },
    {
      item: `newest day of ${asset.asset}`,
      expected: yesterday,
      found: newest,
      agrees: newest === yesterday,
    },
    probeCompletion(rows),
    ...Object.entries(asset.metrics).map(([name, metric]): Probe => {
      const row = newestWith(rows, name);
      const [value, status] = [row?.[name], row?.[`${name}-status`]];
      const isValue = typeof value === 'string' && 'value' in toMetricValue(metric, value);
      return {
        item: `column ${name}`,
        expected: `${metric} as text, with the status flash, reviewed or revised, or none`,
        found: row === undefined ? 'no value' : `${describeValue(value)}, status ${describeStatus(status)}`,
        agrees: isValue && STATUSES.has(status),
      };
    }),
  ];
}

function probeCompletion(rows: readonly Row[]): Probe {
  const value = newestWith(rows, COMPLETION)?.[COMPLETION];
  return {
    item: `column ${COMPLETION}`,
    expected: 'Unix seconds as text',
    found: describeValue(value),
    agrees: typeof value === 'string' && /^\d{1,12}$/.test(value),
  };
}

function newestWith(rows: readonly Row[], name: string): Row | undefined {
  return rows.findLast((row) => row[name] !== undefined && row[name] !== null);
}

function describeStatus(status: unknown): string {
  return status === undefined || status === null ? 'none' : describeValue(status);
}

function findFault(rows: readonly unknown[], asset: CoinMetricsAsset, nowMs: number): string | undefined {
  try {
    for (const row of rows) parseDay('coinmetrics', row, asset, nowMs);
    return undefined;
  } catch (error) {
    if (error instanceof SourceError) return error.message;
    throw error;
  }
}

function isRow(value: unknown): value is Row {
  return typeof value === 'object' && value !== null;
}
