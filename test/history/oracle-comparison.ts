import type { Chain } from '../../schemas/types.generated.js';

/** A date on which the product and the naive implementation differ. */
export type Disagreement = { readonly date: string; readonly product: string; readonly oracle: string };

/** The comparisons on each date. */
export const COMPARED = [
  'every conclusion of the meta record',
  'the determinism hash',
  'every conclusion of the derived record',
  'the label in hindsight',
] as const;

/** The differences between the two implementations on one chain. */
export type OracleComparison = {
  readonly chain: Chain;
  readonly dates: number;
  readonly labelled: number;
  readonly disagreements: Readonly<Record<(typeof COMPARED)[number], readonly Disagreement[]>>;
};
