import type { ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { unholdCommand } from '../core/release/held.js';
import { readRecord } from '../state/published-state.js';
import type { TrustedClock } from '../state/trusted-clock.js';

/** The store that has a release from the future. */
type Store = {
  readonly address: string;
  readonly hold: string | null;
  readonly published_at: string | null;
};

/** Returns whether the last release that changed days is a rollback. Holds after it are ignored. */
export async function isRolledBack(store: ObjectStore, current: ReleaseRecord): Promise<boolean> {
  let record = current;
  while (record.changes.rollback === null) {
    if (Object.keys(record.changes.chains).length > 0 || record.previous === null) return false;
    record = await readRecord(store, record.previous);
  }
  return true;
}

/** Returns the next step for a release from the future. `isUndone`: its days are no longer in force. */
export function futureStep(
  { address, hold, published_at: publishedAt }: Store,
  { caution }: TrustedClock,
  isUndone: boolean,
): string {
  if (isUndone)
    return hold === null
      ? `publish works again after ${publishedAt ?? ''}`
      : `publication is held (${hold}); after ${publishedAt ?? ''}: ${unholdCommand(address)}`;
  const first = caution === undefined ? '' : `${caution}; otherwise `;
  return `${first}set the clocks, then put the days of the last good release back in force: generator rollback --to REVISION --reason TEXT --store ${address}`;
}
