import { chartCss, figureCss, LABELS } from '../../../../generator/core/charts/chart-style.js';
import { OUTLINED, PAGE_COLOURS, REGIME_COLOURS } from '../../../../schemas/palette.js';

const DARK = '@media(prefers-color-scheme:dark)';
const SCHEMES = ['light', 'dark'] as const;

it('styles charts with the palette, for both schemes or for one', () => {
  const [light = '', dark = ''] = chartCss().split(DARK);
  for (const [scheme, css] of [
    ['light', light],
    ['dark', dark],
    ['dark', chartCss('dark')],
  ] as const) {
    for (const label of LABELS) {
      const colour = REGIME_COLOURS[label]?.[scheme];
      if (colour === undefined) expect(css).not.toContain(`.${label}{`);
      else expect(css).toContain(`.crd-chart .${label}{fill:${colour}}`);
    }
    expect(css).toContain(`.crd-chart .demand{stroke:${PAGE_COLOURS.demand[scheme]}}`);
    expect(css).toContain(`.crd-chart .ground{fill:${PAGE_COLOURS.card[scheme]}}`);
  }
  expect(chartCss('light')).not.toContain('@media');
});

it('never styles text in charts smaller than 12 or larger than 16 pixels', () => {
  const sizes = [...chartCss().matchAll(/font-size:(\d+)px/g)].map(([, size]) => Number(size));
  expect(sizes.length).toBeGreaterThan(4);
  expect(sizes.filter((size) => size < 12 || size > 16)).toEqual([]);
});

it('gives figures the palette as variables, and outlines the swatches that the page hides', () => {
  const [light = '', dark = ''] = figureCss().split(DARK);
  for (const [scheme, css] of [
    ['light', light],
    ['dark', dark],
  ] as const) {
    for (const [name, shade] of Object.entries(PAGE_COLOURS))
      expect(css).toContain(`--chart-${name}:${shade[scheme]}`);
    const outlined = [...css.matchAll(/regime-(\w+)\{border-color/g)].map(([, label]) => label);
    expect(outlined).toEqual([...OUTLINED[scheme], 'indeterminate']);
  }
  expect(SCHEMES.map((scheme) => OUTLINED[scheme].length)).toEqual([3, 2]);
});
