import { LABEL_MEANINGS } from '../../../schemas/catalog.js';
import { OUTLINED, PAGE_COLOURS, REGIME_COLOURS, type Shade } from '../../../schemas/palette.js';
import type { RegimeLabel } from '../../../schemas/types.generated.js';

/** The labels in the order of the legend. */
export const LABELS = Object.keys(LABEL_MEANINGS) as RegimeLabel[]; // Object.keys loses the key type

export type Scheme = keyof Shade;

type Colour = keyof typeof PAGE_COLOURS;

/** How a mark is painted. A regime is filled with its colour; `indeterminate` is hatched. */
export type Paint = RegimeLabel | keyof typeof STROKES | 'ground';

type Stroke = { readonly colour: Colour; readonly width: number; readonly dash?: readonly number[] };

/** Lines, with their width and dashes in pixels. */
export const STROKES = {
  frame: { colour: 'outline', width: 1 },
  hatch: { colour: 'line', width: 2 },
  tick: { colour: 'line', width: 1 },
  zero: { colour: 'outline', width: 1 },
  enter: { colour: 'outline', width: 1, dash: [6, 4] },
  exit: { colour: 'outline', width: 1, dash: [1, 4] },
  demand: { colour: 'demand', width: 1.75 },
  pressure: { colour: 'pressure', width: 1.75 },
  metric: { colour: 'accent', width: 1.5 },
  event: { colour: 'outline', width: 1, dash: [3, 3] },
} as const satisfies Readonly<Record<string, Stroke>>;

export type TextStyle = keyof typeof TEXTS;

/** Texts. Sizes are in pixels; `halo` keeps a text readable above lines. */
export const TEXTS = {
  title: { colour: 'ink', size: 16, weight: 600, halo: false },
  name: { colour: 'ink', size: 14, weight: 600, halo: false },
  'demand-name': { colour: 'demand', size: 14, weight: 600, halo: false },
  'pressure-name': { colour: 'pressure', size: 14, weight: 600, halo: false },
  state: { colour: 'soft', size: 13, weight: 400, halo: false },
  note: { colour: 'soft', size: 12, weight: 400, halo: false },
  time: { colour: 'soft', size: 12, weight: 400, halo: false },
  'metric-name': { colour: 'ink', size: 14, weight: 600, halo: true },
  'event-name': { colour: 'soft', size: 12, weight: 400, halo: true },
  axis: { colour: 'soft', size: 12, weight: 400, halo: false },
  threshold: { colour: 'soft', size: 12, weight: 400, halo: true },
} as const satisfies Readonly<
  Record<string, { colour: Colour; size: number; weight: number; halo: boolean }>
>;

/** Opacity of the background of a line. */
export const FAINT = 0.18;

export const FONT = 'system-ui, sans-serif';
/** Distance of the lines of the hatch, in pixels. */
export const HATCH_STEP = 6;

/** Returns the colour of a page or of a regime. Hatched regimes have the colour of the ground. */
export function colourOf(name: Colour | RegimeLabel, scheme: Scheme): string {
  if (name in PAGE_COLOURS) return PAGE_COLOURS[name as Colour][scheme]; // checked just before
  return (REGIME_COLOURS[name as RegimeLabel] ?? PAGE_COLOURS.card)[scheme];
}

/** Returns whether a regime is hatched instead of filled. */
export function isHatched(label: RegimeLabel): boolean {
  return REGIME_COLOURS[label] === null;
}

/** Returns the style sheet of charts: for both schemes, or for one. */
export function chartCss(scheme?: Scheme): string {
  const rules = [
    `.crd-chart text{font-family:${FONT}}`,
    ...Object.entries(TEXTS).map(
      ([name, { size, weight, halo }]) =>
        `.crd-chart .${name}{font-size:${size}px;font-weight:${weight}${halo ? ';stroke-width:4px;stroke-linejoin:round;paint-order:stroke' : ''}}`,
    ),
    ...Object.entries<Stroke>(STROKES).map(
      ([name, { width, dash }]) =>
        `.crd-chart .${name}{fill:none;stroke-width:${width}px${dash === undefined ? '' : `;stroke-dasharray:${dash.join(' ')}`}}`,
    ),
    `.crd-chart .faint{fill-opacity:${FAINT}}`,
    '.crd-chart rect,.crd-chart .bars{shape-rendering:crispEdges}',
    '.crd-chart path{vector-effect:non-scaling-stroke;stroke-linecap:round;stroke-linejoin:round}',
  ];
  const dark = `@media(prefers-color-scheme:dark){${chartColours('dark').join('')}}`;
  return [...rules, ...chartColours(scheme ?? 'light'), ...(scheme === undefined ? [dark] : [])].join('\n');
}

function chartColours(scheme: Scheme): string[] {
  const card = colourOf('card', scheme);
  return [
    `.crd-chart .ground{fill:${card}}`,
    ...LABELS.filter((label) => !isHatched(label)).map(
      (label) => `.crd-chart .${label}{fill:${colourOf(label, scheme)}}`,
    ),
    ...Object.entries(STROKES).map(
      ([name, { colour }]) => `.crd-chart .${name}{stroke:${colourOf(colour, scheme)}}`,
    ),
    ...Object.entries(TEXTS).map(
      ([name, { colour, halo }]) =>
        `.crd-chart .${name}{fill:${colourOf(colour, scheme)}${halo ? `;stroke:${card}` : ''}}`,
    ),
  ];
}

/** Returns the style sheet of what surrounds a chart on a page: the colours as variables, and the swatches of the labels. */
export function figureCss(): string {
  const variables = (scheme: Scheme): string =>
    [...(Object.keys(PAGE_COLOURS) as Colour[]), ...LABELS] // Object.keys loses the key type
      .map((name) => `--chart-${name}:${colourOf(name, scheme)}`)
      .join(';');
  const outlined = (scheme: Scheme): string =>
    [...OUTLINED[scheme], 'indeterminate']
      .map((label) => `.chart-swatch.regime-${label}{border-color:var(--chart-outline)}`)
      .join('');
  return [
    `.chart-figure{${variables('light')}}`,
    ...LABELS.map((label) => `.chart-swatch.regime-${label}{background:var(--chart-${label})}`),
    outlined('light'),
    `@media(prefers-color-scheme:dark){.chart-figure{${variables('dark')}}`,
    `.chart-swatch{border-color:transparent!important}${outlined('dark').replaceAll('}', '!important}')}}`,
  ].join('\n');
}
