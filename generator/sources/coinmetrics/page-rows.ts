import { endOfDayMs, parseDate, toDayNumber } from '../../../schemas/dates.js';
import type { MetricName } from '../../../schemas/types.generated.js';
import { toMetricValue } from '../../core/collection/values/metric-value.js';
import { describeValue, shapeError } from '../shape-error.js';
import { COMPLETION, type CoinMetricsAsset } from './coinmetrics-metrics.js';

/** A page of asset metrics. */
type Page = { readonly rows: readonly unknown[]; readonly nextUrl: string | undefined };

/** A day of an asset that is complete. */
type AssetDay = {
  readonly date: string;
  readonly values: { readonly [metric in MetricName]?: string };
};

type Row = Readonly<Record<string, unknown>>;

const MIDNIGHT = /^(\d{4}-\d{2}-\d{2})T00:00:00(?:\.0+)?Z$/;
/** Statuses of a value that is not preliminary. A metric that nobody reviews has none. */
const SETTLED: ReadonlySet<unknown> = new Set([undefined, null, 'reviewed', 'revised']);

/** Returns the rows of a page, and the URL of the next one. @throws SourceError 'shape' */
export function parsePage(where: string, json: unknown): Page {
  const { data, next_page_url: nextUrl } = toRow(where, json);
  if (!Array.isArray(data)) throw shapeError(where, 'an array "data"', describeValue(data));
  if (nextUrl !== undefined && nextUrl !== null && typeof nextUrl !== 'string') {
    throw shapeError(where, 'a text as next_page_url', describeValue(nextUrl));
  }
  return { rows: data, nextUrl: nextUrl ?? undefined };
}

/**
 * Returns the values of a row that are not preliminary, or `undefined` for the values if its day is not complete at
 * `nowMs`. Unknown fields are ignored, but a field in dollars is refused: it was not requested.
 * @throws SourceError 'shape'
 */
export function parseDay(
  where: string,
  json: unknown,
  { asset, metrics }: CoinMetricsAsset,
  nowMs: number,
): { readonly date: string; readonly values: AssetDay['values'] | undefined } {
  const row = toRow(where, json);
  const dollars = Object.keys(row).find((name) => /usd/i.test(name));
  if (dollars !== undefined) throw shapeError(where, 'no field in dollars', `the field ${dollars}`);
  if (row.asset !== asset) throw shapeError(where, `the asset ${asset}`, describeValue(row.asset));
  const date = typeof row.time === 'string' ? MIDNIGHT.exec(row.time)?.[1] : undefined;
  if (date === undefined || parseDate(date) === undefined) {
    throw shapeError(where, 'a time at 00:00 UTC', describeValue(row.time));
  }
  const at = `${where} (${date})`;
  if (!isComplete(at, row[COMPLETION], date, nowMs)) return { date, values: undefined };
  const cells = Object.entries(metrics).flatMap(([name, metric]) => {
    const value = parseCell(at, row, name, metric);
    return value === undefined ? [] : [[metric, value] as const];
  });
  return { date, values: Object.fromEntries(cells) };
}

function isComplete(at: string, completion: unknown, date: string, nowMs: number): boolean {
  if (completion === undefined || completion === null) return false;
  const completedMs =
    typeof completion === 'string' && /^\d{1,12}$/.test(completion) ? Number(completion) * 1000 : 0;
  if (completedMs < endOfDayMs(toDayNumber(date))) {
    throw shapeError(at, `${COMPLETION} in Unix seconds, after the day`, describeValue(completion));
  }
  return completedMs <= nowMs;
}

function parseCell(at: string, row: Row, name: string, metric: MetricName): string | undefined {
  const status = row[`${name}-status`];
  if (status === 'flash') return undefined;
  if (!SETTLED.has(status)) {
    throw shapeError(at, `flash, reviewed or revised as ${name}-status`, describeValue(status));
  }
  const text = row[name];
  if (text === undefined || text === null) return undefined;
  if (typeof text !== 'string') throw shapeError(at, `${name} as a text`, describeValue(text));
  const result = toMetricValue(metric, text);
  if ('expected' in result) throw shapeError(at, `${name} to be ${result.expected}`, describeValue(text));
  return result.value;
}

function toRow(where: string, json: unknown): Row {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Row; // each field is checked
  throw shapeError(where, 'an object', describeValue(json));
}
