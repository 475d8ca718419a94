/** Blocks between the first two that are looked at, about an hour on ethereum. */
const FIRST_STEP = 256;

/** A block and its time in seconds since the epoch. */
export type TimedBlock = { readonly number: number; readonly time: number };

/**
 * Returns the number of the first block whose time is at least `time`, by a search that doubles its steps back from `top`
 * and then halves them: it reads no block much older than the result, which a pruned node may not have.
 * Preconditions: times do not decrease; that of `top` is at least `time`.
 */
export async function findFirstBlock(
  time: number,
  top: TimedBlock,
  read: (number: number) => Promise<TimedBlock>,
): Promise<number> {
  let high = top.number;
  let low = high;
  for (let step = FIRST_STEP; low === high; step *= 2) {
    low = Math.max(-1, high - step); // -1: before the first block
    if (low >= 0 && (await read(low)).time >= time) high = low;
  }
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2);
    if ((await read(middle)).time >= time) high = middle;
    else low = middle;
  }
  return high;
}
