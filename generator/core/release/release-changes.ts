import { byChain } from '../../../schemas/catalog.js';
import type { ChainChanges, DateSpan, ReleaseChanges } from '../../../schemas/types.generated.js';
import type { ReleaseStamp } from '../artifacts/artifact.js';
import type { ChainState } from '../draft/chain-state.js';

/** Returns the entry of a release in the list of changes. It has a reason when published days change, and for every rollback, whose reason is also that of its hold. */
export function toReleaseChanges({ changed, stamp, reason, rollback }: ChangesOptions): ReleaseChanges {
  const hasChangedDays = changed.some(
    ({ state }) => state.restatedDates.length + state.withdrawnDates.length > 0,
  );
  return {
    revision: stamp.revision,
    sequence: stamp.sequence,
    published_at: stamp.publishedAt,
    chains: byChain((chain): ChainChanges | undefined => {
      const state = changed.find((each) => each.state.chain === chain)?.state;
      if (state === undefined) return undefined;
      return {
        updated_through: state.updatedThrough,
        new: toSpan(state.newDates),
        restated: toSpan(state.restatedDates),
        withdrawn: toSpan(state.withdrawnDates),
        label_changes: [...state.labelChanges],
      };
    }),
    reason: hasChangedDays || rollback !== null ? reason : null,
    rollback,
  };
}

type ChangesOptions = {
  readonly changed: readonly { readonly state: ChainState }[];
  readonly stamp: ReleaseStamp;
  readonly reason: string | null;
  readonly rollback: string | null;
};

function toSpan(dates: readonly string[]): DateSpan | null {
  const [first] = dates;
  const last = dates.at(-1);
  if (first === undefined || last === undefined) return null;
  return { days: dates.length, first_date: first, last_date: last };
}
