import { canonicalJson } from '../../../schemas/canonical-json.js';
import { methodologyDigest } from '../../../schemas/methodology.js';
import { manifestPath } from '../../../schemas/paths.js';
import type {
  Chain,
  Genre,
  Manifest,
  Methodology,
  RecordChain,
  ReleaseRecord,
  Site,
} from '../../../schemas/types.generated.js';
import type { InputSeries } from '../input/input-series.js';
import { createInputDigest, type InputDigest } from './input-digest.js';
import { manifestOf, type PublishedState } from './published-state.js';
import { findDrops, type Drop } from './restatement.js';

/**
 * A chain's input compared with its published state.
 * - `first`: nothing was ever published.
 * - `same`: exactly the published input.
 * - `extended`: the published input, plus later dates, changed sources or another site.
 * - `compare`: something differs or may differ, so that history must be rebuilt and compared.
 * - `dropped`: published history is missing from the input.
 */
export type Assessment =
  | { readonly kind: 'first' | 'same' | 'extended' | 'compare' }
  | { readonly kind: 'dropped'; readonly drops: readonly Drop[] };

/** The inputs of the decision whether published digests can be trusted without rebuilding. */
export type Trust = {
  readonly writersSha256: string;
  readonly methodologySha256: string;
  /** The site of this run, which needs no rebuilding of history. */
  readonly site: Site | undefined;
  readonly full: boolean;
};

/**
 * Returns the chains whose manifests a plan needs: all with an input, except those whose input is exactly the published one.
 */
export function chainsToRebuild(
  inputs: readonly InputSeries[],
  previous: PublishedState,
  trust: Trust,
): Chain[] {
  const isSame = (series: InputSeries): boolean =>
    assessChain(series, createInputDigest(series), previous, trust).kind === 'same';
  return inputs.filter((series) => !isSame(series)).map(({ chain }) => chain);
}

/**
 * Compares a chain's input with the published state, of which it needs no manifest. `digest` returns the digest of the input
 * through a date.
 */
export function assessChain(
  series: InputSeries,
  digest: (date: string) => InputDigest,
  previous: PublishedState | undefined,
  trust: Trust,
): Assessment {
  const record = previous?.record.chains[series.chain];
  if (previous === undefined || !(manifestPath('meta', series.chain) in previous.record.manifests))
    return { kind: 'first' };
  if (record === undefined) return { kind: 'compare' }; // rolled back to before its first release
  const drops = findDrops(series, {
    firstDate: firstDateOf(previous.calendars.get(series.chain)),
    updatedThrough: record.updated_through,
    metrics: record.metrics,
  });
  if (drops.length > 0) return { kind: 'dropped', drops };
  const sameInput = digest(record.updated_through).sha256 === record.input_sha256;
  if (!sameInput || !isTrusted(record, trust)) return { kind: 'compare' };
  const grown = series.dates.at(-1) !== record.updated_through;
  const isOther = hasOtherSources(series, previous) || !isSameSite(record.site, trust.site);
  return { kind: grown || isOther ? 'extended' : 'same' };
}

/** Returns the first date of a calendar, which lists all published dates that were not withdrawn; empty if it has none. */
function firstDateOf(calendar = ''): string {
  return calendar.split('\n', 2)[1]?.slice(0, 10) ?? '';
}

function hasOtherSources(series: InputSeries, previous: PublishedState): boolean {
  const published = previous.status.chains[series.chain]?.sources ?? [];
  return canonicalJson(published) !== canonicalJson(series.sources);
}

function isSameSite(one: Site | undefined, other: Site | undefined): boolean {
  return canonicalJson(one ?? null) === canonicalJson(other ?? null);
}

/** Returns whether the same input would surely give the same bytes as published. With `full` it is computed again. */
export function isTrusted(
  chain: RecordChain | undefined,
  { writersSha256, methodologySha256, full }: Trust,
): boolean {
  return !full && writersSha256 === chain?.writers_sha256 && methodologySha256 === chain.methodology_sha256;
}

export function manifestsOf(
  state: PublishedState | undefined,
  series: InputSeries,
): { readonly [genre in Genre]: Manifest | undefined } {
  const { chain } = series;
  return {
    meta: manifestOf(state, 'meta', chain),
    gold: manifestOf(state, 'gold', chain),
    derived: manifestOf(state, 'derived', chain),
    briefs: manifestOf(state, 'briefs', chain),
  };
}

/** Returns whether the methodology changed without a new version. */
export function isChangedMethodology(previous: ReleaseRecord | undefined, methodology: Methodology): boolean {
  const published = previous?.methodology;
  return published?.version === methodology.version && published.sha256 !== methodologyDigest(methodology);
}
