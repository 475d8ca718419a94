import { OUTLINED, PAGE_COLOURS, REGIME_COLOURS, type Shade } from '../../schemas/palette.js';
import type { RegimeLabel } from '../../schemas/types.generated.js';
import { contrast, seenDifference, ucsOf, VISIONS } from '../support/pages/colour-vision.js';

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
  });
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
