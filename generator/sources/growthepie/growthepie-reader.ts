import type { Chain, MetricName } from '../../../schemas/types.generated.js';
import {
  createHttpClient,
  type HttpTools,
  type JsonAnswer,
  parseEndpoint,
  SYSTEM_TOOLS,
  type TransferLimits,
} from '../http-client.js';
import { createReadOnce, describeValue, NotFoundError, shapeError, SourceError } from '../source.js';
import { parseDate, parseInstant, toInstant } from '../../../schemas/dates.js';
import { isJsonNumber, multiplyToInteger, toDecimalText } from '../../core/collection/decimal.js';
import { toMetricValue } from '../../core/collection/day-values.js';

export const REQUESTS_PER_MINUTE = 8; // growthepie asks for at most 10
const MAX_MASTER_BYTES = 8_000_000;
/** The largest export, `fees`, is assumed to have at most 10 MB. */
const MAX_EXPORT_BYTES = 12_000_000;

type Response = JsonAnswer['response'];

/** Content of `master.json`: the instant of the last update. Days before its date have ended. */
export type Update = { readonly instant: string; readonly response: Response };

/** An export that was read. */
export type ReadExport = {
  readonly metric: MetricName;
  readonly values: ExportValues;
  readonly response: Response;
};

/** Reads the files of growthepie. @throws SourceError */
export type GrowthepieReader = {
  /** Reads `master.json`, once. */
  readonly readUpdate: (signal: AbortSignal) => Promise<Update>;
  /** Reads the values of an export, once. Returns `undefined` if it is not required and does not exist. */
  readonly readExport: (wanted: GrowthepieExport, signal: AbortSignal) => Promise<ReadExport | undefined>;
  /** Requests the JSON of an export. @throws NotFoundError if it does not exist. */
  readonly requestExport: (wanted: GrowthepieExport, signal: AbortSignal) => Promise<JsonAnswer>;
};

/** Options for `createGrowthepieReader`. */
type ReaderOptions = {
  readonly endpoint?: string;
  readonly limits?: TransferLimits;
  readonly tools?: HttpTools;
};

/** Creates the reader of one collection. */
export function createGrowthepieReader(options: ReaderOptions): GrowthepieReader {
  const { endpoint = 'https://api.growthepie.com', tools = SYSTEM_TOOLS, limits } = options;
  const { base } = parseEndpoint('growthepie', endpoint);
  const client = createHttpClient({
    source: 'growthepie',
    endpoint,
    pace: { requests: REQUESTS_PER_MINUTE, perMs: 60_000 },
    tools,
    ...(limits && { limits }),
  });
  const readOnce = createReadOnce();
  const requestExport: GrowthepieReader['requestExport'] = ({ id }, signal) =>
    client.getJson(`${base}/v1/export/${id}.json`, { maxBytes: MAX_EXPORT_BYTES, signal });

  return {
    requestExport,
    readUpdate: (signal) =>
      readOnce('master', async () => {
        const url = `${base}/v1/master.json`;
        const { value, response } = await client.getJson(url, { maxBytes: MAX_MASTER_BYTES, signal });
        return { instant: parseLastUpdate(`growthepie: ${url}`, value, tools.now()), response };
      }),
    readExport: (wanted, signal) =>
      readOnce(wanted.id, async () => {
        const answer = await requestExport(wanted, signal).catch((error: unknown) => {
          if (error instanceof NotFoundError && !wanted.required) return undefined;
          throw error;
        });
        if (answer === undefined) return undefined;
        const { value, response } = answer;
        const values = parseExport(`growthepie: ${response.url}`, value, wanted);
        return { metric: wanted.metric, values, response };
      }),
  };
}

/** The exports are refreshed once a day; the rest allows for a delay. */
const MAX_AGE_MS = 36 * 3_600_000;
/** Tolerated difference between the clocks. */
const CLOCK_SKEW_MS = 10 * 60_000;
const WRITTEN = /^\d{4}-\d{2}-\d{2} \d{2}:\d{2}:\d{2}$/;

/**
 * Returns the instant of growthepie's last update, from `master.json`.
 * @throws SourceError 'shape', or 'not-yet' when the last update is more than 36 hours ago.
 */
function parseLastUpdate(where: string, master: unknown, nowMs: number): string {
  const isObject = typeof master === 'object' && master !== null;
  const text = isObject && 'last_updated_utc' in master ? master.last_updated_utc : undefined;
  const updatedMs =
    typeof text === 'string' && WRITTEN.test(text) ? parseInstant(text.replace(' ', 'T') + 'Z') : undefined;
  const expected = 'last_updated_utc as YYYY-MM-DD HH:MM:SS';
  if (updatedMs === undefined) throw shapeError(where, expected, describeValue(text));
  if (updatedMs > nowMs + CLOCK_SKEW_MS) {
    throw shapeError(
      where,
      `last_updated_utc until ${toInstant(nowMs + CLOCK_SKEW_MS)}`,
      toInstant(updatedMs),
    );
  }
  if (nowMs - updatedMs > MAX_AGE_MS) {
    throw new SourceError(
      'not-yet',
      `${where}: expected an update within the last 36 hours, got ${toInstant(updatedMs)}.`,
    );
  }
  return toInstant(updatedMs);
}

/** The values of an export by chain and date, as exact decimal text in the catalog's unit. */
type ExportValues = ReadonlyMap<Chain, ReadonlyMap<string, string>>;

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

/** An export of growthepie: all days of all chains, for one metric. */
export type GrowthepieExport = {
  /** Name of the file below `v1/export/`. */
  readonly id: string;
  /** The `metric_key` of the rows to read. */
  readonly key: string;
  /** The `metric_key` of the same values in dollars, which are dropped. */
  readonly dollarKey: string | undefined;
  readonly metric: MetricName;
  /** If false, the metric may be missing: on a chain, or with the whole export. */
  readonly required: boolean;
  readonly chains: readonly Chain[];
  /** Converts canonical decimal text to the unit of the catalog. */
  readonly convert: (text: string) => string;
};

const asIs = (text: string): string => text;
/** Millions of gas per second, over the seconds of a day. */
const toGasPerDay = (megagasPerSecond: string): string =>
  multiplyToInteger(megagasPerSecond, 86_400n * 1_000_000n);

const ROLLUPS = ['arbitrum', 'base'] as const;

/** The exports that are read. Amounts are in ETH. */
export const GROWTHEPIE_EXPORTS: readonly GrowthepieExport[] = [
  {
    id: 'txcount',
    key: 'txcount',
    dollarKey: undefined,
    metric: 'tx_count',
    required: true,
    chains: ['ethereum', ...ROLLUPS],
    convert: asIs,
  },
  {
    id: 'daa',
    key: 'daa',
    dollarKey: undefined,
    metric: 'active_addresses',
    required: true,
    chains: ROLLUPS,
    convert: asIs,
  },
  {
    id: 'fees',
    key: 'fees_paid_eth',
    dollarKey: 'fees_paid_usd',
    metric: 'fees_total',
    required: true,
    chains: ROLLUPS,
    convert: asIs,
  },
  {
    id: 'txcosts',
    key: 'txcosts_median_eth',
    dollarKey: 'txcosts_median_usd',
    metric: 'fee_median',
    required: true,
    chains: ROLLUPS,
    convert: asIs,
  },
  {
    id: 'rent_paid',
    key: 'rent_paid_eth',
    dollarKey: 'rent_paid_usd',
    metric: 'l1_fees_total',
    required: false,
    chains: ROLLUPS,
    convert: asIs,
  },
  {
    id: 'throughput',
    key: 'gas_per_second',
    dollarKey: undefined,
    metric: 'gas_used',
    required: false,
    chains: ['base'],
    convert: toGasPerDay,
  },
];

/** The definitions of growthepie, where they differ from the glossary. */
export const GROWTHEPIE_DEFINITIONS: readonly string[] = [
  'tx_count: includes failed transactions. ethereum and base: rows with gas_price > 0; arbitrum: rows with gas_used > 0.',
  'active_addresses: HyperLogLog estimate of the senders (standard error 0.29 %); recipients are not counted.',
  'fees_total: sum of the fees of all transactions, on base with the fee for Ethereum.',
  'fee_median: exact median of the fees above 0.',
  'l1_fees_total: rent paid to Ethereum. The source recomputes its whole history, so that its value of a date can change later.',
  'gas_used: megagas per second x 86,400 x 1,000,000, rounded; base only.',
];
