import type { ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { formatShellCommand } from '../../infra/process/shell-command.js';
import { unholdWords } from '../core/release/held.js';
import { readRecord } from '../state/published-state.js';
import type { TrustedClock } from '../state/trusted-clock.js';

/** Formats a command from its words without the program. */
export type FormatCommand = (words: readonly string[]) => string;

export const formatUsually: FormatCommand = (words) => formatShellCommand(['generator', ...words]);

/** What a step depends on besides the status of the store. */
export type StepOptions = {
  readonly clock: TrustedClock;
  /** True if the days of a release from the future are no longer in force. */
  readonly isUndone: boolean;
  readonly format: FormatCommand;
};

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

/** Returns the next step for a release from the future. */
export function futureStep(
  { address, hold, published_at: publishedAt }: Store,
  { clock: { caution }, isUndone, format }: StepOptions,
): string {
  if (isUndone)
    return hold === null
      ? `publish works again after ${publishedAt ?? ''}`
      : `publication is held (${hold}); after ${publishedAt ?? ''}: ${format(unholdWords(address))}`;
  const first = caution === undefined ? '' : `${caution}; otherwise `;
  return `${first}set the clocks, then put the days of the last good release back in force: ${format(['rollback', '--to', 'REVISION', '--reason', 'TEXT', '--store', address])}`;
}
