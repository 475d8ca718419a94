/** Bytes of an object, from `start` to before `end`. */
export type ByteRange = { readonly start: number; readonly end: number };

/** Ranges that are closer are read at once, with the bytes between them. */
const NEAR_BYTES = 256 * 1024;
/** Most bytes between ranges that are read, as a share of the ranges. */
const WASTE = 0.05;
/** Most bytes of a request. */
const PIECE_BYTES = 4 * 1024 * 1024;

/**
 * Returns the ranges to read, ascending and disjoint, so that they cover all `needed` bytes before `end`. Near ones are
 * merged, the nearest first, as long as at most a twentieth is read in vain.
 */
export function planRanges(needed: readonly ByteRange[], end: number): ByteRange[] {
  const ranges = mergeTouching(
    needed
      .map((range) => ({ start: range.start, end: Math.min(range.end, end) }))
      .filter((range) => range.start < range.end)
      .sort((a, b) => a.start - b.start),
  );
  const gaps = ranges
    .slice(1)
    .map((range, i) => ({ before: range, bytes: range.start - (ranges[i]?.end ?? 0) }))
    .filter(({ bytes }) => bytes < NEAR_BYTES)
    .sort((a, b) => a.bytes - b.bytes);
  let allowed = WASTE * totalBytes(ranges);
  const closed = new Set<ByteRange>();
  for (const { before, bytes } of gaps) {
    if (bytes > allowed) break;
    allowed -= bytes;
    closed.add(before);
  }
  return mergeTouching(ranges, closed);
}

/** Returns the same bytes in ranges that one request may read. */
export function splitRanges(ranges: readonly ByteRange[]): ByteRange[] {
  const pieces: ByteRange[] = [];
  for (const { start, end } of ranges) {
    for (let from = start; from < end; from += PIECE_BYTES) {
      pieces.push({ start: from, end: Math.min(from + PIECE_BYTES, end) });
    }
  }
  return pieces;
}

/** Returns the number of bytes of disjoint ranges. */
export function totalBytes(ranges: readonly ByteRange[]): number {
  return ranges.reduce((total, { start, end }) => total + end - start, 0);
}

/** Merges each range that begins within the one before it, or that is in `closed`. Precondition: ascending. */
function mergeTouching(
  ranges: readonly ByteRange[],
  closed: ReadonlySet<ByteRange> = new Set(),
): ByteRange[] {
  const merged: ByteRange[] = [];
  for (const range of ranges) {
    const last = merged.at(-1);
    if (last !== undefined && (range.start <= last.end || closed.has(range))) {
      merged[merged.length - 1] = { start: last.start, end: Math.max(last.end, range.end) };
    } else {
      merged.push(range);
    }
  }
  return merged;
}
