import { parseDate } from '../../../schemas/dates.js';
import type { Chain } from '../../../schemas/types.generated.js';
import { toDecimalText } from '../../core/collection/values/decimal-text.js';
import { isJsonNumber } from '../../core/collection/values/json-digits.js';
import { toMetricValue } from '../../core/collection/values/metric-value.js';
import { describeValue, shapeError } from '../shape-error.js';
import type { GrowthepieExport } from './growthepie-exports.js';

/** The values of an export by chain and date, as exact decimal text in the catalog's unit. */
export type ExportValues = ReadonlyMap<Chain, ReadonlyMap<string, string>>;

type Row = { readonly key: string; readonly origin: string; readonly date: string; readonly value: unknown };

/**
 * Returns the values of an export. Rows in dollars and of other chains are dropped; `null` is no value. A field that was
 * added is ignored: if it split the rows, they would repeat a date.
 * @throws SourceError 'shape'
 */
export function parseExport(where: string, json: unknown, wanted: GrowthepieExport): ExportValues {
  if (!Array.isArray(json)) throw shapeError(where, 'an array of rows', describeValue(json));
  const values = new Map(wanted.chains.map((chain) => [chain as string, new Map<string, string>()]));
  const seen = new Set<string>();
  json.forEach((each: unknown, index) => {
    const at = `${where} row ${index + 1}`;
    const row = parseRow(at, each);
    if (row.key === wanted.dollarKey) return;
    if (row.key !== wanted.key) throw shapeError(at, `metric_key ${wanted.key}`, row.key);
    const ofChain = values.get(row.origin);
    if (ofChain === undefined) return;
    const id = `${row.origin} ${row.date}`;
    if (seen.has(id)) throw shapeError(at, `one row of ${id}`, 'another one');
    seen.add(id);
    const value = parseValue(`${at} (${id})`, row.value, wanted);
    if (value !== undefined) ofChain.set(row.date, value);
  });
  for (const chain of wanted.required ? wanted.chains : []) {
    if (values.get(chain)?.size === 0) throw shapeError(where, `values of ${chain}`, 'none');
  }
  return values as ReadonlyMap<Chain, ReadonlyMap<string, string>>; // its keys are `wanted.chains`
}

function parseRow(at: string, row: unknown): Row {
  if (typeof row !== 'object' || row === null) throw shapeError(at, 'an object', describeValue(row));
  const { metric_key: key, origin_key: origin, date, value } = row as Readonly<Record<string, unknown>>;
  if (typeof key !== 'string') throw shapeError(at, 'a text as metric_key', describeValue(key));
  if (typeof origin !== 'string') throw shapeError(at, 'a text as origin_key', describeValue(origin));
  if (typeof date !== 'string' || parseDate(date) === undefined) {
    throw shapeError(at, 'a date as YYYY-MM-DD', describeValue(date));
  }
  if (value === undefined) throw shapeError(at, 'a field "value"', describeValue(value));
  return { key, origin, date, value };
}

function parseValue(at: string, value: unknown, { metric, convert }: GrowthepieExport): string | undefined {
  if (value === null) return undefined;
  if (!isJsonNumber(value)) throw shapeError(at, 'a number', describeValue(value));
  const served = toDecimalText(value.number);
  const text = served === undefined || served.startsWith('-') ? value.number : convert(served);
  const result = toMetricValue(metric, text);
  if ('expected' in result) throw shapeError(at, result.expected, value.number);
  return result.value;
}
