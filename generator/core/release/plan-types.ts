import type {
  Chain,
  ChainEvents,
  ChainHolds,
  Changes,
  Chart,
  Genre,
  LabelChange,
  Landing,
  Manifest,
  MetricName,
  ReleaseRecord,
  SiteFiles,
  SourceChange,
  Status,
} from '../../../schemas/types.generated.js';
import type { Artifact } from '../artifacts/artifact.js';
import type { ReferenceTexts } from '../draft/site.js';
import type { NewLineages } from '../draft/lineages.js';
import type { InputSeries } from '../input/input-series.js';
import type { DayRecord } from '../records/day-writers.js';
import type { LackingRecord } from '../volumes/draft-volumes.js';
import type { LabelGap } from './label-gap.js';
import type { GenreDrafts } from '../draft/genre-drafts.js';
import { manifestPath } from '../../../schemas/paths.js';

/** Everything that a plan depends on: input, published state, as-of instant and acceptance. */
export type PlanRequest = {
  readonly inputs: readonly InputSeries[];
  readonly previous: PublishedState | undefined;
  /** The as-of instant, in milliseconds since the epoch, whole seconds. */
  readonly asOfMs: number;
  readonly texts: ReferenceTexts;
  /** The texts of chains whose files are made for another site, to recompute a release. */
  readonly chainTexts?: ReadonlyMap<Chain, ReferenceTexts>;
  readonly acceptance?: Acceptance;
  /** Set to rebuild history even where its digests can be trusted. */
  readonly full?: boolean;
  /** The chains on hold: their input is ignored. */
  readonly holds?: ChainHolds;
  /** Set to compute what is published again: see `GenreOptions`. */
  readonly recomputes?: boolean;
  /** Set when parts of the input are invalid and missing from `inputs`. */
  readonly inputInvalid?: boolean;
  /** Set to publish nothing when a chain is refused or the input is invalid. */
  readonly allOrNothing?: boolean;
  /** The lineages of collected chains that are not published yet. */
  readonly lineages?: readonly NewLineages[];
  /** Superseded records by digest, for the volumes. */
  readonly superseded?: ReadonlyMap<string, DayRecord>;
  /** Chains whose days are already drafted and written under this release's stamp. */
  readonly drafted?: ReadonlyMap<Chain, GenreDrafts>;
};

/** An acceptance of restatements; with a digest, only of the restatements it names; with chains, only of theirs. */
export type Acceptance = {
  readonly reason: string;
  readonly planDigest?: string;
  readonly chains?: readonly Chain[];
};

/** The reason why a chain keeps its published state. */
export type Refusal =
  | { readonly kind: 'drop'; readonly drops: readonly Drop[] }
  | {
      readonly kind: 'restatement';
      readonly restatement: Restatement;
      /** Changes that the collection did not record, in words; absent unless recorded changes are accepted. */
      readonly not_recorded?: readonly string[];
    }
  | { readonly kind: 'plan-mismatch'; readonly restatement: Restatement };

/** The plan for a chain of the input; `withheld` when another chain was refused, `held` while it is on hold. Counts are dates. */
export type ChainPlan = {
  readonly outcome: 'published' | 'unchanged' | 'refused' | 'withheld' | 'held';
  readonly updated_through: string | null;
  readonly new: number;
  /** The new dates for which the input has no row; absent if it has one for each. */
  readonly new_without_row?: number;
  readonly restated: number;
  readonly unchanged: number;
  readonly refusal?: Refusal;
  /** Sources that differ from the published ones, with their licences; absent if none do. */
  readonly sources_changed?: readonly SourceChange[];
  /** Why the chain is on hold. */
  readonly hold?: string;
  /** Why the newest date has no label; absent if it has one. */
  readonly label_gap?: LabelGap;
};

/** A release ready to be written. */
export type PlannedRelease = {
  /** The record with the files of the site. */
  readonly record: ReleaseRecord;
  /** The record as it is stored, without them. */
  readonly recordText: string;
  readonly sha256: string;
  /** Artifacts that must be in the store before the record is written, in addition to what was written while it was planned. */
  readonly artifacts: readonly Artifact[];
  /** Published files whose content really changed: they would differ even under the release that they name. */
  readonly differing: readonly string[];
};

/** The result of planning. `release` is absent when nothing would be published. */
export type Plan = {
  readonly chains: { readonly [chain in Chain]?: ChainPlan };
  /** The digest that accepts exactly the restatements of this plan; absent if it restates nothing. */
  readonly plan_digest?: string;
  /** Set when the methodology changed without a new version, so that nothing can be published. */
  readonly methodologyChanged: boolean;
  /** Digests of the superseded records that the volumes need and the request lacks: there is no release without them. */
  readonly lacking: readonly LackingRecord[];
  readonly release?: PlannedRelease;
};

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
  /** The published events of all chains. Releases of older builds have none. */
  readonly events: ReadonlyMap<Chain, ChainEvents>;
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

/** Published history that is missing from the input. No option accepts it, so that a truncated download is never published. */
export type Drop =
  | { readonly kind: 'later-start'; readonly published: string; readonly input: string }
  | { readonly kind: 'earlier-end'; readonly published: string; readonly input: string }
  | { readonly kind: 'gone-column'; readonly metric: MetricName };

/** New content for published dates of a chain, summarized for the person who decides. */
export type Restatement = {
  readonly dates: number;
  readonly first_date: string;
  readonly last_date: string;
  /** The dates whose input changed. */
  readonly input_dates: readonly string[];
  /** New dates before the published end: their rows were missing until now. */
  readonly added_dates: readonly string[];
  /** Dates that a rollback withdrew and that would be published again. */
  readonly withdrawn_dates: readonly string[];
  readonly metrics: readonly MetricChange[];
  readonly label_changes: readonly LabelChange[];
};

/** Changes of a metric over the restated dates; `largest` is the largest relative change, or an added or removed value. */
export type MetricChange = {
  readonly metric: MetricName;
  readonly dates: number;
  readonly largest: { readonly date: string; readonly from: number | null; readonly to: number | null };
};
