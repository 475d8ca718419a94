import { byChain } from '../../../schemas/catalog.js';
import type { ChainChanges, DateSpan, ReleaseChanges } from '../../../schemas/types.generated.js';
import type { Stamp } from '../artifacts/artifact.js';
import type { ChainState } from './chain-state.js';

/** What a release says that it changes. The reason is given when published days change, by restatement or rollback. */
export function toReleaseChanges({ changed, stamp, reason, rollback }: ChangesTerms): ReleaseChanges {
  const changes = changed.some(({ state }) => state.restatedDates.length + state.withdrawnDates.length > 0);
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
    reason: changes || rollback !== null ? reason : null,
    rollback,
  };
}

type ChangesTerms = {
  readonly changed: readonly { readonly state: ChainState }[];
  readonly stamp: Stamp;
  readonly reason: string | null;
  readonly rollback: string | null;
};

function toSpan(dates: readonly string[]): DateSpan | null {
  const [first] = dates;
  const last = dates.at(-1);
  if (first === undefined || last === undefined) return null;
  return { days: dates.length, first_date: first, last_date: last };
}
