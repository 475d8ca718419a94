/** How a value axis is divided: in equal steps, or in equal ratios. */
export type ScaleKind = 'linear' | 'log';

/** A value axis: its ends, its labelled values, and where a value is on it. */
export type Scale = {
  readonly kind: ScaleKind;
  readonly low: number;
  readonly high: number;
  /** Ascending. */
  readonly ticks: readonly number[];
  /** Returns the position of a value: 0 at the low end, 1 at the high end; null for one that the axis cannot show. */
  readonly place: (value: number) => number | null;
};

/** Ratio of the 99th to the 1st percentile from which a metric is shown in ratios at first. */
const LOG_RATIO = 100;
/** Largest number of steps between the ticks of an axis. */
const MAX_STEPS = 5;
/** Share of the largest value that values must vary by, so that a linear axis begins at zero. */
const FROM_ZERO = 0.4;

/** Values that vary by less than this share have a linear axis that begins at zero, too. */
const MIN_SPREAD = 1e-6;

type Values = readonly (number | null | undefined)[];

/** Returns the scale that suits all values of a metric: log if most of the positive ones spread over two powers of ten. */
export function scaleFor(values: Values): ScaleKind {
  const positive = Float64Array.from(
    values.filter((value): value is number => value !== null && value !== undefined && value > 0),
  ).sort();
  const [low, high] = [0.01, 0.99].map((share) => positive[Math.floor(share * (positive.length - 1))]);
  return low !== undefined && high !== undefined && high / low >= LOG_RATIO ? 'log' : 'linear';
}

/** Returns the axis for some values. A log axis leaves out values that are not positive, and becomes linear if no other is left. Without values it reaches from 0 to 1, or from 1 to 10. */
export function toScale(kind: ScaleKind, values: Values): Scale {
  let [least, most] = [Infinity, -Infinity];
  for (const value of values) {
    if (value === null || value === undefined || (kind === 'log' && value <= 0)) continue;
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (kind === 'log' && (least <= most || !values.some((value) => typeof value === 'number')))
    return logScale(least, most);
  return kind === 'log' ? toScale('linear', values) : linearScale(least, most);
}

function linearScale(least: number, most: number): Scale {
  const hasValues = least <= most;
  const top = hasValues ? most : 1;
  const isFromZero = !hasValues || most - least >= FROM_ZERO * most || most - least <= MIN_SPREAD * most;
  const bottom = isFromZero ? Math.min(0, hasValues ? least : 0) : least;
  const step = Math.max(niceStep((top - bottom) / MAX_STEPS || 1), leastStep(top));
  const [first, last] = [Math.floor(bottom / step), Math.max(1, Math.ceil(top / step - 1e-9))];
  const ticks = Array.from({ length: last - first + 1 }, (_, i) => clean((first + i) * step));
  const [low, high] = [clean(first * step), clean(last * step)];
  return { kind: 'linear', low, high, ticks, place: (value) => (value - low) / (high - low) };
}

/** Returns the least difference of two numbers that `numberWords` writes differently, if they are not above `top`. */
function leastStep(top: number): number {
  const power = Math.floor(Math.log10(top));
  if (power >= 3 && power < 6) return 1;
  return clean(10 ** (power - (power < 0 ? 1 : 2)));
}

/** Returns the smallest of 1, 2 and 5 times a power of ten that is not below `least`. */
function niceStep(least: number): number {
  const power = 10 ** Math.floor(Math.log10(least));
  const factor = [1, 2, 5].find((each) => clean(each * power) >= clean(least)) ?? 10;
  return clean(factor * power);
}

function logScale(least: number, most: number): Scale {
  const [bottom, top] = least <= most ? [least, most] : [1, 10];
  const ticks = logTicks(bottom, top);
  const [low, high] = [ticks[0] ?? bottom, ticks.at(-1) ?? top];
  const [from, size] = [Math.log10(low), Math.log10(high / low)];
  const place = (value: number): number | null => (value > 0 ? (Math.log10(value) - from) / size : null);
  return { kind: 'log', low, high, ticks, place };
}

/** Multiples of powers of ten that are labelled, from the closest to the widest. */
const MULTIPLES = [[1, 2, 3, 5, 7], [1, 2, 5], [1, 3], [1]] as const;

/** Returns the ticks around a span: multiples of powers of ten, or every second or third power. */
function logTicks(bottom: number, top: number): number[] {
  const [first, last] = [Math.floor(Math.log10(bottom)), Math.ceil(Math.log10(top))];
  const powers = Array.from({ length: last - first + 3 }, (_, i) => first - 1 + i);
  for (const multiples of MULTIPLES) {
    const all = powers.flatMap((power) => multiples.map((multiple) => clean(multiple * 10 ** power)));
    const from = all.findLastIndex((tick) => tick <= bottom);
    const to = all.findIndex((tick) => tick >= top);
    const ticks = all.slice(Math.max(0, from), Math.max(from + 2, to + 1));
    if (ticks.length - 1 <= MAX_STEPS) return ticks;
  }
  const skipped = Math.ceil((last - first) / MAX_STEPS);
  return Array.from({ length: Math.ceil((last - first) / skipped) + 1 }, (_, i) =>
    clean(10 ** (first + i * skipped)),
  );
}

/** Removes what binary fractions add: 0.30000000000000004 is 0.3. */
function clean(x: number): number {
  if (x === 0) return 0;
  const power = Math.floor(Math.log10(Math.abs(x))) - 11;
  return Number(`${Math.round(x / 10 ** power)}e${power}`);
}
