/** Where a run is killed: an operation of its store. */
export type Kill = { readonly at: number; readonly when: 'before' | 'after' };

/**
 * Where the next runs are killed: in one round before operations from the first to the last, in the next after them, and so
 * on.
 */
export type KillPlan = {
  /** The kill of the next run. */
  readonly next: () => Kill;
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
    next: () => ({ at, when: rounds % 2 === 0 ? 'before' : 'after' }),
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
