import { lineageManifestPath } from '../../../schemas/paths.js';
import type { ReleaseStamp } from '../artifacts/artifact.js';
import { draftLineages, type LineageDraft } from '../draft/lineage-draft.js';
import type { InputSeries } from '../input/input-series.js';
import type { ChainPlan, PlanRequest } from './plan-types.js';

/** Drafts the lineages of the chains that are published, or already are as they should be. */
export function draftAllLineages(
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
