import { addDays, endOfDayMs, toDayNumber } from '../../../schemas/dates.js';
import { createCoinMetrics, type CoinMetricsOptions } from '../../../generator/sources/coinmetrics.js';
import type { Source } from '../../../generator/sources/source.js';
import { replyStatus, startFakeService, type FakeService } from './fake-service.js';
import { createInstantTools, type InstantTools } from './instant-tools.js';

/** A row of asset metrics, with every field that the service would send for it. */
export type AssetRow = Record<string, unknown>;

/** A service with the shape of Coin Metrics' API, and data for some days of March 2026. */
export type CoinMetricsScene = {
  readonly service: FakeService;
  readonly tools: InstantTools;
  /** All rows of an asset, ascending. */
  readonly rows: Readonly<Record<string, AssetRow[]>>;
  /** Returns the row of an asset on a date. */
  readonly row: (asset: string, date: string) => AssetRow;
  /** Sets the rows of a page, and how the URL of the next page is changed before it is sent. */
  readonly paging: { size: number; changeNext: (url: string) => unknown };
  /** Creates a source for a new collection, with a declared licence. */
  readonly create: (options?: Partial<CoinMetricsOptions>) => Source;
};

export const FIRST = '2026-03-18';
export const LAST = '2026-03-26';

/** Starts the service. The clock is at 06:15 UTC on the day after the last one. */
export async function startCoinMetricsScene(): Promise<CoinMetricsScene> {
  const service = await startFakeService();
  const tools = createInstantTools('2026-03-27T06:15:00Z');
  const rows = { btc: rowsOf('btc'), eth: rowsOf('eth') } as Record<string, AssetRow[]>;
  const paging: CoinMetricsScene['paging'] = { size: 10_000, changeNext: (url) => url };
  service.answer((request) => {
    const url = new URL(request.url, service.endpoint);
    if (url.pathname !== '/v4/timeseries/asset-metrics') return replyStatus(404);
    return pageOf(url, rows, paging);
  });
  return {
    service,
    tools,
    rows,
    paging,
    row(asset, date) {
      const found = rows[asset]?.find(({ time }) => String(time).startsWith(date));
      if (found === undefined) throw new Error(`no row of ${asset} ${date}`);
      return found;
    },
    create: (options) =>
      createCoinMetrics({
        endpoint: service.endpoint,
        licence: 'contract 17',
        commercial: true,
        tools,
        ...options,
      }),
  };
}

function pageOf(
  url: URL,
  rows: CoinMetricsScene['rows'],
  { size, changeNext }: CoinMetricsScene['paging'],
): string {
  const { searchParams: query } = url;
  const wanted = query.get('metrics')?.split(',') ?? [];
  const first = query.get('start_time') ?? '';
  const last = query.get('end_time') ?? '';
  const from = Number(query.get('next_page_token') ?? 0);
  const matching = (rows[query.get('assets') ?? ''] ?? []).filter(({ time }) => {
    const date = String(time).slice(0, 10);
    return first <= date && date <= last;
  });
  const data = matching.slice(from, from + size).map((row) => select(row, wanted));
  if (from + size >= matching.length) return JSON.stringify({ data });
  const next = new URL(url);
  next.searchParams.set('next_page_token', String(from + size));
  return JSON.stringify({ data, next_page_token: String(from + size), next_page_url: changeNext(next.href) });
}

/** Keeps the fields that were requested, their statuses, and any that a test added. */
function select(row: AssetRow, wanted: readonly string[]): AssetRow {
  const isOffered = (name: string): boolean => name in METRICS;
  return Object.fromEntries(
    Object.entries(row).filter(([name]) => !isOffered(name) || wanted.includes(name)),
  );
}

const METRICS: Readonly<Record<string, string>> = {
  TxCnt: '400123',
  AdrActCnt: '700456',
  BlkCnt: '144',
  FeeTotNtv: '3.141592653589793238',
  FeeMedNtv: '0.000001450000000000',
  IssTotNtv: '450',
  TxTfrCnt: '900789',
  BlkWghtTot: '570000000',
  BlkSizeByte: '230000000',
  HashRate: '812345678.123456789012345678',
  DiffMean: '113757508810854',
  GasUsedTx: '108000000000',
  GasLmtBlkMean: '36000000.25',
  PriceUSD: '65000.1',
};

function rowsOf(asset: string): AssetRow[] {
  const rows: AssetRow[] = [];
  for (let date = FIRST; date <= LAST; date = addDays(date, 1)) {
    rows.push({
      asset,
      time: `${date}T00:00:00.000000000Z`,
      AssetEODCompletionTime: String(endOfDayMs(toDayNumber(date)) / 1000 + 3600),
      ...METRICS,
      'AdrActCnt-status': 'reviewed',
    });
  }
  return rows;
}
