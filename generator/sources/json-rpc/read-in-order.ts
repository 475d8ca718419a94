/** Options for `readInOrder`. */
type ReadInOrderOptions<Part, Result> = {
  readonly parts: readonly Part[];
  /** Number of parts that are read at the same time. */
  readonly concurrency: number;
  readonly read: (part: Part, signal: AbortSignal) => Promise<Result>;
  /** Takes the results one after the other, in the order of the parts. */
  readonly take: (result: Result) => void;
  readonly signal: AbortSignal;
};

/** Reads parts, a few at a time, and holds only their results in memory. When one fails, the others are stopped. */
export async function readInOrder<Part, Result>({
  parts,
  concurrency,
  read,
  take,
  signal,
}: ReadInOrderOptions<Part, Result>): Promise<void> {
  const failed = new AbortController();
  const any = AbortSignal.any([signal, failed.signal]);
  try {
    for (let start = 0; start < parts.length; start += concurrency) {
      const some = parts.slice(start, start + concurrency);
      for (const result of await Promise.all(some.map((part) => read(part, any)))) take(result);
    }
  } catch (error) {
    failed.abort(error);
    throw error;
  }
}
