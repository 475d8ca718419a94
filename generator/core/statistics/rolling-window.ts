/**
 * A multiset of numbers in ascending order, for statistics over a sliding window.
 * Every operation is at most linear in the window's size; nothing is sorted again.
 */
type RollingWindow = {
  readonly size: () => number;
  readonly add: (value: number) => void;
  /** Removes a value. Precondition: the window contains it. */
  readonly remove: (value: number) => void;
  /** Returns the median; (a + b) / 2 for an even count. Precondition: the window is not empty. */
  readonly median: () => number;
  /** Returns the median of |value - centre|. Precondition: the window is not empty. */
  readonly medianDistance: (centre: number) => number;
};

const { abs } = Math;
/** Distance of a value outside the window, larger than any other distance. */
const BEYOND = Infinity;

/** Creates an empty window for up to `capacity` values. */
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

  /** Walks outwards from `centre`, so that distances come in ascending order. */
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
  };
}
