import { LABEL_MEANINGS } from '../../../schemas/catalog.js';
import type { RegimeLabel } from '../../../schemas/types.generated.js';

/** The labels in the order of the legend. */
export const LABELS = Object.keys(LABEL_MEANINGS) as RegimeLabel[]; // Object.keys loses the key type

/** A colour for light and dark mode, `#rrggbb`. */
export type Shade = { readonly light: string; readonly dark: string };

/** Background of the chart. */
export const BACKGROUND: Shade = { light: '#ffffff', dark: '#12161d' };
const TEXT: Shade = { light: '#1b2230', dark: '#e6e9ef' };
const FAINT: Shade = { light: '#d5dae2', dark: '#333b48' };
const MUTED: Shade = { light: '#5b6575', dark: '#9aa5b5' };
const DEMAND: Shade = { light: '#1a5fb4', dark: '#7fb4ff' };
const PRESSURE: Shade = { light: '#a3420a', dark: '#ffab70' };

/** Side length of a pattern's tile, in SVG units. */
export const TILE = 10;

/** Fill and strokes of a label. The strokes distinguish labels without colour. */
export type LabelStyle = { readonly fill: Shade; readonly strokeColour: Shade; readonly strokes: string };

const BLACK = '#000000';
const WHITE = '#ffffff';

/** Styles of the labels. All fills are distinguishable with any form of colour blindness, and all strokes differ. */
export const LABEL_STYLES: Readonly<Record<RegimeLabel, LabelStyle>> = {
  congested: {
    fill: { light: '#9e2219', dark: '#ea261d' },
    strokeColour: { light: WHITE, dark: BLACK },
    strokes: 'M0,0L10,10M10,0L0,10',
  },
  expanding: {
    fill: { light: '#3a9c89', dark: '#38a683' },
    strokeColour: { light: BLACK, dark: BLACK },
    strokes: 'M-2,2L2,-2M0,10L10,0M8,12L12,8',
  },
  strained: {
    fill: { light: '#da924d', dark: '#efc930' },
    strokeColour: { light: BLACK, dark: BLACK },
    strokes: 'M-2,8L2,12M0,0L10,10M8,-2L12,2',
  },
  steady: {
    fill: { light: '#bac2cb', dark: '#565656' },
    strokeColour: { light: BLACK, dark: WHITE },
    strokes: '',
  },
  slack: {
    fill: { light: '#25c6fe', dark: '#bfdce3' },
    strokeColour: { light: BLACK, dark: BLACK },
    strokes: 'M0,5L10,5',
  },
  quiet: {
    fill: { light: '#6a6395', dark: '#9a8ed1' },
    strokeColour: { light: WHITE, dark: BLACK },
    strokes: 'M4,5L6,5M5,4L5,6',
  },
  dormant: {
    fill: { light: '#1b2145', dark: '#8930a2' },
    strokeColour: { light: WHITE, dark: WHITE },
    strokes: 'M5,0L5,10',
  },
  indeterminate: {
    fill: BACKGROUND,
    strokeColour: MUTED,
    strokes: 'M2.5,0L2.5,4M7.5,5L7.5,9',
  },
};

/** Returns the style sheet of every chart, scoped to the chart. */
export function chartCss(): string {
  return [
    '.crd-chart text{font-family:system-ui,sans-serif;font-size:15px}',
    '.crd-chart .title{font-size:20px;font-weight:600}',
    '.crd-chart .run{font-weight:600;text-anchor:middle}',
    '.crd-chart .run,.crd-chart .over{stroke-width:4px;stroke-linejoin:round;paint-order:stroke}',
    '.crd-chart .strokes{fill:none;stroke-width:1.5px}',
    '.crd-chart .frame{fill:none;stroke-width:1px}',
    '.crd-chart .month,.crd-chart .zero,.crd-chart .exit{stroke-width:1px}',
    '.crd-chart .enter{stroke-width:1.5px;stroke-dasharray:8 4}',
    '.crd-chart .exit{stroke-dasharray:2 4}',
    '.crd-chart .demand,.crd-chart .pressure{fill:none;stroke-width:2px}',
    ...shades('light'),
    '@media(max-width:540px){.crd-chart text{font-size:20px}.crd-chart .title{font-size:24px}}',
    `@media(prefers-color-scheme:dark){${shades('dark').join('')}}`,
  ].join('\n');
}

function shades(mode: keyof Shade): string[] {
  const paint = (names: string, rule: 'fill' | 'stroke', shade: Shade): string =>
    `${names
      .split(' ')
      .map((name) => `.crd-chart .${name}`)
      .join(',')}{${rule}:${shade[mode]}}`;
  return [
    `.crd-chart text{fill:${TEXT[mode]}}`,
    paint('muted', 'fill', MUTED),
    paint('ground', 'fill', BACKGROUND),
    paint('run over', 'stroke', BACKGROUND),
    paint('month zero', 'stroke', FAINT),
    paint('frame enter exit', 'stroke', MUTED),
    paint('demand', 'stroke', DEMAND),
    paint('pressure', 'stroke', PRESSURE),
    ...LABELS.flatMap((label) => [
      paint(`fill-${label}`, 'fill', LABEL_STYLES[label].fill),
      paint(`ink-${label}`, 'stroke', LABEL_STYLES[label].strokeColour),
    ]),
  ];
}
