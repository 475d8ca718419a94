import { byChain, CHAIN_IDS } from '../../../schemas/catalog.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { toInstant } from '../../../schemas/dates.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { methodologyDigest } from '../../../schemas/methodology.js';
import { SAMPLE_PATHS } from '../../../schemas/release-paths.js';
import type { RecordChain, ReleaseRecord } from '../../../schemas/types.generated.js';
import type { ReleaseStamp } from '../artifacts/artifact.js';
import { createDayWriters } from '../records/day-writers.js';
import { type InputSeries, metricsWithValues } from '../input/input-series.js';
import { runSteps, type Steps } from '../steps.js';
import {
  assembleRelease,
  type AssemblyOptions,
  type ChangedChain,
  sourceChangesOf,
  sourcesMember,
} from './assemble-release.js';
import {
  assessChain,
  createInputDigest,
  type InputDigest,
  isChangedMethodology,
  isSameRecipe,
  manifestsOf,
  planDigest,
  toRestatement,
  type Recipe,
} from './assess-chain.js';
import { type ChainDraft, draftSteps, latestSource } from '../draft/chain-draft.js';
import { heldOf } from './held.js';
import { countListed, countPublished, explainLabelGap, type LabelGap } from './label-gap.js';
import {
  type Acceptance,
  type ChainPlan,
  listedDates,
  manifestOf,
  type Plan,
  type PlanRequest,
  type Refusal,
} from './plan-types.js';
import type { LackingRecord } from '../volumes/draft-volumes.js';
import { fingerprintSteps } from './writers-fingerprint.js';
import { lackingRecords } from '../draft/chain-state.js';
import { lineageManifestPath } from '../../../schemas/paths.js';
import { draftLineages, type LineageDraft } from '../draft/lineages.js';

type Assessed = {
  readonly series: InputSeries;
  readonly inputDigestAt: (date: string) => InputDigest;
  readonly plan?: ChainPlan;
  readonly draft?: ChainDraft;
};

/**
 * Plans the release for the input: the files to write, and the outcome for each chain.
 * Pure: equal requests give equal plans, and nothing is written.
 */
export function planRelease(request: PlanRequest): Plan {
  return runSteps(planSteps(request));
}

/** Plans like `planRelease`, a small part of the work per step. */
export function* planSteps(request: PlanRequest): Steps<Plan> {
  const { previous, texts } = request;
  const stamp = nextStamp(previous?.record, request.asOfMs);
  const methodologySha256 = methodologyDigest(texts.methodology);
  if (isChangedMethodology(previous?.record, texts.methodology)) {
    return { chains: {}, methodologyChanged: true, lacking: [] };
  }
  const writersSha256 = yield* fingerprintSteps(texts);
  const recipe = {
    writersSha256,
    methodologySha256,
    site: texts.site.details,
    full: request.full ?? false,
    revision: stamp.revision,
  };
  const assessed = yield* assessAll(request, recipe, stamp);
  const restatementDigest = digestRestatements(assessed, request, writersSha256);
  const decided = assessed.map((each) => decide(each, request, restatementDigest));
  const plan: Plan = {
    chains: byChain((chain) => decided.find(({ series }) => series.chain === chain)?.plan),
    ...(restatementDigest === undefined ? {} : { plan_digest: restatementDigest }),
    methodologyChanged: false,
    lacking: decided.flatMap(lackingOf),
  };
  const isStopped = request.inputInvalid || decided.some((each) => each.plan.outcome === 'refused');
  const changed = decided.flatMap((each) => toChangedChain(each, request, writersSha256));
  if ((previous === undefined && changed.length === 0) || (isStopped && request.allOrNothing))
    return withholdAll(plan, previous?.record);
  if (plan.lacking.length > 0) return plan;
  const lineages = draftAllLineages(decided, request, stamp);
  const { full } = request;
  const publication = { ...toPublication(request), methodologySha256, full };
  const release = assembleRelease({ ...publication, stamp, changed, lineages });
  return release === undefined ? plan : { ...plan, release };
}

function toPublication({
  previous,
  texts,
  chainTexts = new Map(),
  acceptance,
}: PlanRequest): Pick<AssemblyOptions, 'previous' | 'texts' | 'chainTexts' | 'held' | 'reason' | 'rollback'> {
  const held = heldOf(previous?.record ?? { hold: null });
  return { previous, texts, chainTexts, held, reason: acceptance?.reason ?? null, rollback: null };
}

const lackingOf = ({ plan, draft }: Decided): LackingRecord[] =>
  plan.outcome === 'refused' || draft === undefined ? [] : lackingRecords(draft);

/** Returns the change of a chain; empty when it was refused or not drafted. */
function toChangedChain(
  { plan, draft, inputDigestAt }: Decided,
  { texts }: PlanRequest,
  writersSha256: string,
): ChangedChain[] {
  if (plan.outcome === 'refused' || draft === undefined) return [];
  const { rows, sha256 } = inputDigestAt(draft.updatedThrough);
  const record: RecordChain = {
    updated_through: draft.updatedThrough,
    rows,
    source: latestSource(draft.series),
    input_sha256: sha256,
    metrics: metricsWithValues(draft.series),
    writers_sha256: writersSha256,
    methodology_sha256: methodologyDigest(texts.methodology),
  };
  return [{ state: draft, days: draft.days, record }];
}

/**
 * Returns the stamp of the next release. It is published at the as-of, but never before the previous release, which a
 * wrong clock may have dated in the future. Its revision is that date with a number that counts releases of the date.
 */
export function nextStamp(previous: ReleaseRecord | undefined, asOfMs: number): ReleaseStamp {
  const asOf = toInstant(asOfMs);
  const publishedAt = previous !== undefined && previous.published_at > asOf ? previous.published_at : asOf;
  const date = publishedAt.slice(0, 10);
  const [lastDate, lastNumber] = (previous?.revision ?? '').split('.');
  const number = lastDate === date ? Number(lastNumber) + 1 : 1;
  return {
    revision: `${date}.${String(number).padStart(6, '0')}`,
    sequence: (previous?.sequence ?? 0) + 1,
    publishedAt,
  };
}

function* assessAll(request: PlanRequest, recipe: Recipe, stamp: ReleaseStamp): Steps<Assessed[]> {
  const assessed: Assessed[] = [];
  for (const chain of CHAIN_IDS) {
    const series = request.inputs.find((each) => each.chain === chain);
    yield;
    if (series !== undefined) assessed.push(yield* assess(series, request, recipe, stamp));
  }
  yield;
  return assessed;
}

function* assess(
  series: InputSeries,
  request: PlanRequest,
  recipe: Recipe,
  stamp: ReleaseStamp,
): Steps<Assessed> {
  const { previous } = request;
  const inputDigestAt = createInputDigest(series);
  const currentState = toCurrentState(series, previous);
  const hold = request.holds?.[series.chain];
  if (hold !== undefined) return { series, inputDigestAt, plan: { outcome: 'held', ...currentState, hold } };
  const assessment = assessChain(series, inputDigestAt, previous, recipe);
  if (assessment.kind === 'dropped') {
    const refusal: Refusal = { kind: 'drop', drops: assessment.drops };
    return { series, inputDigestAt, plan: { outcome: 'refused', ...currentState, refusal } };
  }
  if (assessment.kind === 'same') {
    const gap = gapMember(explainPublished(series, request));
    return { series, inputDigestAt, plan: { outcome: 'unchanged', ...currentState, ...gap } };
  }
  const manifests = manifestsOf(previous, series);
  const calendar = previous?.calendars.get(series.chain);
  const draft = yield* draftSteps({
    series,
    writers: createDayWriters(series, request.texts),
    published:
      assessment.kind === 'first'
        ? undefined
        : {
            manifests,
            hasSample: SAMPLE_PATHS.some((path) => previous?.record.public[path] !== undefined),
            calendar: calendar ?? '',
            chart: previous?.charts.get(series.chain),
            days: previous?.days,
          },
    keepsPublishedDays: assessment.kind === 'extended',
    repack: !isSameRecipe(previous?.record.chains[series.chain], recipe),
    stamp,
    reason: request.acceptance?.reason ?? 'not accepted', // only restated days contain it, and `decide` refuses those without an acceptance
    recomputes: request.recomputes,
    drafted: request.drafted?.get(series.chain),
    superseded: request.superseded,
  });
  return { series, inputDigestAt, draft };
}

/** Returns the counts of a chain that keeps its published state. */
function toCurrentState(
  { chain }: InputSeries,
  previous: PlanRequest['previous'],
): Omit<ChainPlan, 'outcome'> {
  const through = previous?.record.chains[chain]?.updated_through ?? null;
  return { updated_through: through, new: 0, restated: 0, unchanged: listedDates(previous, chain) };
}

/** Explains why the newest date of a chain that keeps its published state has no label. */
function explainPublished(series: InputSeries, { previous, texts }: PlanRequest): LabelGap | undefined {
  const status = previous?.status.chains[series.chain];
  return status && explainLabelGap(series, countPublished(status), texts.methodology);
}

function gapMember(gap: LabelGap | undefined): Pick<ChainPlan, 'label_gap'> {
  return gap === undefined ? {} : { label_gap: gap };
}

function digestRestatements(
  assessed: readonly Assessed[],
  { previous, acceptance }: PlanRequest,
  writersSha256: string,
): string | undefined {
  const restated = assessed.flatMap(({ series: { chain }, inputDigestAt, draft }) => {
    const last = draft?.restatedDates.at(-1);
    if (draft === undefined || last === undefined || acceptance?.chains?.includes(chain) === true) return [];
    // A chain that was rolled back to before its first release is not in the record.
    const through = previous?.record.chains[chain]?.updated_through ?? last;
    return [
      {
        chain,
        manifest_sha256: sha256Hex(canonicalJson(manifestOf(previous, 'gold', chain))),
        input_sha256: inputDigestAt(through).sha256,
        writers_sha256: writersSha256,
        dates: draft.restatedDates,
      },
    ];
  });
  return restated.length === 0 ? undefined : planDigest(restated);
}

type Decided = Assessed & { readonly plan: ChainPlan };

/** Decides whether a drafted chain can be published. */
function decide(
  assessed: Assessed,
  { acceptance, previous, texts }: PlanRequest,
  restatementDigest: string | undefined,
): Decided {
  const { draft, plan } = assessed;
  if (plan !== undefined) return { ...assessed, plan };
  if (draft === undefined) throw new Error(`${assessed.series.chain} has neither a plan nor a draft`);
  const listed = draft.entries.meta.length;
  const withoutRow = datesWithoutRow(draft);
  const counts = {
    new: draft.newDates.length,
    ...(withoutRow > 0 ? { new_without_row: withoutRow } : {}),
    restated: draft.restatedDates.length,
    unchanged: listed - draft.newDates.length - draft.restatedDates.length,
  };
  const kind = findRefusal(draft, acceptance, restatementDigest);
  if (kind !== undefined) {
    const through = previous?.record.chains[draft.chain]?.updated_through ?? null;
    const restatement = toRestatement(draft, through, manifestsOf(previous, draft.series));
    const refusal: Refusal = { kind, restatement };
    return { ...assessed, plan: { outcome: 'refused', updated_through: through, ...counts, refusal } };
  }
  const sources = sourcesMember(sourceChangesOf(previous, draft.chain, draft.sources));
  const isChanged = counts.new + counts.restated > 0 || sources.sources_changed !== undefined;
  const outcome = isChanged ? 'published' : 'unchanged';
  const gap = gapMember(explainLabelGap(draft.series, countListed(draft.entries.meta), texts.methodology));
  return {
    ...assessed,
    plan: { outcome, updated_through: draft.updatedThrough, ...counts, ...sources, ...gap },
  };
}

/** Returns the number of new dates for which the input has no row. */
function datesWithoutRow({ newDates, series: { dates, present } }: ChainDraft): number {
  const absent = new Set(dates.filter((_, t) => present[t] !== true));
  return newDates.filter((date) => absent.has(date)).length;
}

/** Returns why a draft is refused; `undefined` if it restates nothing, or nothing that was not accepted. */
function findRefusal(
  { chain, restatedDates }: ChainDraft,
  acceptance: Acceptance | undefined,
  restatementDigest: string | undefined,
): 'restatement' | 'plan-mismatch' | undefined {
  if (restatedDates.length === 0) return undefined;
  if (acceptance?.planDigest !== undefined && acceptance.planDigest !== restatementDigest)
    return 'plan-mismatch';
  return acceptance !== undefined && (acceptance.chains?.includes(chain) ?? true) ? undefined : 'restatement';
}

/** Returns the plan with nothing to publish. */
function withholdAll(plan: Plan, record: ReleaseRecord | undefined): Plan {
  const chains = byChain((chain): ChainPlan | undefined => {
    const each = plan.chains[chain];
    const updated_through = record?.chains[chain]?.updated_through ?? null;
    return each?.outcome === 'published' ? { ...each, outcome: 'withheld', updated_through } : each;
  });
  return { ...plan, chains };
}

/** Drafts the lineages of the chains that are published, or already are as they should be. */
function draftAllLineages(
  decided: readonly { readonly series: InputSeries; readonly plan: ChainPlan }[],
  { lineages = [], previous, texts }: PlanRequest,
  stamp: ReleaseStamp,
): LineageDraft[] {
  return decided.flatMap(({ series: { chain, sources }, plan: { outcome, updated_through: through } }) => {
    const found = lineages.find((each) => each.chain === chain);
    const isCurrent = outcome === 'published' || outcome === 'unchanged';
    if (found === undefined || !isCurrent || through === null) return [];
    const before = previous?.manifests.get(lineageManifestPath(chain));
    const shared = { chain, sources, stamp, before, methodologyVersion: texts.methodology.version };
    return draftLineages(found, { ...shared, updatedThrough: through }) ?? [];
  });
}
