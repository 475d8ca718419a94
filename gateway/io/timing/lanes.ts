/** Lanes of work by name: one task at a time in each, in the order of arrival. */
type Lanes = {
  readonly run: <T>(name: string, work: () => Promise<T>) => Promise<T>;
};

/** Creates lanes. A lane without work uses no memory. */
export function createLanes(): Lanes {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(name, work) {
      const turn = (tails.get(name) ?? Promise.resolve()).then(work);
      const tail: Promise<void> = turn.then(ignore, ignore).then(() => {
        if (tails.get(name) === tail) tails.delete(name);
      });
      tails.set(name, tail);
      return turn;
    },
  };
}

function ignore(): void {
  // the caller handles the result
}
