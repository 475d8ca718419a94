import { canonicalJson } from '../../../schemas/canonical-json.js';
import { addDays, toInstant } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { Chain } from '../../../schemas/types.generated.js';
import type { CollectedDay } from '../../core/collection/values/collected-day.js';
import { GeneratorError, RUN_AGAIN } from '../../core/generator-error.js';
import { createHttpClient, parseEndpoint, type HttpClient, type JsonAnswer } from '../http-client.js';
import { SYSTEM_TOOLS, type HttpTools } from '../http/http-tools.js';
import type { TransferLimits } from '../http/transfer-watch.js';
import { shapeError } from '../shape-error.js';
import { SourceError, type Source, type SourceFacts } from '../source.js';
import {
  COIN_METRICS_ASSETS,
  COIN_METRICS_DEFINITIONS,
  COMPLETION,
  type CoinMetricsAsset,
} from './coinmetrics-metrics.js';
import { probeAsset } from './coinmetrics-probe.js';
import { parseDay, parsePage } from './page-rows.js';

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
    definitions: COIN_METRICS_DEFINITIONS,
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
