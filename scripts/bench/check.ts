/** A measured figure beside its bound. */
export type Check = {
  readonly name: string;
  readonly measured: number;
  readonly relation: 'at most' | 'under' | 'exactly' | 'at least' | 'over';
  readonly bound: number;
  readonly unit: 'times' | 'MB' | 'objects' | 'files' | 'puts/s' | 'requests' | 'ms' | 'releases';
};

/** Whether the figure keeps its bound; one that is no number does not. */
export function isKept({ measured, relation, bound }: Check): boolean {
  switch (relation) {
    case 'at most':
      return measured <= bound;
    case 'under':
      return measured < bound;
    case 'exactly':
      return measured === bound;
    case 'at least':
      return measured >= bound;
    case 'over':
      return measured > bound;
  }
}

/** The median: the mean of the two middle ones when their number is even. NaN of none. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
  const lower = sorted[Math.ceil(sorted.length / 2) - 1] ?? Number.NaN;
  return (lower + upper) / 2;
}
