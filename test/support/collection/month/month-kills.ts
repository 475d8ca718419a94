/** Where the next runs are killed: in each round after operations from the first to the last. */
export type KillPlan = {
  /** The number of the operation after which the next run is killed. */
  readonly next: () => number;
  /** Notes how a run ended: killed, or that it did all its work with fewer operations. */
  readonly note: (end: 'killed' | 'done') => void;
  /** Number of kills, and how often they have reached the end of a run. */
  readonly count: () => { readonly kills: number; readonly rounds: number };
};

/** Operations between the beginnings of two rounds; prime to the steps in use, so that all operations have their turn. */
const SHIFT = 5;

/**
 * Plans kills at every `step`th operation; if that is not every one, in each round at other ones. `first`: the number of the
 * first one, from 1.
 */
export function planKills(first: number, step: number): KillPlan {
  let [kills, rounds] = [0, 0];
  const start = (): number => 1 + ((first - 1 + SHIFT * rounds) % step);
  let at = start();
  return {
    next: () => at,
    note(end) {
      if (end === 'killed') {
        kills += 1;
        at += step;
      } else if (at > step) {
        rounds += 1;
        at = start();
      }
    },
    count: () => ({ kills, rounds }),
  };
}
