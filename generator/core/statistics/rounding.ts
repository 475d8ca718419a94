import type { RoundingSettings } from '../../../schemas/types.generated.js';

/** The rounding functions of a methodology, each from finite double to double. Source: methodology v1 §0. */
export type Rounding = {
  /** Rounds a signal's z. */
  readonly signal: (x: number) => number;
  /** Rounds a weighted combination, a share or a change. */
  readonly combined: (x: number) => number;
  /** Rounds a scorecard score. */
  readonly score: (x: number) => number;
  /** Rounds a confidence score. */
  readonly confidence: (x: number) => number;
  /** Rounds a computed quantity with a unit to significant digits, half away from zero on the exact value. */
  readonly quantity: (x: number) => number;
};

export function createRounding(settings: RoundingSettings): Rounding {
  return {
    signal: toDecimals(settings.signal_decimals),
    combined: toDecimals(settings.combined_decimals),
    score: toDecimals(settings.score_decimals),
    confidence: toDecimals(settings.confidence_decimals),
    quantity: (x) => Number(x.toPrecision(settings.significant_digits)),
  };
}

/** Returns a function that computes floor(x * 10^decimals + 0.5) / 10^decimals, each step one double operation. */
function toDecimals(decimals: number): (x: number) => number {
  const scale = Number(`1e${decimals}`);
  return (x) => Math.floor(x * scale + 0.5) / scale;
}
