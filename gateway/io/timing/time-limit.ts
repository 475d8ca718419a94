/** Time limit of a request to a provider, such as the identity provider, and of the doctor's requests to a store. */
export const PROVIDER_LIMIT_MS = 5_000;

/** Time limit of a request's wait for a refresh that may change its answer. */
export const REFRESH_LIMIT_MS = 3_000;

/** Resolves `true` if the work settled within the time. The work itself is not cancelled. Rejects if the work does. */
export async function settlesWithin(work: Promise<unknown>, timeMs: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const timeout = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), timeMs);
  });
  try {
    return await Promise.race([work.then(() => true), timeout]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Returns the result of the work. At the time limit the work is not cancelled, but its result is ignored.
 * @throws the error of `toError` at the time limit.
 */
export async function withTimeLimit<T>(
  work: Promise<T>,
  timeMs: number,
  toError: (timeMs: number) => Error,
): Promise<T> {
  if (await settlesWithin(work, timeMs)) return work;
  work.catch(() => undefined);
  throw toError(timeMs);
}

/** Returns a `toError` for `withTimeLimit` that names the service that did not answer. */
export function noAnswerFrom(service: string): (timeMs: number) => Error {
  return (timeMs) => new Error(`${service} did not answer within ${timeMs} ms`);
}
