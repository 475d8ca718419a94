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
  /**
   * Manifests by their URL paths. A plan has those of the chains that it rebuilds, and all of the lineages; anything else that
   * starts from a release has every manifest.
   */
  readonly manifests: ReadonlyMap<string, Manifest>;
  readonly changes: Changes;
  readonly status: Status;
  readonly landing: Landing;
  /** Texts of the newest day files by digest, if the plan may use them instead of making them again. */
  readonly days?: ReadonlyMap<string, string>;
  /** The published calendars of the chains that may change, as text. */
  readonly calendars: ReadonlyMap<Chain, string>;
  /** The published data of the charts of these chains. Releases of older builds have none. */
  readonly charts: ReadonlyMap<Chain, Chart>;
};

/** Returns the number of published dates of a chain, also withdrawn ones. */
export function listedDates(state: PublishedState | undefined, chain: Chain): number {
  const listed = manifestOf(state, 'meta', chain)?.dates.length;
  const { available = 0, degraded = 0, missing = 0, withdrawn = 0 } = state?.status.chains[chain]?.days ?? {};
  return listed ?? available + degraded + missing + withdrawn;
}

/** Returns the published manifest of a genre and chain, or `undefined`. */
export function manifestOf(
  state: PublishedState | undefined,
  genre: Genre,
  chain: Chain,
): Manifest | undefined {
  return state?.manifests.get(manifestPath(genre, chain));
}
