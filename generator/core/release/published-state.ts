import { manifestPath } from '../../../schemas/paths.js';
import type {
  Chain,
  Changes,
  Chart,
  Genre,
  Landing,
  Manifest,
  ReleaseRecord,
  SiteFiles,
  Status,
} from '../../../schemas/types.generated.js';

/** The parts of the current release that the next one depends on. */
export type PublishedState = {
  /** The record with the files of the site. */
  readonly record: ReleaseRecord;
  /** Digest of the record. */
  readonly sha256: string;
  /** The list of the site's files. Releases of older builds have none. */
  readonly site?: SiteFiles | undefined;
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
