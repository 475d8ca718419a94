/** Output of the program `briefs`. */
export type BriefsJudged = {
  readonly briefs: number;
  readonly sentences: number;
  /** Claims that occur at least once. */
  readonly claims: readonly string[];
  /** Claims that do not occur. */
  readonly unused: readonly string[];
  /** The first faults. */
  readonly faults: readonly string[];
};
