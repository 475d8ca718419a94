/** Long synchronous work that yields between small steps, so that the caller can handle signals or stop it. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Runs all steps without a pause and returns the result. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
