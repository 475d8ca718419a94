import type { Chain, ReleaseRecord } from '../../../schemas/types.generated.js';
import type { Artifact } from '../artifacts/artifact.js';
import type { ReferenceTexts } from '../artifacts/reference-files.js';
import type { InputSeries } from '../input-series.js';
import type { PublishedState } from './published-state.js';
import type { GenreDrafts } from './genre-drafts.js';
import type { Drop, Restatement } from './restatement.js';

/** What a release is planned from: the input, the published state, the one clock of the run, and what was allowed. */
export type PlanRequest = {
  readonly inputs: readonly InputSeries[];
  readonly previous: PublishedState | undefined;
  /** The as-of instant, in milliseconds since the epoch, whole seconds. */
  readonly asOfMs: number;
  readonly texts: ReferenceTexts;
  readonly acceptance?: Acceptance;
  /** Rebuild history even where its digests can be trusted. */
  readonly full?: boolean;
  /** Leave withdrawn dates as they are, instead of publishing again those that the input has. */
  readonly keepWithdrawn?: boolean;
  /** Some of the input had to be left out. */
  readonly inputInvalid?: boolean;
  /** Publish nothing when a chain is refused or the input is invalid. */
  readonly allOrNothing?: boolean;
  /** The chains whose days were drafted already under the stamp of this release, and written. */
  readonly drafted?: ReadonlyMap<Chain, GenreDrafts>;
};

/** A person's word that restatements may be published; with a digest, only those that it names. */
export type Acceptance = { readonly reason: string; readonly planDigest?: string };

/** Why a chain keeps its published state. */
export type Refusal =
  | { readonly kind: 'drop'; readonly drops: readonly Drop[] }
  | { readonly kind: 'restatement'; readonly restatement: Restatement }
  | { readonly kind: 'plan-mismatch'; readonly restatement: Restatement };

/** What becomes of a chain of the input; `withheld` because another one was refused. Counts are dates. */
export type ChainPlan = {
  readonly outcome: 'published' | 'unchanged' | 'refused' | 'withheld';
  readonly updated_through: string | null;
  readonly new: number;
  readonly restated: number;
  readonly unchanged: number;
  readonly refusal?: Refusal;
};

/** A release that is ready to be written. */
export type PlannedRelease = {
  readonly record: ReleaseRecord;
  readonly recordText: string;
  readonly sha256: string;
  /** What the store must hold before the record is written, beside the days of `drafted`; it may be there already. */
  readonly artifacts: readonly Artifact[];
  /** The published files that would differ even under the release that they name: what has really changed. */
  readonly differing: readonly string[];
};

/** The result of planning. `release` is absent when nothing would be published. */
export type Plan = {
  readonly chains: { readonly [chain in Chain]?: ChainPlan };
  /** The digest that accepts exactly the restatements of this plan; absent without any. */
  readonly plan_digest?: string;
  /** The methodology's data differs from the published one under the same version: nothing may be published. */
  readonly methodologyChanged: boolean;
  readonly release?: PlannedRelease;
};
