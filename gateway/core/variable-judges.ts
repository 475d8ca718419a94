import { bySchema, isSound, itemsOf, wholeNumber, type Judged } from './judge.js';

const SECRET_BYTES = 32;

/** Judges one secret or, during a rotation, two. */
export function parseSecrets(text: string): Judged<readonly string[]> {
  const value = itemsOf(text, /[,\n]/);
  if (value.length <= 2 && value.every((secret) => Buffer.byteLength(secret) >= SECRET_BYTES)) {
    return { value };
  }
  return {
    fault: `one secret of at least ${SECRET_BYTES} bytes, or two, separated by a comma or a new line`,
  };
}

/** Judges one secret of a webhook or, during a rotation, two. */
export function parseWebhookSecrets(text: string): Judged<readonly string[]> {
  const value = itemsOf(text, /[,\n]/);
  const isGood = value.length <= 2 && value.every((secret) => /^whsec_[0-9A-Za-z+/=_]{16,250}$/.test(secret));
  return isGood
    ? { value }
    : { fault: 'one secret that begins with whsec_, or two, separated by a comma or a new line' };
}

/** Judges the prices of a plan. */
export function parsePrices(text: string): Judged<readonly string[]> {
  const value = itemsOf(text, ',');
  const isGood =
    new Set(value).size === value.length && value.every((price) => /^price_[0-9A-Za-z]{1,250}$/.test(price));
  return isGood
    ? { value }
    : { fault: 'different ids of prices, each beginning with price_, separated by commas' };
}

/** Judges which proxies are believed: so many hops, or those with an address in the list. */
export function parseProxies(text: string): Judged<number | readonly string[]> {
  const expected = 'a number of hops from 1 to 9, or IP addresses and CIDR ranges, separated by commas';
  if (text === 'true') {
    return { fault: `${expected}; not true, for then every caller could choose its own address` };
  }
  if (/^[1-9]$/.test(text)) return { value: Number(text) };
  const value = itemsOf(text, ',');
  return value.every(isRange) ? { value } : { fault: expected };
}

const RANGES = [
  { address: bySchema({ format: 'ipv4' }, 'an IPv4 address'), bits: wholeNumber(1, 32) },
  { address: bySchema({ format: 'ipv6' }, 'an IPv6 address'), bits: wholeNumber(1, 128) },
];

function isRange(text: string): boolean {
  const [address = '', bits, ...rest] = text.split('/');
  const range = RANGES.find((each) => isSound(each.address, address));
  return range !== undefined && rest.length === 0 && (bits === undefined || isSound(range.bits, bits));
}
