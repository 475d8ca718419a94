import { canonicalJson } from '../../schemas/canonical-json.js';
import { addDays, endOfDayMs, parseDate, toDayNumber, toInstant } from '../../schemas/dates.js';
import { sha256Hex } from '../../schemas/digest.js';
import type { Chain, MetricName } from '../../schemas/types.generated.js';
import { type CollectedDay, toMetricValue } from '../core/collection/day-values.js';
import { GeneratorError, RUN_AGAIN } from '../core/generator-error.js';
import {
  createHttpClient,
  type HttpClient,
  type HttpTools,
  type JsonAnswer,
  parseEndpoint,
  SYSTEM_TOOLS,
  type TransferLimits,
} from './http-client.js';
import {
  describeValue,
  type Probe,
  probeReading,
  shapeError,
  type Source,
  SourceError,
  type SourceFacts,
} from './source.js';

const COMMUNITY_HOST = 'community-api.coinmetrics.io';
/** The limit is 10 requests in 6 seconds. */
const PACE = { requests: 9, perMs: 6_000 };
/** All days of bitcoin since 2009 have about 6 MB. */
const MAX_PAGE_BYTES = 12_000_000;
/** Far above the pages of all days since 2009, which fit into one. */
const MAX_PAGES = 50;

/** Options for `createCoinMetrics`. */
export type CoinMetricsOptions = {
  /** The contract that allows the operator to use the data, in the operator's words: it becomes the licence. */
  readonly licence: string | undefined;
  /** The operator's declaration whether the contract lets the data be sold. Default: unknown. */
  readonly resale?: SourceFacts['resale'];
  /** True if the store is marked as commercial. */
  readonly commercial: boolean;
  /** `https://api.coinmetrics.io` by default. */
  readonly endpoint?: string;
  readonly apiKey?: string;
  readonly limits?: TransferLimits;
  readonly tools?: HttpTools;
};

type Span = { readonly first: string; readonly last: string };
type Days = ReadonlyMap<string, CollectedDay>;

/**
 * Creates the source for one collection.
 * @throws GeneratorError 'usage' without a declared licence, and for the community host in a commercial store.
 */
export function createCoinMetrics(options: CoinMetricsOptions): Source {
  const { endpoint = 'https://api.coinmetrics.io', apiKey, tools = SYSTEM_TOOLS, limits } = options;
  const { base, hostname } = parseEndpoint('coinmetrics', endpoint);
  const facts = toFacts(options, hostname === COMMUNITY_HOST);
  const client = createHttpClient({
    source: 'coinmetrics',
    endpoint,
    pace: PACE,
    secretParameters: ['api_key'],
    tools,
    ...(limits && { limits }),
  });
  const read = new Map<Chain, Map<string, CollectedDay>>();

  async function readSpan(chain: Chain, span: Span, signal: AbortSignal): Promise<Days> {
    const asset = COIN_METRICS_ASSETS[chain];
    if (asset === undefined) return new Map();
    const url = toUrl(base, asset, span, apiKey);
    const days = await readPages({ client, chain, asset, span, nowMs: tools.now() }, url, signal);
    read.set(chain, new Map([...(read.get(chain) ?? []), ...days]));
    return days;
  }

  return {
    facts,
    async days(chain, span, signal) {
      signal.throwIfAborted();
      const days = await readSpan(chain, span, signal);
      return new Map([...days].map(([date, { values }]) => [date, sha256Hex(canonicalJson(values))]));
    },
    async day(chain, date, signal) {
      signal.throwIfAborted();
      const known = read.get(chain)?.get(date);
      const day = known ?? (await readSpan(chain, { first: date, last: date }, signal)).get(date);
      if (day !== undefined) return day;
      throw new SourceError(
        'not-yet',
        `coinmetrics: expected ${COMPLETION} of ${chain} on ${date}, got none.`,
      );
    },
    async probe(chain, signal) {
      signal.throwIfAborted();
      const asset = COIN_METRICS_ASSETS[chain];
      if (asset === undefined) return [];
      const nowMs = tools.now();
      const yesterday = addDays(toInstant(nowMs).slice(0, 10), -1);
      const url = toUrl(base, asset, { first: addDays(yesterday, -6), last: yesterday }, apiKey);
      const request = (): Promise<JsonAnswer> => client.getJson(url, { maxBytes: MAX_PAGE_BYTES, signal });
      return probeAsset({ asset, yesterday, nowMs, request });
    },
  };
}

function toFacts(options: CoinMetricsOptions, isCommunity: boolean): SourceFacts {
  const { licence, commercial, resale = 'unknown' } = options;
  if (licence === undefined || licence.trim() === '') {
    throw new GeneratorError(
      'usage',
      'coinmetrics: the licence of the data is not declared. Name your contract as "licence" of the source in the policy.',
      { next: RUN_AGAIN },
    );
  }
  if (commercial && isCommunity) {
    throw new GeneratorError(
      'usage',
      `coinmetrics: the data of ${COMMUNITY_HOST} are not for commercial use (CC BY-NC 4.0), and the store is commercial. ` +
        'Use another source, or api.coinmetrics.io with a contract.',
      { next: RUN_AGAIN },
    );
  }
  return {
    id: 'coinmetrics',
    name: 'Coin Metrics',
    url: 'https://coinmetrics.io',
    licence: licence.trim(),
    resale: isCommunity ? 'no' : resale, // the community licence is CC BY-NC 4.0
    attribution: 'Source: Coin Metrics, https://coinmetrics.io.',
    completeFrom: '02:00',
    settlingDays: 3,
    requestsPerMinute: (PACE.requests * 60_000) / PACE.perMs,
    definitions: [
      'tx_count: on bitcoin without coinbase transactions.',
      'fee_median: on bitcoin without coinbase transactions.',
      'A value with the status flash is preliminary and is not read.',
    ],
  };
}

function toUrl(
  base: string,
  { asset, metrics }: CoinMetricsAsset,
  { first, last }: Span,
  apiKey?: string,
): string {
  const query = new URLSearchParams({
    assets: asset,
    metrics: [...Object.keys(metrics), COMPLETION].join(','),
    frequency: '1d',
    start_time: first,
    end_time: last,
    page_size: '10000',
    paging_from: 'start',
    ...(apiKey !== undefined && { api_key: apiKey }),
  });
  return `${base}/v4/timeseries/asset-metrics?${query.toString()}`;
}

type Reading = {
  readonly client: HttpClient;
  readonly chain: Chain;
  readonly asset: CoinMetricsAsset;
  readonly span: Span;
  readonly nowMs: number;
};

/** Follows the pages from `firstUrl`, each on the same host. Returns the complete days of the span that have a value. */
async function readPages(reading: Reading, firstUrl: string, signal: AbortSignal): Promise<Days> {
  const { client, chain, asset, span, nowMs } = reading;
  const days = new Map<string, CollectedDay>();
  const seen = new Set<string>();
  let url: string | undefined = firstUrl;
  for (let pages = 0; url !== undefined; pages += 1) {
    if (pages === MAX_PAGES) throw shapeError('coinmetrics', `at most ${MAX_PAGES} pages`, 'more');
    const { value, response } = await client.getJson(url, { maxBytes: MAX_PAGE_BYTES, signal });
    const where = `coinmetrics: ${response.url}`;
    const { rows, nextUrl } = parsePage(where, value);
    const evidence = { kind: 'responses', responses: [response] } as const;
    for (const row of rows) {
      const { date, values } = parseDay(where, row, asset, nowMs);
      if (seen.has(date)) throw shapeError(where, `one row of ${date}`, 'another one');
      seen.add(date);
      const isWithin = span.first <= date && date <= span.last;
      if (isWithin && values !== undefined && Object.keys(values).length > 0) {
        days.set(date, { chain, date, values, counts: {}, evidence });
      }
    }
    url = nextUrl;
  }
  return days;
}

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

/** Compares the rows of the last days with what is expected, column by column. @throws SourceError 'unavailable' */
async function probeAsset({ asset, yesterday, nowMs, request }: ProbeOptions): Promise<readonly Probe[]> {
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
function parsePage(where: string, json: unknown): Page {
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
function parseDay(
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

/** The name of a chain at Coin Metrics, and the catalog's metric for each of its metrics, in the same unit. */
type CoinMetricsAsset = {
  readonly asset: string;
  readonly metrics: Readonly<Record<string, MetricName>>;
};

const BOTH = {
  TxCnt: 'tx_count',
  AdrActCnt: 'active_addresses',
  BlkCnt: 'block_count',
  FeeTotNtv: 'fees_total',
  FeeMedNtv: 'fee_median',
  IssTotNtv: 'issuance',
  TxTfrCnt: 'transfer_count',
} as const satisfies Record<string, MetricName>;

/** The chains that Coin Metrics has. No metric in dollars is ever requested. */
const COIN_METRICS_ASSETS: { readonly [chain in Chain]?: CoinMetricsAsset } = {
  bitcoin: {
    asset: 'btc',
    metrics: {
      ...BOTH,
      BlkWghtTot: 'block_weight',
      BlkSizeByte: 'block_size',
      HashRate: 'hash_rate',
      DiffMean: 'difficulty',
    },
  },
  ethereum: {
    asset: 'eth',
    metrics: { ...BOTH, GasUsedTx: 'gas_used', GasLmtBlkMean: 'gas_limit_mean' },
  },
};

/** The metric that exists for a day once all others of the day are computed. Its value is a time in Unix seconds. */
const COMPLETION = 'AssetEODCompletionTime';
