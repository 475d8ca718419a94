import type { Chain, MetricName } from '../../../schemas/types.generated.js';

/** The name of a chain at Coin Metrics, and the catalog's metric for each of its metrics, in the same unit. */
export type CoinMetricsAsset = {
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
export const COIN_METRICS_ASSETS: { readonly [chain in Chain]?: CoinMetricsAsset } = {
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
export const COMPLETION = 'AssetEODCompletionTime';

/** The definitions of Coin Metrics, where they differ from the glossary. */
export const COIN_METRICS_DEFINITIONS: readonly string[] = [
  'tx_count: on bitcoin without coinbase transactions.',
  'fee_median: on bitcoin without coinbase transactions.',
  'A value with the status flash is preliminary and is not read.',
];
