/** What the program `briefs` prints. */
export type BriefsJudged = {
  readonly briefs: number;
  readonly sentences: number;
  /** The claims that were made at least once. */
  readonly claims: readonly string[];
  /** Those that were not. */
  readonly unused: readonly string[];
  /** The first things that a brief says and may not. */
  readonly faults: readonly string[];
};
