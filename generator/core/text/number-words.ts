const SCALES = [
  { from: 1e12, name: 'trillion' },
  { from: 1e9, name: 'billion' },
  { from: 1e6, name: 'million' },
] as const;
const GROUPED_FROM = 1_000;

// Noise of binary arithmetic is removed before rounding: it is beyond the 15th digit, after a multiplication beyond the 12th.

/**
 * Formats a number for people: `1.23 million`, `470,665`, `36.1`, `0.00031`. Three significant digits, two below one, and
 * whole numbers from a thousand to a million. The result does not depend on the locale.
 */
export function numberWords(x: number): string {
  const size = Number(Math.abs(x).toPrecision(15));
  const words = sizeWords(size);
  return x < 0 && words !== '0' ? `-${words}` : words;
}

function sizeWords(size: number): string {
  if (Math.round(size) < GROUPED_FROM) return decimal(size, size < 1 ? 2 : 3);
  if (Math.round(size) < 1e6) return String(Math.round(size)).replace(/\B(?=(\d{3})+$)/g, ',');
  const scale = SCALES.find(({ from }) => Number(size.toPrecision(3)) >= from) ?? SCALES[2];
  return `${decimal(size / scale.from, 3)} ${scale.name}`;
}

/** Formats with significant digits, without an exponent or trailing zeros. */
function decimal(size: number, digits: number): string {
  if (size === 0) return '0';
  const rounded = Number(size.toPrecision(digits));
  const places = Math.max(0, digits - 1 - Math.floor(Math.log10(rounded)));
  const text = rounded.toFixed(Math.min(100, places));
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}

/** Formats a share with two significant digits below 100 %: `8.6 %`, or three close to it: `99.7 %`. */
export function percentWords(share: number): string {
  const percent = Number((Math.abs(share) * 100).toPrecision(12));
  const two = decimal(percent, 2);
  // A share below 1 is never shown as 100 %.
  const three = String(Math.min(99.9, Number(percent.toPrecision(3))));
  const words = percent >= 100 ? numberWords(percent) : two === '100' ? three : two;
  return `${share < 0 && words !== '0' ? '-' : ''}${words} %`;
}

/** Formats a share as whole points of 100, rounded down, so that it never appears to have reached a minimum. */
export function pointWords(share: number): string {
  return share < 1 ? String(Math.min(99, Number(cutWords(share * 100, 0)))) : '100';
}

/** Truncates a number to some decimals, so that it never appears to have reached a boundary farther from zero. */
export function cutWords(x: number, decimals: number): string {
  const [whole = '0', fraction = ''] = Math.abs(x).toFixed(12).split('.');
  const words = decimals === 0 ? whole : `${whole}.${fraction.slice(0, decimals)}`;
  return x < 0 && Number(words) !== 0 ? `-${words}` : words;
}

/** Formats a share with three digits, rounded towards zero: `99.9 %`, `5.74 %`, `80 %`. */
export function fractionWords(part: number): string {
  const percent = Number((part * 100).toPrecision(12));
  const decimals = percent === 0 ? 0 : Math.max(0, 2 - Math.floor(Math.log10(percent)));
  return `${Number(cutWords(percent, decimals))} %`;
}
