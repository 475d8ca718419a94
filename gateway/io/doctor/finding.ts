/** The result of one check: a `fault` has to be fixed, and a check is `skipped` when the configuration does not need it. */
export type Finding = {
  readonly what: string;
  readonly verdict: 'fine' | 'fault' | 'skipped';
  readonly says: string;
};

/** A finding without the name of its check. */
export type Verdict = Omit<Finding, 'what'>;

/** Creates the verdict of a check that passed. */
export const fine = (says: string): Verdict => ({ verdict: 'fine', says });

/** Creates the verdict of a check that failed. */
export const fault = (says: string): Verdict => ({ verdict: 'fault', says });

/** Creates the verdict of a check that does not apply. */
export const skipped = (says: string): Verdict => ({ verdict: 'skipped', says });

/** Runs a check. An error that it throws becomes a fault. */
export async function runCheck(what: string, check: () => Promise<Verdict>): Promise<Finding> {
  try {
    return { what, ...(await check()) };
  } catch (error) {
    return { what, ...fault(describeError(error)) };
  }
}

/** Returns the message of an error, with the cause of a failed `fetch`. */
export function describeError(error: unknown): string {
  if (!(error instanceof Error)) return 'it failed without a message';
  const { message, cause } = error;
  return message === 'fetch failed' && cause instanceof Error ? `no answer (${cause.message})` : message;
}
