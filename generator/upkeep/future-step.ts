import type { TrustedClock } from '../state/trusted-clock.js';

/** The store that has a release from the future. */
type Store = {
  readonly address: string;
  readonly hold: string | null;
  readonly published_at: string | null;
};

/** Returns the next step for a release from the future. */
export function futureStep(
  { address, hold, published_at: publishedAt }: Store,
  { caution }: TrustedClock,
): string {
  if (hold !== null)
    return `publication is held (${hold}); after ${publishedAt ?? ''}: generator unhold --store ${address}`;
  const first = caution === undefined ? '' : `${caution}; otherwise `;
  return `${first}set the clocks, then put the days of the last good release back in force: generator rollback --to REVISION --reason TEXT --store ${address}`;
}
