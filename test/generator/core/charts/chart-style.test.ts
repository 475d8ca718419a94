import { chartCss, BACKGROUND, LABEL_STYLES, LABELS } from '../../../../generator/core/charts/chart-style.js';
import { ciede2000, contrast, seenDifference, VISIONS } from '../../../support/pages/colour-vision.js';

const MODES = ['light', 'dark'] as const;
/** Minimum CIEDE2000 difference of two fills. People distinguish adjacent large areas at much smaller differences. */
const CLEARLY_DIFFERENT = 12;

describe('the label styles', () => {
  for (const mode of MODES) {
    it.each(Object.entries(VISIONS))(
      `have distinguishable fills in ${mode} mode with %s vision`,
      (_name, vision) => {
        const pairs = LABELS.flatMap((one, i) =>
          LABELS.slice(i + 1).map((other) => ({
            pair: `${one} ${other}`,
            difference: seenDifference(LABEL_STYLES[one].fill[mode], LABEL_STYLES[other].fill[mode], vision),
          })),
        );
        expect(pairs.filter(({ difference }) => !(difference >= CLEARLY_DIFFERENT))).toEqual([]);
      },
    );

    it(`have strokes with enough contrast to their fill in ${mode} mode`, () => {
      const weak = LABELS.filter(
        (label) => contrast(LABEL_STYLES[label].fill[mode], LABEL_STYLES[label].strokeColour[mode]) < 3,
      );
      expect(weak).toEqual([]);
    });
  }

  it('have different strokes, so that they differ without colour', () => {
    expect(new Set(LABELS.map((label) => LABEL_STYLES[label].strokes)).size).toBe(LABELS.length);
  });

  it('are all in the style sheet, for light and for dark mode', () => {
    const [light = '', dark = ''] = chartCss().split('prefers-color-scheme:dark');
    for (const label of LABELS) {
      expect(light).toContain(`.fill-${label}{fill:${LABEL_STYLES[label].fill.light}}`);
      expect(dark).toContain(`.fill-${label}{fill:${LABEL_STYLES[label].fill.dark}}`);
    }
  });

  it('are accompanied by text and lines with enough contrast to the background', () => {
    const [light = '', dark = ''] = chartCss().split('prefers-color-scheme:dark');
    const colourOf = (css: string, rule: string): string =>
      new RegExp(`${rule}[^#]*(#[0-9a-f]{6})`).exec(css)?.[1] ?? '';
    for (const [css, ground] of [
      [light, BACKGROUND.light],
      [dark, BACKGROUND.dark],
    ] as const) {
      expect(contrast(colourOf(css, 'text\\{fill'), ground)).toBeGreaterThan(7);
      expect(contrast(colourOf(css, '\\.muted'), ground)).toBeGreaterThan(4.5);
      for (const line of ['\\.demand\\{stroke:', '\\.pressure\\{stroke:']) {
        expect(contrast(colourOf(css, line), ground)).toBeGreaterThan(4.5);
      }
    }
  });
});

describe('ciede2000', () => {
  it.each([
    [[50, 2.6772, -79.7751], [50, 0, -82.7485], 2.0425],
    [[50, 2.5, 0], [73, 25, -18], 27.1492],
    [[60.2574, -34.0099, 36.2677], [60.4626, -34.1751, 39.4387], 1.2644],
    [[22.7233, 20.0904, -46.694], [23.0331, 14.973, -42.5619], 2.0373],
    [[50, 0, 0], [50, -1, 2], 2.3669],
  ] as const)('returns the published difference of %j and %j', (one, other, expected) => {
    expect(ciede2000(one, other)).toBeCloseTo(expected, 4);
  });
});

it('seenDifference finds two colours similar that people with deuteranopia confuse', () => {
  const { normal = [], deuteranopia = [] } = VISIONS;
  expect(seenDifference('#b04000', '#6a6a00', normal)).toBeGreaterThan(25);
  expect(seenDifference('#b04000', '#6a6a00', deuteranopia)).toBeLessThan(12);
});
