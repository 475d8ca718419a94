import { byChain } from '../../../schemas/catalog.js';
import type {
  Chain,
  ChainChanges,
  DateSpan,
  ReleaseChanges,
  SourceChange,
  SourceSegment,
} from '../../../schemas/types.generated.js';
import type { ReleaseStamp } from '../artifacts/artifact.js';
import type { ChainState } from '../draft/chain-state.js';
import { NOTHING_HELD, reasonOfHeldChange, toHeldChange, type Held } from './held.js';
import { manifestOf, type PublishedState } from './published-state.js';
import { findSourceChanges } from './source-changes.js';

/** Returns the entry of a release in the list of changes. It has a reason when published days or the hold change, and for every rollback. */
export function toReleaseChanges(options: ChangesOptions): ReleaseChanges {
  const { previous, changed, stamp, held, reason, rollback } = options;
  const heldBefore = previous?.record ?? NOTHING_HELD;
  const heldChange = toHeldChange(heldBefore, held);
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
        ...sourcesMember(sourceChangesOf(previous, chain, state.sources)),
      };
    }),
    reason: hasChangedDays || rollback !== null ? reason : reasonOfHeldChange(heldBefore, heldChange),
    rollback,
    ...heldChange,
  };
}

/** Returns the changed sources of a chain; empty for a chain that had none. */
export function sourceChangesOf(
  previous: PublishedState | undefined,
  chain: Chain,
  sources: readonly SourceSegment[],
): SourceChange[] {
  const published = manifestOf(previous, 'gold', chain)?.sources;
  return published === undefined ? [] : findSourceChanges(published, sources);
}

/** Returns the member for changed sources, which is absent if there are none. */
export function sourcesMember(changes: SourceChange[]): Pick<ChainChanges, 'sources_changed'> {
  return changes.length === 0 ? {} : { sources_changed: changes };
}

type ChangesOptions = {
  readonly previous: PublishedState | undefined;
  readonly held: Held;
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
