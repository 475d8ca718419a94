import { CHAINS } from '../../../schemas/catalog.js';
import type { Chain, Driver, MetricName } from '../../../schemas/types.generated.js';
import { amountWords, shareWords } from './number-words.js';

/** Names of the methodology's signals in texts. */
export const SIGNAL_WORDS: Readonly<Record<string, string>> = {
  tx_count: 'transactions',
  active_addresses: 'active addresses',
  fee_mean: 'mean fee',
  fee_median: 'median fee',
  gas_price_mean: 'mean gas price',
  utilization: 'use of block space',
};

/** Returns the name of a signal in texts. */
export function signalWords(signal: string): string {
  return SIGNAL_WORDS[signal] ?? signal;
}

/** Formats a value of a signal, with its unit unless the signal's name implies it. */
export function signalQuantity(value: number, unit: Driver['unit'], chain: Chain): string {
  if (unit === 'fraction') return shareWords(value);
  return amountWords(value, unit.replace('native coin', CHAINS[chain].nativeCoin));
}

/** Names of the metrics in texts. */
export const METRIC_WORDS: Readonly<Record<MetricName, string>> = {
  tx_count: 'transactions',
  active_addresses: 'active addresses',
  new_addresses: 'new addresses',
  transfer_count: 'transfers',
  failed_tx_count: 'failed transactions',
  block_count: 'blocks',
  block_weight: 'block weight',
  block_size: 'block size',
  gas_used: 'gas used',
  gas_limit_mean: 'mean gas limit',
  gas_price_mean: 'mean gas price',
  fees_total: 'fees',
  fee_median: 'median fee',
  l1_fees_total: 'fees paid to Ethereum',
  hash_rate: 'hash rate',
  difficulty: 'difficulty',
  issuance: 'issuance',
};
