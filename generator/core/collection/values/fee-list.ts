const FIRST_CAPACITY = 1024;
const MAX_COMPACT = 2n ** 64n - 1n;

/** The fees of a day, in the smallest unit. They take 8 bytes each, or more above 2^64 (18 ETH). */
type FeeList = {
  readonly add: (fee: bigint) => void;
  readonly sum: () => bigint;
  /** Returns twice the median, which is an integer for an even number of fees too; `undefined` of no fee. */
  readonly twiceMedian: () => bigint | undefined;
};

/** Creates an empty list of fees of at least 0. */
export function createFeeList(): FeeList {
  let compact = new BigUint64Array(FIRST_CAPACITY);
  let size = 0;
  let total = 0n;
  const large: bigint[] = [];
  return {
    add(fee) {
      total += fee;
      if (fee > MAX_COMPACT) return void large.push(fee);
      if (size === compact.length) {
        const grown = new BigUint64Array(2 * size);
        grown.set(compact);
        compact = grown;
      }
      compact[size] = fee;
      size += 1;
    },
    sum: () => total,
    twiceMedian() {
      const sorted = compact.subarray(0, size).sort();
      large.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
      const count = size + large.length;
      const at = (rank: number): bigint | undefined => (rank < size ? sorted[rank] : large[rank - size]);
      const lower = at(Math.ceil(count / 2) - 1);
      const upper = at(Math.floor(count / 2));
      return lower === undefined || upper === undefined ? undefined : lower + upper;
    },
  };
}
