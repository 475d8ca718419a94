import { byForm, isValid, splitList, wholeNumber, type Parsed } from './parser.js';

const MIN_SECRET_BYTES = 32;

/** Parses one secret or, during a rotation, two. */
export function parseSecrets(text: string): Parsed<readonly string[]> {
  const value = splitList(text, /[,\n]/);
  if (value.length <= 2 && value.every((secret) => Buffer.byteLength(secret) >= MIN_SECRET_BYTES)) {
    return { value };
  }
  return {
    expected: `one secret of at least ${MIN_SECRET_BYTES} bytes, or two, separated by a comma or a new line`,
  };
}

/** Parses one webhook secret or, during a rotation, two. */
export function parseWebhookSecrets(text: string): Parsed<readonly string[]> {
  const value = splitList(text, /[,\n]/);
  const isGood = value.length <= 2 && value.every((secret) => /^whsec_[0-9A-Za-z+/=_]{16,250}$/.test(secret));
  return isGood
    ? { value }
    : { expected: 'one secret that begins with whsec_, or two, separated by a comma or a new line' };
}

/** Parses the price ids of a plan. */
export function parsePrices(text: string): Parsed<readonly string[]> {
  const value = splitList(text, ',');
  const isGood =
    new Set(value).size === value.length && value.every((price) => /^price_[0-9A-Za-z]{1,250}$/.test(price));
  return isGood
    ? { value }
    : { expected: 'different price ids, each beginning with price_, separated by commas' };
}

/** Parses the trusted proxies: a number of hops, or a list of addresses. */
export function parseProxies(text: string): Parsed<number | readonly string[]> {
  const expected = 'a number of hops from 1 to 9, or IP addresses and CIDR ranges, separated by commas';
  if (text === 'true') {
    return { expected: `${expected}; not true, which would let every caller choose its own address` };
  }
  if (/^[1-9]$/.test(text)) return { value: Number(text) };
  const value = splitList(text, ',');
  return value.every(isRange) ? { value } : { expected };
}

const RANGES = [
  { address: byForm({ formats: ['ipv4'] }, 'an IPv4 address'), bits: wholeNumber(1, 32) },
  { address: byForm({ formats: ['ipv6'] }, 'an IPv6 address'), bits: wholeNumber(1, 128) },
];

function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const range = RANGES.find((each) => isValid(each.address, address));
  return range !== undefined && rest.length === 0 && (bits === undefined || isValid(range.bits, bits));
}
