/**
 * A multiset of numbers kept in ascending order, for statistics over a window that slides.
 * Adding, removing and asking cost at most the window's size, never a sort.
 */
export type RollingWindow = {
  readonly size: () => number;
  readonly add: (value: number) => void;
  /** Precondition: `value` was added and not removed since. */
  readonly remove: (value: number) => void;
  /** Precondition: not empty. The median of an even count is (a + b) / 2. */
  readonly median: () => number;
  /** The median of |value - centre|. Precondition: not empty. */
  readonly medianDistance: (centre: number) => number;
  /** How many values lie below `value`. */
  readonly countBelow: (value: number) => number;
  /** How many values equal `value`. */
  readonly countEqual: (value: number) => number;
};

const { abs } = Math;
/** What an index beyond the window reads as: farther than any value. */
const BEYOND = Infinity;

/** An empty window that can hold `capacity` values. */
export function createRollingWindow(capacity: number): RollingWindow {
  const sorted = new Float64Array(capacity);
  let size = 0;
  const at = (i: number): number => sorted[i] ?? BEYOND;

  function lowerBound(value: number): number {
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (at(middle) < value) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function add(value: number): void {
    const i = lowerBound(value);
    sorted.copyWithin(i + 1, i, size);
    sorted[i] = value;
    size += 1;
  }

  function remove(value: number): void {
    const i = lowerBound(value);
    sorted.copyWithin(i, i + 1, size);
    size -= 1;
  }

  /** Walks outwards from `centre`; distances come in ascending order. */
  function medianDistance(centre: number): number {
    let right = lowerBound(centre);
    let left = right - 1;
    let lower = 0;
    let upper = 0;
    for (let rank = 0; rank <= size >> 1; rank += 1) {
      const toLeft = left >= 0 ? abs(at(left) - centre) : BEYOND;
      const toRight = right < size ? abs(at(right) - centre) : BEYOND;
      lower = upper;
      if (toLeft <= toRight) {
        upper = toLeft;
        left -= 1;
      } else {
        upper = toRight;
        right += 1;
      }
    }
    return size % 2 === 1 ? upper : (lower + upper) / 2;
  }

  return {
    size: () => size,
    add,
    remove,
    median: () => (size % 2 === 1 ? at(size >> 1) : (at((size >> 1) - 1) + at(size >> 1)) / 2),
    medianDistance,
    countBelow: lowerBound,
    countEqual: (value) => {
      let end = lowerBound(value);
      const start = end;
      while (end < size && at(end) === value) end += 1;
      return end - start;
    },
  };
}
