import type { RegimeLabel } from './types.generated.js';

/** A colour on a light and on a dark page, `#RRGGBB`. */
export type Shade = { readonly light: string; readonly dark: string };

/**
 * Colours of the regimes on pages, in charts and in the notebook. Any two of them differ by at least 24 in CAM02-UCS, for
 * normal, deutan, protan and tritan vision. Null: a fine diagonal hatch in the colour of hairlines.
 */
export const REGIME_COLOURS: Readonly<Record<RegimeLabel, Shade | null>> = {
  congested: { light: '#96140E', dark: '#FF6333' },
  strained: { light: '#F08A13', dark: '#F9F29A' },
  expanding: { light: '#3D8073', dark: '#96B9AA' },
  steady: { light: '#CFCABA', dark: '#543F3F' },
  slack: { light: '#3DB8EC', dark: '#3F818C' },
  quiet: { light: '#7747B2', dark: '#8B20FD' },
  dormant: { light: '#102344', dark: '#263A75' },
  indeterminate: null,
};

/** Regimes whose colour has a contrast below 3:1 to the page. Marks of them have an outline. */
export const OUTLINED: Readonly<Record<keyof Shade, readonly RegimeLabel[]>> = {
  light: ['steady', 'slack', 'strained'],
  dark: ['steady', 'dormant'],
};

/** Colours of everything that is not a regime. */
export const PAGE_COLOURS = {
  ink: { light: '#1A1D21', dark: '#E8E6E1' },
  /** Secondary text. */
  soft: { light: '#5B626C', dark: '#A2A8B1' },
  /** Hairlines. */
  line: { light: '#E4E2DC', dark: '#2B3038' },
  /** Outlines of marks, 3:1 to the page and to cards. */
  outline: { light: '#8A8F97', dark: '#6F7680' },
  page: { light: '#FBFAF7', dark: '#12151A' },
  card: { light: '#FFFFFF', dark: '#181C22' },
  accent: { light: '#1D4F91', dark: '#8FB8F0' },
  /** Text about stale data and errors, and its background. */
  bad: { light: '#A3210F', dark: '#FF9D85' },
  badPage: { light: '#FDEEE9', dark: '#33201B' },
  /** Lines of the axes of demand and pressure in charts. */
  demand: { light: '#1A5FB4', dark: '#7FB4FF' },
  pressure: { light: '#A3420A', dark: '#FFAB70' },
} as const satisfies Readonly<Record<string, Shade>>;
