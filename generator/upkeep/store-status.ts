import type { Chain, ChainHolds, ChainStatus } from '../../schemas/types.generated.js';
import type { SigningStatus } from './signing-status.js';
import type { WaitingRefusals } from './waiting-refusals.js';
import type { WarmUp } from './warm-up.js';

/** The state of a store at the current time: the document of `status --json`. */
export type StoreStatus = Omit<WaitingRefusals, 'damage'> & {
  readonly address: string;
  readonly revision: string | null;
  readonly sequence: number | null;
  readonly sha256: string | null;
  readonly published_at: string | null;
  /** Whole days since `published_at`. */
  readonly age_days: number | null;
  /** A sentence if the release was published after the current time, because a clock was wrong; otherwise null. */
  readonly from_future: string | null;
  readonly hold: string | null;
  /** The chains on hold, with their reasons. */
  readonly holds: ChainHolds;
  readonly chains: { readonly [chain in Chain]?: ChainNow };
  readonly aliases: { readonly sequence: number; readonly behind: number };
  /** Null if the releases are not signed, or none is published. */
  readonly signing: SigningStatus | null;
  /** Number of artifacts; null if they were not counted, or could not be counted because of damage. */
  readonly objects: number | null;
  /** Artifacts and release records that no release of the chain reaches; null like `objects`. */
  readonly orphans: { readonly objects: number; readonly bytes: number; readonly releases: number } | null;
  /**
   * Damage of the record of refusals, or that was found while counting, after the key that has it; null if none. Only
   * "verify" finds all damage.
   */
  readonly damage: string | null;
  /** The suggested next step, as a command or a sentence. */
  readonly next: string;
};

/** The state of a chain. Lag and freshness refer to the current time, not to the time of publication. */
export type ChainNow = Pick<
  ChainStatus,
  'updated_through' | 'last_available' | 'lag_days' | 'freshness' | 'expected_next_by' | 'days'
> & {
  readonly overdue: boolean;
  /** True if the newest date has not ended: a machine whose clock was ahead published it. */
  readonly unfinished: boolean;
  /** Not null while a new chain has too little history for a label. Its lag is then that of its newest date. */
  readonly warming_up: WarmUp | null;
};
