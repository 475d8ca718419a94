import { CHAINS, METRICS } from '../../../schemas/catalog.js';
import type { Chain, MetricName } from '../../../schemas/types.generated.js';
import { toDecimalText } from '../../core/collection/values/decimal-text.js';

/** Powers of ten that convert to a unit of the catalog, by unit of a column. */
type Exponents = Readonly<Record<string, number>>;

const GAS: Exponents = { gas: 0, Mgas: 6, Ggas: 9 };
const ETH: Exponents = { ETH: 0, gwei: -9, wei: -18 };
const COINS: Readonly<Record<'BTC' | 'ETH', Exponents>> = {
  BTC: { 'native coin': 0, BTC: 0, satoshi: -8 },
  ETH: { 'native coin': 0, ...ETH },
};
/** Units of columns by unit of the catalog, where there are others than that one. */
const UNITS: Readonly<Record<string, Exponents>> = {
  bytes: { bytes: 0, kB: 3, MB: 6, GB: 9 },
  gas: GAS,
  'gas per block': { 'gas per block': 0, ...GAS },
  gwei: { gwei: 0, wei: -9, ETH: 9 },
  ETH,
  'TH/s': { 'H/s': -12, 'kH/s': -9, 'MH/s': -6, 'GH/s': -3, 'TH/s': 0, 'PH/s': 3, 'EH/s': 6 },
};

/** Returns the units that a column of a metric may have, each with the power of ten that converts it to the catalog's. */
export function unitsOf(chain: Chain, metric: MetricName): Exponents {
  const { unit } = METRICS[metric];
  if (unit.startsWith('native coin')) return COINS[CHAINS[chain].nativeCoin];
  return UNITS[unit] ?? { [unit]: 0 };
}

/** Returns a number times a power of ten, as exact decimal text; `undefined` for text that is not a number. */
export function shiftDecimal(text: string, exponent: number): string | undefined {
  const decimal = toDecimalText(text);
  return decimal === undefined ? undefined : toDecimalText(`${decimal}e${exponent}`);
}
