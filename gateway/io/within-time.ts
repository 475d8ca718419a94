/** Resolves whether the work was done in time; work that is late goes on. A rejection is passed on. */
export async function withinTime(work: Promise<unknown>, timeMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeMs);
  });
  try {
    return await Promise.race([work.then(() => true), late]);
  } finally {
    clearTimeout(timer);
  }
}

/** The result of work that is done in time. @throws Error when it is late; it goes on, and nobody waits for it. */
export async function inTime<T>(work: Promise<T>, timeMs: number, who: string): Promise<T> {
  if (await withinTime(work, timeMs)) return work;
  work.catch(() => undefined);
  throw new Error(`${who} did not answer within ${timeMs} ms`);
}
