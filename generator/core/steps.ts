/** Long work in small steps, so that whoever does it may see to other things in between, or give it up. */
export type Steps<T> = Generator<undefined, T, undefined>;

/** Does all the steps at once; returns what the work comes to. */
export function runSteps<T>(steps: Steps<T>): T {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}
