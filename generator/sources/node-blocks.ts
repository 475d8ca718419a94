import { pMapIterable } from 'p-map';

/** Options for `readAhead`. */
type ReadAheadOptions<Part, Result> = {
  /** Number of parts that are read at the same time. */
  readonly concurrency: number;
  readonly read: (part: Part, signal: AbortSignal) => Promise<Result>;
  readonly signal: AbortSignal;
};

/** Results that may wait for an earlier one, for each part that is read at the same time. */
const WAITING = 2;

/**
 * Reads parts, and yields their results: in the order of the parts, or each as soon as it is there. A part begins when an
 * earlier one has ended, so that a slow one does not hold up the others. When one fails, the others are stopped.
 */
export async function* readAhead<Part, Result>(
  parts: Iterable<Part> | AsyncIterable<Part>,
  order: 'of parts' | 'any',
  { concurrency, read, signal }: ReadAheadOptions<Part, Result>,
): AsyncGenerator<Result> {
  const ended = new AbortController();
  const any = AbortSignal.any([signal, ended.signal]);
  const preserveOrder = order === 'of parts';
  const window = {
    concurrency,
    preserveOrder,
    backpressure: preserveOrder ? WAITING * concurrency : concurrency,
  };
  const results: AsyncIterable<{ readonly result: Result }> = pMapIterable(
    parts,
    async (part) => {
      try {
        any.throwIfAborted();
        return { result: await read(part, any) };
      } catch (error) {
        ended.abort(error);
        throw error;
      }
    },
    window,
  );
  try {
    for await (const { result } of results) yield result;
  } finally {
    ended.abort();
  }
}

/** Returns the numbers from `first` to `last` in parts of at most `size`. */
export function toParts(first: number, last: number, size: number): number[][] {
  const parts: number[][] = [];
  for (let start = first; start <= last; start += size) {
    const length = Math.min(size, last - start + 1);
    parts.push(Array.from({ length }, (_, i) => start + i));
  }
  return parts;
}

/** Joins consecutive items to groups of at most `count`, whose weights add up to at most `weight` if it is not a single one. */
export async function* inGroups<T>(
  items: Iterable<T> | AsyncIterable<T>,
  weigh: (item: T) => number,
  most: { readonly count: number; readonly weight: number },
): AsyncGenerator<readonly T[]> {
  let group: T[] = [];
  let weight = 0;
  for await (const item of items) {
    if (group.length === most.count || (group.length > 0 && weight + weigh(item) > most.weight)) {
      yield group;
      [group, weight] = [[], 0];
    }
    group.push(item);
    weight += weigh(item);
  }
  if (group.length > 0) yield group;
}

/** A block and its time in seconds since the epoch. */
export type TimedBlock = { readonly number: number; readonly time: number };

/** Blocks between the first two that are looked at, about an hour on ethereum. */
const FIRST_STEP = 256;
/** Most blocks that a request of a search looks at: more would cost more bytes than the requests that they save. */
const LOOKS = 16;

/**
 * Returns the number of the first block whose time is at least `time`.
 * Preconditions: times do not decrease; that of `top` is at least `time`.
 */
export type BlockSearch = (time: number, top: TimedBlock, signal: AbortSignal) => Promise<number>;

/**
 * Creates a search that keeps what it found. It looks between the blocks that it knows. Without one before `time` it first
 * goes back from the earliest with doubling steps: it reads no block much older than the result, which a pruned node may not
 * have. Then each request, of at most 16 and `batchSize` blocks, divides the rest.
 */
export function createBlockSearch(
  batchSize: number,
  read: (numbers: readonly number[], signal: AbortSignal) => Promise<readonly TimedBlock[]>,
): BlockSearch {
  const size = Math.min(LOOKS, batchSize);
  const found = new Map<number, number>();

  async function stepBack(time: number, from: number, signal: AbortSignal): Promise<Range> {
    let high = from;
    for (let step = FIRST_STEP; ; step *= 2) {
      const low = Math.max(-1, high - step); // -1: before the first block
      const [block] = low < 0 ? [] : await read([low], signal);
      if (block === undefined || block.time < time) return { low, high };
      high = low;
    }
  }

  return async (time, top, signal) => {
    const known = found.get(time);
    if (known !== undefined) return known;
    const after = [...found].filter(([at]) => at > time).map(([, number]) => number);
    const before = [...found].filter(([at]) => at < time).map(([, number]) => number - 1);
    const end = Math.min(top.number, ...after);
    let range =
      before.length > 0 ? { low: Math.max(...before), high: end } : await stepBack(time, end, signal);
    while (range.high - range.low > 1) {
      const blocks = await read(spread(range, size), signal);
      const at = blocks.findIndex((block) => block.time >= time);
      const [low, high] = at === -1 ? [blocks.at(-1)] : [blocks[at - 1], blocks[at]];
      range = { low: low?.number ?? range.low, high: high?.number ?? range.high };
    }
    found.set(time, range.high);
    return range.high;
  };
}

/** The block before the searched one, or an earlier one, and that block, or a later one. */
type Range = { readonly low: number; readonly high: number };

/** Returns at most `size` numbers between the ends of a range, at equal distances. */
function spread({ low, high }: Range, size: number): number[] {
  const count = Math.min(size, high - low - 1);
  return Array.from({ length: count }, (_, i) => low + Math.round(((i + 1) * (high - low)) / (count + 1)));
}
