import { readFile } from 'node:fs/promises';
import { OUTLINED, PAGE_COLOURS, REGIME_COLOURS, type Shade } from '../../schemas/palette.js';
import type { RegimeLabel } from '../../schemas/types.generated.js';

// Perceived colour differences (CAM02-UCS), contrast, and colour blindness (Machado, Oliveira and Fernandes 2009).

/** A colour in linear sRGB or CIE L*a*b*, or a row of a matrix. */
type Triple = readonly [number, number, number];

/** Normal vision and three kinds of colour blindness, as matrices over linear sRGB. */
const VISIONS: Readonly<Record<string, readonly Triple[]>> = {
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

/** Returns the CAM02-UCS difference of two `#rrggbb` colours for a kind of vision. About 1 is just noticeable. */
function seenDifference(one: string, other: string, vision: readonly Triple[]): number {
  const [a, b] = [toUcs(see(one, vision)), toUcs(see(other, vision))];
  return Math.hypot(...triple((i) => (a[i] ?? 0) - (b[i] ?? 0)));
}

/** Returns J', a' and b' of a `#rrggbb` colour in CAM02-UCS. */
function ucsOf(colour: string): Triple {
  return toUcs(toLinear(colour));
}

/** Returns the contrast ratio of two colours, from 1 to 21 (WCAG 2). */
function contrast(one: string, other: string): number {
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

const XYZ: readonly Triple[] = [
  [0.4124, 0.3576, 0.1805],
  [0.2126, 0.7152, 0.0722],
  [0.0193, 0.1192, 0.9505],
];
const CAT02: readonly Triple[] = [
  [0.7328, 0.4296, -0.1624],
  [-0.7036, 1.6975, 0.0061],
  [0.003, 0.0136, 0.9834],
];
/** From the space of CAT02 to that of Hunt, Pointer and Estévez. */
const HPE: readonly Triple[] = [
  [0.7409792, 0.218025, 0.0410058],
  [0.2853532, 0.6242014, 0.0904454],
  [-0.0096276, -0.005698, 1.0153256],
];
const WHITE: Triple = [95.047, 100, 108.883];
/** Luminance of the adapting field in cd/m², for sRGB, and that of the background in percent. */
const ADAPTING = 64 / Math.PI / 5;
const BACKGROUND = 20;

/** Converts linear sRGB to CAM02-UCS (CIECAM02, average surround; Luo, Cui and Li 2006). */
function toUcs(rgb: Triple): Triple {
  const k = 1 / (5 * ADAPTING + 1);
  const fl = 0.2 * k ** 4 * 5 * ADAPTING + 0.1 * (1 - k ** 4) ** 2 * Math.cbrt(5 * ADAPTING);
  const n = BACKGROUND / 100;
  const nbb = 0.725 * n ** -0.2;
  const degree = 1 - Math.exp((-ADAPTING - 42) / 92) / 3.6;
  const white = times(CAT02, WHITE);
  const adapt = (xyz: Triple): Triple => {
    const cone = times(CAT02, xyz);
    const adapted = triple((i) => (degree * 100) / (white[i] ?? 1) + 1 - degree);
    const hpe = times(
      HPE,
      triple((i) => (adapted[i] ?? 0) * (cone[i] ?? 0)),
    );
    return triple((i) => {
      const power = ((fl * Math.abs(hpe[i] ?? 0)) / 100) ** 0.42;
      return Math.sign(hpe[i] ?? 0) * ((400 * power) / (power + 27.13)) + 0.1;
    });
  };
  const response = (cone: Triple): number => (dot([2, 1, 1 / 20], cone) - 0.305) * nbb;
  const cone = adapt(triple((i) => 100 * dot(XYZ[i] ?? rgb, rgb)));
  const a = dot([1, -12 / 11, 1 / 11], cone);
  const b = dot([1 / 9, 1 / 9, -2 / 9], cone);
  const hue = Math.atan2(b, a);
  const t =
    ((50_000 / 13) * nbb * 0.25 * (Math.cos(hue + 2) + 3.8) * Math.hypot(a, b)) / dot([1, 1, 21 / 20], cone);
  const lightness = 100 * (response(cone) / response(adapt(WHITE))) ** (0.69 * (1.48 + Math.sqrt(n)));
  const chroma = t ** 0.9 * Math.sqrt(lightness / 100) * (1.64 - 0.29 ** n) ** 0.73;
  const colourfulness = Math.log(1 + 0.0228 * chroma * fl ** 0.25) / 0.0228;
  return [
    (1.7 * lightness) / (1 + 0.007 * lightness),
    colourfulness * Math.cos(hue),
    colourfulness * Math.sin(hue),
  ];
}

const times = (matrix: readonly Triple[], vector: Triple): Triple =>
  triple((i) => dot(matrix[i] ?? vector, vector));
const dot = (a: Triple, b: Triple): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const triple = (of: (i: number) => number): Triple => [of(0), of(1), of(2)];

const SCHEMES = ['light', 'dark'] as const;
/** Least difference of two regimes in CAM02-UCS. */
const APART = 24;
const FILLED = Object.entries(REGIME_COLOURS).flatMap(([label, shade]) =>
  shade === null ? [] : [[label as RegimeLabel, shade] as const],
);

describe.each(SCHEMES)('the palette in the %s scheme', (scheme) => {
  it.each(Object.entries(VISIONS))('tells any two regimes apart with %s vision', (_name, vision) => {
    const pairs = FILLED.flatMap(([one, a], i) =>
      FILLED.slice(i + 1).map(([other, b]) => ({
        pair: `${one} ${other}`,
        difference: seenDifference(a[scheme], b[scheme], vision),
      })),
    );
    expect(pairs).toHaveLength(21);
    expect(pairs.filter(({ difference }) => !(difference >= APART))).toEqual([]);
  });

  it('outlines the regimes that the page hides, and only them, in a colour that shows on pages and cards', () => {
    const page = PAGE_COLOURS.page[scheme];
    const weak = FILLED.filter(([, shade]) => contrast(shade[scheme], page) < 3).map(([label]) => label);
    expect([...OUTLINED[scheme]].sort()).toEqual(weak.sort());
    for (const ground of [page, PAGE_COLOURS.card[scheme]])
      expect(contrast(PAGE_COLOURS.outline[scheme], ground)).toBeGreaterThanOrEqual(3);
  });

  it('has texts with a contrast of at least 4.5 to pages and cards', () => {
    const texts: Shade[] = [PAGE_COLOURS.ink, PAGE_COLOURS.soft, PAGE_COLOURS.accent];
    const lines: Shade[] = [PAGE_COLOURS.demand, PAGE_COLOURS.pressure]; // also the names of the lines
    for (const ground of [PAGE_COLOURS.page, PAGE_COLOURS.card])
      for (const text of [...texts, ...lines])
        expect(contrast(text[scheme], ground[scheme])).toBeGreaterThanOrEqual(4.5);
    expect(contrast(PAGE_COLOURS.bad[scheme], PAGE_COLOURS.badPage[scheme])).toBeGreaterThanOrEqual(4.5);
    expect(contrast(PAGE_COLOURS.page[scheme], PAGE_COLOURS.accent[scheme])).toBeGreaterThanOrEqual(4.5); // buttons
  });
});

it('gives a calm regime less weight in the dark scheme than one with scarce block space', () => {
  const weightOf = (label: RegimeLabel): number =>
    contrast(REGIME_COLOURS[label]?.dark ?? '', PAGE_COLOURS.page.dark);
  for (const calm of ['steady', 'slack', 'quiet', 'dormant'] as const) {
    expect([calm, weightOf(calm) < 0.65 * weightOf('strained')]).toEqual([calm, true]);
    for (const scarce of ['strained', 'congested'] as const)
      expect([calm, scarce, weightOf(calm) < weightOf(scarce)]).toEqual([calm, scarce, true]);
  }
});

it.each([...FILLED, ...Object.entries(PAGE_COLOURS)])('is in the style sheet: %s', async (name, shade) => {
  const css = await readFile(new URL('../../templates/pages/first.css', import.meta.url), 'utf8');
  const variable = name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const inSheet = css
    .split('@media (prefers-color-scheme: dark)')
    .map((text) => new RegExp(`--${variable}: (#[0-9a-f]{6});`).exec(text)?.[1]?.toUpperCase());
  expect(inSheet).toEqual([shade.light, shade.dark]);
});

// From colorspacious 1.1.2: cspace_convert(colour, 'sRGB1', 'CAM02-UCS').
it.each([
  ['#96140E', [36.48, 29.5, 17.39]],
  ['#F08A13', [71.77, 14.58, 28.33]],
  ['#CFCABA', [83.64, -0.63, 4.99]],
  ['#4C4DC8', [40.97, 0.02, -31.73]],
])('converts %s to CAM02-UCS as a reference implementation does', (colour, expected) => {
  for (const [i, value] of ucsOf(colour).entries()) expect(value).toBeCloseTo(expected[i] ?? NaN, 1);
});

it('finds two colours similar that people with deuteranopia confuse', () => {
  const { normal = [], deuteranopia = [] } = VISIONS;
  expect(seenDifference('#b04000', '#6a6a00', normal)).toBeGreaterThan(
    2 * seenDifference('#b04000', '#6a6a00', deuteranopia),
  );
});
