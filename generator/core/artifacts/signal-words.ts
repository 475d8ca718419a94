import { CHAINS } from '../../../schemas/catalog.js';
import type { Chain, Driver } from '../../../schemas/types.generated.js';
import { numberWords, percentWords } from './number-words.js';

/** How a person calls each signal of the methodology. */
export const SIGNAL_WORDS: Readonly<Record<string, string>> = {
  tx_count: 'transactions',
  active_addresses: 'active addresses',
  fee_mean: 'mean fee',
  fee_median: 'median fee',
  gas_price_mean: 'mean gas price',
  utilization: 'use of block space',
};

/** A value of a signal with its unit, where that is not in its name already. */
export function signalQuantity(value: number, unit: Driver['unit'], chain: Chain): string {
  if (unit === 'fraction') return percentWords(value);
  if (unit.startsWith('native coin')) return `${numberWords(value)} ${CHAINS[chain].nativeCoin}`;
  return unit === 'gwei' ? `${numberWords(value)} gwei` : numberWords(value);
}
