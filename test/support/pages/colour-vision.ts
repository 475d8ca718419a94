// Perceived colour differences (CIEDE2000), contrast, and colour blindness (Machado, Oliveira and Fernandes 2009).

/** A colour in linear sRGB or CIE L*a*b*, or a row of a matrix. */
type Triple = readonly [number, number, number];

/** Normal vision and three kinds of colour blindness, as matrices over linear sRGB. */
export const VISIONS: Readonly<Record<string, readonly Triple[]>> = {
  normal: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};

/** Returns the CIEDE2000 difference of two `#rrggbb` colours for a kind of vision. About 2 is just noticeable. */
export function seenDifference(one: string, other: string, vision: readonly Triple[]): number {
  return ciede2000(toLab(see(one, vision)), toLab(see(other, vision)));
}

/** Returns the contrast ratio of two colours, from 1 to 21 (WCAG 2). */
export function contrast(one: string, other: string): number {
  const [low = 0, high = 0] = [one, other].map((colour) => luminance(toLinear(colour))).sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

function see(colour: string, vision: readonly Triple[]): Triple {
  const rgb = toLinear(colour);
  return triple((i) => Math.min(1, Math.max(0, dot(vision[i] ?? rgb, rgb))));
}

function toLinear(colour: string): Triple {
  return triple((i) => {
    const c = Number.parseInt(colour.slice(1 + 2 * i, 3 + 2 * i), 16) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
}

const luminance = (rgb: Triple): number => dot([0.2126, 0.7152, 0.0722], rgb);

/** Converts linear sRGB to CIE L*a*b* with the white point D65. */
function toLab(rgb: Triple): Triple {
  const f = (t: number): number => (t > (6 / 29) ** 3 ? Math.cbrt(t) : t / (3 * (6 / 29) ** 2) + 4 / 29);
  const x = f(dot([0.4124564, 0.3575761, 0.1804375], rgb) / 0.95047);
  const y = f(dot([0.2126729, 0.7151522, 0.072175], rgb));
  const z = f(dot([0.0193339, 0.119192, 0.9503041], rgb) / 1.08883);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

/** Returns the CIEDE2000 colour difference (Sharma, Wu and Dalal 2005). */
export function ciede2000([l1, a1, b1]: Triple, [l2, a2, b2]: Triple): number {
  const bend = (c: number): number => Math.sqrt(c ** 7 / (c ** 7 + 25 ** 7));
  const g = 1.5 - bend((Math.hypot(a1, b1) + Math.hypot(a2, b2)) / 2) / 2;
  const c1 = Math.hypot(a1 * g, b1);
  const c2 = Math.hypot(a2 * g, b2);
  const h1 = hue(a1 * g, b1);
  const h2 = hue(a2 * g, b2);
  const turn = c1 * c2 === 0 ? 0 : ((h2 - h1 + 540) % 360) - 180;
  const dH = 2 * Math.sqrt(c1 * c2) * sin(turn / 2);
  const l = (l1 + l2) / 2;
  const c = (c1 + c2) / 2;
  const h = c1 * c2 === 0 ? h1 + h2 : h1 + turn / 2;
  const t = 1 - 0.17 * cos(h - 30) + 0.24 * cos(2 * h) + 0.32 * cos(3 * h + 6) - 0.2 * cos(4 * h - 63);
  const dL = (l2 - l1) / (1 + (0.015 * (l - 50) ** 2) / Math.sqrt(20 + (l - 50) ** 2));
  const dC = (c2 - c1) / (1 + 0.045 * c);
  const dHue = dH / (1 + 0.015 * c * t);
  const around = Math.exp(-(((((h + 360) % 360) - 275) / 25) ** 2));
  return Math.sqrt(dL ** 2 + dC ** 2 + dHue ** 2 - 2 * bend(c) * sin(60 * around) * dC * dHue);
}

const hue = (a: number, b: number): number =>
  a === 0 && b === 0 ? 0 : (Math.atan2(b, a) * 180) / Math.PI + (b < 0 ? 360 : 0);
const sin = (degrees: number): number => Math.sin((degrees * Math.PI) / 180);
const cos = (degrees: number): number => Math.cos((degrees * Math.PI) / 180);
const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const triple = (of: (i: number) => number): Triple => [of(0), of(1), of(2)];
