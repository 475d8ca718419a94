import type { RoundingTerms } from '../../../schemas/types.generated.js';

/** The roundings of a methodology. Each maps a finite double to a double. Source: methodology v1 §0. */
export type Rounding = {
  /** A signal's z. */
  readonly signal: (x: number) => number;
  /** Whatever weights combine, and every share or change. */
  readonly combined: (x: number) => number;
  /** A scorecard score. */
  readonly score: (x: number) => number;
  /** A confidence score. */
  readonly confidence: (x: number) => number;
  /** A computed quantity with a unit: so many significant digits, half away from zero on its exact value. */
  readonly quantity: (x: number) => number;
};

/** The roundings that the terms name. */
export function createRounding(terms: RoundingTerms): Rounding {
  return {
    signal: toDecimals(terms.signal_decimals),
    combined: toDecimals(terms.combined_decimals),
    score: toDecimals(terms.score_decimals),
    confidence: toDecimals(terms.confidence_decimals),
    quantity: (x) => Number(x.toPrecision(terms.significant_digits)),
  };
}

/** Rounds to `decimals` places: floor(x * 10^decimals + 0.5) / 10^decimals, each step one double operation. */
export function toDecimals(decimals: number): (x: number) => number {
  const scale = Number(`1e${decimals}`);
  return (x) => Math.floor(x * scale + 0.5) / scale;
}
