/** Returns a function that does `work` unless it was done less than `pauseMs` milliseconds ago. */
export function atMostEvery<A extends readonly unknown[]>(
  pauseMs: number,
  now: () => number,
  work: (...args: A) => void,
): (...args: A) => void {
  let doneMs = -Infinity;
  return (...args) => {
    if (now() - doneMs < pauseMs) return;
    doneMs = now();
    work(...args);
  };
}
