import { manifestPath } from '../../../schemas/paths.js';
import type {
  Chain,
  Changes,
  Chart,
  Genre,
  Landing,
  Manifest,
  ReleaseRecord,
  Status,
} from '../../../schemas/types.generated.js';

/** The parts of the current release that the next one depends on. */
export type PublishedState = {
  readonly record: ReleaseRecord;
  /** Digest of the record. */
  readonly sha256: string;
  /** Every manifest by its URL path. */
  readonly manifests: ReadonlyMap<string, Manifest>;
  readonly changes: Changes;
  readonly status: Status;
  readonly landing: Landing;
  /** The published calendars of the chains that may change, as text. */
  readonly calendars: ReadonlyMap<Chain, string>;
  /** The published data of the charts of these chains. Releases of older builds have none. */
  readonly charts: ReadonlyMap<Chain, Chart>;
};

/** Returns the published manifest of a genre and chain, or `undefined`. */
export function manifestOf(
  state: PublishedState | undefined,
  genre: Genre,
  chain: Chain,
): Manifest | undefined {
  return state?.manifests.get(manifestPath(genre, chain));
}
