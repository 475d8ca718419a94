import {
  CHAIN_IDS,
  CHAINS,
  type PlanDefinition,
  type PlanId,
  PLANS,
  PRICE_CURRENCY,
  WINDOWS,
} from './catalog.js';
import { toDate } from './dates.js';
import type { BriefDay, Chain, ConfidenceLevel, Driver, Extreme, RegimeLabel } from './types.generated.js';

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
 * has an exponent.
 *
 * Rounding is half away from zero, exact on the decimal text of the number: 4.165 is 4.17. If a rounded number would
 * appear to have reached a boundary that its number has not reached, it gets as many more digits as it needs: a share of
 * 0.8996 is 89.96 %, because 90 % is a high confidence.
 *
 * - z, contribution, distance between z: two decimals: `0.73`, `-1.50`
 * - score: three significant digits, two below one: `57.4`, `5.04`, `100`
 * - share, probability, confidence: three significant digits: `82.3 %`, `99.9 %`
 * - change: two significant digits, from 100 % on as a quantity: `+3.2 %`, `-99.7 %`, `+1,150 %`
 * - quantity, with or without a unit: three significant digits, two below one, and whole numbers from a thousand to a
 *   million: `470,665`, `1.23 million`, `0.0000023 ETH`
 * - ratio: six significant digits: `1.00012`
 * - a published value beside a chart: every digit: `5.8193989`, `1,234,567`
 * - count of days, files and other things: every digit: `6,437`, in the tables of a terminal `6437`
 * - bytes and seconds: as quantities, bytes with a decimal prefix: `12.3 MB`, `0.31 s`
 * - price: cents only if there are any: `49`, `49.50`
 *
 * Constants of the methodology are not rounded: they are written in full. The minus sign is a hyphen; pages and charts
 * replace it with the typographic one (`withMinusSigns`).
 */

const SCALES = [
  { power: 12, name: 'trillion' },
  { power: 9, name: 'billion' },
  { power: 6, name: 'million' },
] as const;
/** Units that are written after the number. */
const SUFFIX_UNITS = ['BTC', 'ETH', 'gwei', 'TH/s'] as const;
const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB', 'PB'] as const;
/** The shares that the methodology compares shares with, and the whole. */
const SHARE_BOUNDARIES = [0.5, 0.7, 0.9, 1];
/** The z at which the methodology changes a level. */
const Z_BOUNDARIES = [0.3, 1];

/** Formats a z, a contribution to an axis, or a distance between two z. */
export function zWords(z: number): string {
  const words = clearOf(Z_BOUNDARIES, Math.abs(z), 0, (size, digits) => roundPlaces(size, 0, 2 + digits));
  return z < 0 && Number(words) !== 0 ? `-${words}` : words;
}

/** Returns the number that `zWords` shows. */
export function shownZ(z: number): number {
  return Number(zWords(z));
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

/** Formats a share, a probability or a confidence. Precondition: not negative. */
export function shareWords(share: number): string {
  return `${clearOf(SHARE_BOUNDARIES, share, 2, (size, digits) => roundDigits(size, 2, 3 + digits))} %`;
}

/** Returns the number that `shareWords` shows, as a fraction. */
export function shownShare(share: number): number {
  return Number(`${shareWords(share).replace(' %', '')}e-2`);
}

/** Formats a relative change with its sign. */
export function changeWords(change: number): string {
  const size = changeSizeWords(change);
  return change === 0 ? size : `${change < 0 ? '-' : '+'}${size}`;
}

/** Formats a relative change without its sign, for a sentence that states the direction. */
export function changeSizeWords(change: number): string {
  const size = Math.abs(change);
  if (size >= 1) return `${quantityWords(size, 2)} %`;
  return `${clearOf([1], size, 2, (x, digits) => roundDigits(x, 2, 2 + digits))} %`;
}

/** Formats a quantity without a unit, or whose unit is in the text around it. */
export function numberWords(x: number): string {
  const words = quantityWords(Math.abs(x), 0);
  return x < 0 && words !== '0' ? `-${words}` : words;
}

/** Formats a quantity with its unit. Units that the name of the quantity implies, such as transactions, are left out. */
export function amountWords(value: number, unit: string): string {
  if (unit === 'bytes') return bytesWords(value);
  const suffix = SUFFIX_UNITS.find((each) => unit === each || unit.startsWith(`${each} per `));
  return suffix === undefined ? numberWords(value) : `${numberWords(value)} ${suffix}`;
}

/** Formats a positive ratio of two values of the same quantity. */
export function ratioWords(ratio: number): string {
  return roundDigits(ratio, 0, 6);
}

/** Formats a whole number of things with all its digits. */
export function countWords(things: number | string): string {
  return String(things).replace(/\B(?=(\d{3})+$)/g, ',');
}

/** Formats a published value with all its digits, without an exponent. Precondition: not negative. */
export function exactWords(value: number): string {
  const [digits = '0', exponent = '0'] = value.toExponential().split('e');
  const places = Math.max(0, Math.max(0, digits.length - 2) - Number(exponent));
  const [whole = '0', fraction] = roundPlaces(value, 0, places).split('.');
  return fraction === undefined ? countWords(whole) : `${countWords(whole)}.${fraction}`;
}

/** Formats a number of bytes. */
export function bytesWords(bytes: number): string {
  const power = BYTE_UNITS.findIndex((_, i) => Number(roundDigits(bytes, -3 * i, 3)) < 1000);
  const unit = power === -1 ? BYTE_UNITS.length - 1 : power;
  return `${quantityWords(bytes, -3 * unit)} ${BYTE_UNITS[unit] ?? ''}`;
}

/** Formats a duration. */
export function secondsWords(seconds: number): string {
  return `${numberWords(seconds)} s`;
}

/** Formats a price without its currency. */
export function priceWords(cents: number): string {
  return countWords(Math.floor(cents / 100)) + (cents % 100 === 0 ? '' : (cents / 100).toFixed(2).slice(-3));
}

/** Returns size × 10^`power` as a quantity. */
function quantityWords(size: number, power: number): string {
  const whole = roundPlaces(size, power, 0);
  if (whole.length < 4) return roundDigits(size, power, exponentOf(size) + power < 0 ? 2 : 3);
  if (whole.length < 7) return countWords(Number(whole));
  const scale = SCALES.find((each) => Number(roundDigits(size, power - each.power, 3)) >= 1) ?? SCALES[2];
  return `${roundDigits(size, power - scale.power, 3)} ${scale.name}`;
}

/** Returns a rounded number with the fewest more digits at which it is not on the other side of a boundary than `size`. */
function clearOf(
  boundaries: readonly number[],
  size: number,
  power: number,
  round: (size: number, digits: number) => string,
): string {
  for (let digits = 0; ; digits += 1) {
    const words = round(size, digits);
    const shown = Number(`${words}e${-power}`);
    if (digits > 17 || boundaries.every((boundary) => size >= boundary || shown < boundary)) return words;
  }
}

function exponentOf(size: number): number {
  return Number(size.toExponential().split('e')[1]);
}

/** Rounds size × 10^`power` to significant digits, without trailing zeros. */
function roundDigits(size: number, power: number, digits: number): string {
  if (size === 0) return '0';
  const text = roundPlaces(size, power, digits - 1 - exponentOf(size) - power);
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** Rounds size × 10^`power` to decimal places, half away from zero; a negative number of places rounds before the point. */
function roundPlaces(size: number, power: number, places: number): string {
  const [digits = '0', exponent = '0'] = size.toExponential().split('e');
  const decimals = digits.length > 1 ? digits.length - 2 : 0;
  const shift = Number(exponent) - decimals + power + places; // the result counts units of 10^-places
  const value = BigInt(digits.replace('.', ''));
  const units =
    shift >= 0
      ? value * 10n ** BigInt(shift)
      : (value + 5n * 10n ** BigInt(-shift - 1)) / 10n ** BigInt(-shift);
  if (places <= 0) return String(units * 10n ** BigInt(-places));
  const text = String(units).padStart(places + 1, '0');
  return `${text.slice(0, -places)}.${text.slice(-places)}`;
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

type Evidence = { readonly data_quality: number; readonly missing_signals: readonly string[] };

/** Returns the data quality with the signals that are missing: `80 %, without use of block space`. */
export function qualityWords({ data_quality: quality, missing_signals: missing }: Evidence): string {
  const without = missing.length === 0 ? '' : `, without ${joinWords(missing.map(signalWords))}`;
  return shareWords(quality) + without;
}

/** Returns a number with its unit, such as "1 fault" or "2,000 faults". Precondition: the plural of `unit` ends in "s". */
export function count(number: number, unit: string): string {
  return `${countWords(number)} ${plural(number, unit)}`;
}

/** Returns the word that fits a number: "fault" or "faults", "is" or "are". */
export function plural(number: number, one: string, many = `${one}s`): string {
  return number === 1 ? one : many;
}

/** Returns words with a capital first letter. */
export function capitalized(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** Returns the paragraphs of a brief, its headline first. An empty line separates those of its body. */
export function briefParagraphs({ headline, body }: Pick<BriefDay, 'headline' | 'body'>): readonly string[] {
  return [headline, ...body.split('\n\n')];
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
