import { CHAINS } from '../../../schemas/catalog.js';
import type { Chain, Driver } from '../../../schemas/types.generated.js';
import { amountWords, shareWords } from './number-words.js';

/** Names of the methodology's signals in texts. They are beside the catalog, so that a new metric does not change the script of the pages. */
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
