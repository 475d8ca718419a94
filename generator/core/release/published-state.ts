import { manifestPath } from '../../../schemas/paths.js';
import type {
  Chain,
  Changes,
  Genre,
  Landing,
  Manifest,
  ReleaseRecord,
  Status,
} from '../../../schemas/types.generated.js';

/** The current release of a store, as far as the next one depends on it. */
export type PublishedState = {
  readonly record: ReleaseRecord;
  readonly sha256: string;
  /** Every manifest by its URL path. */
  readonly manifests: ReadonlyMap<string, Manifest>;
  readonly changes: Changes;
  readonly status: Status;
  readonly landing: Landing;
  /** The text of the published calendars of the chains that may change. */
  readonly calendars: ReadonlyMap<Chain, string>;
};

/** The manifest of a genre and chain, when it was published. */
export function manifestOf(
  state: PublishedState | undefined,
  genre: Genre,
  chain: Chain,
): Manifest | undefined {
  return state?.manifests.get(manifestPath(genre, chain));
}
