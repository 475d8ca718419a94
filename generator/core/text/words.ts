import {
  CHAIN_IDS,
  CHAINS,
  type PlanDefinition,
  type PlanId,
  PLANS,
  PRICE_CURRENCY,
  WINDOWS,
} from '../../../schemas/catalog.js';
import { toDate } from '../../../schemas/dates.js';
import type {
  Chain,
  ConfidenceLevel,
  Driver,
  Extreme,
  RegimeLabel,
} from '../../../schemas/types.generated.js';

const MONTHS = [
  'January',
  'February',
  'March',
  'April',
  'May',
  'June',
  'July',
  'August',
  'September',
  'October',
  'November',
  'December',
] as const;

/** Formats a date `YYYY-MM-DD` for people: `26 September 2023`. */
export function dateWords(date: string): string {
  const [year = '', month = '', day = ''] = date.split('-');
  return `${Number(day)} ${MONTHS[Number(month) - 1] ?? ''} ${year}`;
}

/** Formats an instant for people: `28 September 2023, 00:00 UTC`. */
export function instantWords(instant: string): string {
  return `${dateWords(instant.slice(0, 10))}, ${instant.slice(11, 16)} UTC`;
}

/** Formats a day number for people, as `dateWords`. */
export function dayWords(dayNumber: number): string {
  return dateWords(toDate(dayNumber));
}

/** Returns the first three letters of a month, from 1 to 12. */
export function monthLetters(month: number): string {
  return (MONTHS[month - 1] ?? '').slice(0, 3);
}

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
 * replace it with the typographic one (`withMinusSigns`).
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

type Confidence = { readonly score: number; readonly level: ConfidenceLevel };

/** Returns the confidence in a label in words. Without a label there is nothing to be confident in. */
export function confidenceWords(label: RegimeLabel, { score, level }: Confidence): string {
  return label === 'indeterminate' ? 'none, because there is no label' : `${shareWords(score)}, ${level}`;
}

/** Returns the confidence in a label for a table. */
export function confidenceCell(label: RegimeLabel, score: number, absent: string): string {
  return label === 'indeterminate' ? absent : shareWords(score);
}

/** Returns a number with its unit, such as "1 fault" or "2,000 faults". Precondition: the plural of `unit` ends in "s". */
export function count(number: number, unit: string): string {
  return `${countWords(number)} ${plural(number, unit)}`;
}

/** Returns the word that fits a number: "fault" or "faults", "is" or "are". */
export function plural(number: number, one: string, many = `${one}s`): string {
  return number === 1 ? one : many;
}

/** Joins words as in a sentence: `Bitcoin, Ethereum and Base`. */
export function joinWords(words: readonly string[], conjunction: 'and' | 'or' = 'and'): string {
  const last = words.at(-1) ?? '';
  return words.length < 2 ? last : `${words.slice(0, -1).join(', ')} ${conjunction} ${last}`;
}

/** Returns the place of a value among others: `highest`, `second-lowest`. Precondition: the rank is at most 3. */
export function rankWords(rank: number, kind: Extreme['kind']): string {
  return `${['', 'second-', 'third-'][rank - 1] ?? ''}${kind}`;
}

/** Replaces the hyphen before a number with the typographic minus sign. Hyphens within dates and names stay. */
export function withMinusSigns(text: string): string {
  return text.replace(/(?<![\w.-])-(?=\d)/g, '−');
}

const CURRENCY_SIGNS: Readonly<Record<typeof PRICE_CURRENCY, string>> = { usd: '$' };

/** Returns the monthly price of a plan: `$49`. */
export function planPriceWords(plan: PlanId): string {
  return `${CURRENCY_SIGNS[PRICE_CURRENCY]}${priceWords(PLANS[plan].monthlyCents)}`;
}

/** Returns what a plan includes, in a buyer's words. */
export function includedWords(plan: PlanId): string[] {
  const { chains, windows, archive, briefs }: PlanDefinition = PLANS[plan];
  const names = CHAIN_IDS.map((chain) => CHAINS[chain].name);
  const days = Math.max(...windows.map((window) => WINDOWS[window]));
  return [
    chains === 'all' ? `All chains: ${joinWords(names)}` : `One chain: ${joinWords(names, 'or')}`,
    `Daily metrics, signals and scores ${archive ? 'of the whole published history' : `of the last ${days} days`}`,
    ...(archive ? ['Parquet and CSV, with every correction, as known on any day'] : []),
    briefs === 'all' ? 'A brief in plain English for every day' : 'The latest daily brief in plain English',
  ];
}

/** Names of the methodology's signals in texts. They are beside the catalog, so that a new metric does not change the script of the pages. */
export const SIGNAL_WORDS: Readonly<Record<string, string>> = {
  tx_count: 'transactions',
  active_addresses: 'active addresses',
  fee_mean: 'mean fee',
  fee_median: 'median fee',
  gas_price_mean: 'mean gas price',
  utilization: 'use of block space',
  target_use: 'use of the gas target',
};

/** Returns the name of a signal in texts. */
export function signalWords(signal: string): string {
  return SIGNAL_WORDS[signal] ?? signal;
}

/** Formats a value of a signal, with its unit unless the signal's name implies it. */
export function signalQuantity(value: number, unit: Driver['unit'], chain: Chain): string {
  if (unit.startsWith('fraction')) return shareWords(value);
  return amountWords(value, unit.replace('native coin', CHAINS[chain].nativeCoin));
}
