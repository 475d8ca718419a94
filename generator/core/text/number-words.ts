/**
 * The forms of all numbers that people read: on pages, in briefs and weekly summaries, on charts and in a terminal. Each
 * kind of quantity has one function, so that a fact looks the same everywhere. No form depends on the locale, and none
 * has an exponent. Rounding is half away from zero, except for the kinds that are compared with a boundary: they are cut
 * towards zero, so that none appears to have reached it.
 *
 * - z, contribution, distance between z: two decimals, cut: `0.72`, `-1.50`
 * - score: three significant digits, two below one: `57.4`, `5.04`, `100`
 * - share, probability, confidence: three significant digits, cut: `82.3 %`, `99.9 %`
 * - change: two significant digits, three close to 100 %: `+3.2 %`, `-99.7 %`
 * - quantity, with or without a unit: three significant digits, two below one, and whole numbers from a thousand to a
 *   million: `470,665`, `1.23 million`, `0.0000023 ETH`
 * - ratio: six significant digits: `1.00012`
 * - count of days, files and other things: every digit: `6,437`, in the tables of a terminal `6437`
 * - bytes and seconds: as quantities, bytes with a decimal prefix: `12.3 MB`, `0.31 s`
 * - price: cents only if there are any: `49`, `49.50`
 *
 * Constants of the methodology are not rounded: they are written in full. The minus sign is a hyphen; pages and charts
 * replace it with the typographic one (`minus-sign.ts`).
 */

const SCALES = [
  { from: 1e12, name: 'trillion' },
  { from: 1e9, name: 'billion' },
  { from: 1e6, name: 'million' },
] as const;
const GROUPED_FROM = 1_000;
/** Units that are written after the number. */
const SUFFIX_UNITS = ['BTC', 'ETH', 'gwei', 'TH/s'] as const;
const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;
/** Largest percentage that is shown for a value below 100 %. */
const MOST_PERCENT = 99.9;

// Noise of binary arithmetic is removed before rounding: it is beyond the 15th digit, after a multiplication beyond the 12th.

/** Formats a z, a contribution to an axis, or a distance between two z. */
export function zWords(z: number): string {
  const words = cut(Math.abs(z), 2);
  return z < 0 && Number(words) !== 0 ? `-${words}` : words;
}

/** Formats a score of a scorecard. */
export function scoreWords(score: number): string {
  return numberWords(score);
}

/** Formats the difference of two scores as they are shown, so that a reader who subtracts gets the same. */
export function scoreChangeWords(from: number, to: number): string {
  const change = Number((Number(scoreWords(to)) - Number(scoreWords(from))).toFixed(2)); // shown scores have at most two decimals
  return `${change < 0 ? '' : '+'}${change}`;
}

/** Formats a share, a probability or a confidence. A share below 1 is never 100 %. Precondition: not negative. */
export function shareWords(share: number): string {
  const percent = Math.min(toPercent(share), share < 1 ? MOST_PERCENT : Infinity);
  const decimals = percent === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(percent)));
  return `${trimZeros(cut(percent, decimals))} %`;
}

/** Formats a relative change with its sign. */
export function changeWords(change: number): string {
  const size = changeSizeWords(change);
  return change === 0 ? size : `${change < 0 ? '-' : '+'}${size}`;
}

/** Formats a relative change without its sign, for a sentence that states the direction. One below 1 is never 100 %. */
export function changeSizeWords(change: number): string {
  const percent = toPercent(Math.abs(change));
  const two = decimal(percent, 2);
  const three = String(Math.min(MOST_PERCENT, Number(percent.toPrecision(3))));
  return `${Math.abs(change) >= 1 ? numberWords(percent) : two === '100' ? three : two} %`;
}

/** Formats a quantity without a unit, or whose unit is in the text around it. */
export function numberWords(x: number): string {
  const size = Number(Math.abs(x).toPrecision(15));
  const words = sizeWords(size);
  return x < 0 && words !== '0' ? `-${words}` : words;
}

/** Formats a quantity with its unit. Units that the name of the quantity implies, such as transactions, are left out. */
export function amountWords(value: number, unit: string): string {
  const suffix = SUFFIX_UNITS.find((each) => unit === each || unit.startsWith(`${each} per `));
  return suffix === undefined ? numberWords(value) : `${numberWords(value)} ${suffix}`;
}

/** Formats a positive ratio of two values of the same quantity. */
export function ratioWords(ratio: number): string {
  return decimal(ratio, 6);
}

/** Formats a whole number of things with all its digits. */
export function countWords(things: number): string {
  return String(things).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a number of bytes. */
export function bytesWords(bytes: number): string {
  const power = BYTE_UNITS.findIndex((_, i) => Number((bytes / 1000 ** i).toPrecision(3)) < 1000);
  const unit = power === -1 ? BYTE_UNITS.length - 1 : power;
  return `${numberWords(bytes / 1000 ** unit)} ${BYTE_UNITS[unit] ?? ''}`;
}

/** Formats a duration. */
export function secondsWords(seconds: number): string {
  return `${numberWords(seconds)} s`;
}

/** Formats a price without its currency. */
export function priceWords(cents: number): string {
  return countWords(Math.floor(cents / 100)) + (cents % 100 === 0 ? '' : (cents / 100).toFixed(2).slice(-3));
}

function sizeWords(size: number): string {
  if (Math.round(size) < GROUPED_FROM) return decimal(size, size < 1 ? 2 : 3);
  if (Math.round(size) < 1e6) return countWords(Math.round(size));
  const scale = SCALES.find(({ from }) => Number(size.toPrecision(3)) >= from) ?? SCALES[2];
  return `${decimal(size / scale.from, 3)} ${scale.name}`;
}

function toPercent(share: number): number {
  return Number((share * 100).toPrecision(12));
}

/** Rounds to significant digits, without trailing zeros. */
function decimal(size: number, digits: number): string {
  if (size === 0) return '0';
  const rounded = Number(size.toPrecision(digits));
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(rounded)));
  return trimZeros(rounded.toFixed(Math.min(100, places)));
}

/** Truncates a non-negative number to `decimals` decimal places. */
function cut(size: number, decimals: number): string {
  const [whole = '0', fraction = ''] = size.toFixed(Math.min(100, Math.max(12, decimals + 9))).split('.');
  return decimals === 0 ? whole : `${whole}.${fraction.slice(0, decimals)}`;
}

function trimZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
