import { multiplyToInteger } from '../../core/collection/values/decimal-text.js';
import type { Chain, MetricName } from '../../../schemas/types.generated.js';

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
