import { isDeepStrictEqual } from 'node:util';
import type { PublishedState } from '../../generator/core/release/published-state.js';
import type { PlannedRelease } from '../../generator/core/release/plan-types.js';
import { GENRES } from '../../schemas/catalog.js';
import { manifestPath } from '../../schemas/paths.js';
import type { Chain, Genre, LabelChange, Manifest, ManifestDate } from '../../schemas/types.generated.js';
import { assertValid } from '../../schemas/validate.js';
import type { NaiveRecords } from './naive-records.js';

/** What a change of a chain's input must do to its published dates; all lists ascend by date. */
export type ExpectedChanges = {
  /** The published dates that say something else, by genre. */
  readonly genres: { readonly [genre in Genre]: readonly string[] };
  /** The published dates that say something else in any genre. */
  readonly restated: readonly string[];
  readonly added: readonly string[];
  readonly labels: readonly LabelChange[];
};

/** Compares two full computations of the naive implementation. */
export function compareNaive(before: NaiveRecords, after: NaiveRecords): ExpectedChanges {
  const differing = (genre: Genre): string[] =>
    [...before.texts[genre]].filter(([date, text]) => after.texts[genre].get(date) !== text).map(([d]) => d);
  const genres = {
    meta: differing('meta'),
    gold: differing('gold'),
    derived: differing('derived'),
    briefs: differing('briefs'),
  };
  const labelOf = new Map(after.meta.map(({ date, regime }) => [date, regime.label]));
  return {
    genres,
    restated: [...new Set(GENRES.flatMap((genre) => genres[genre]))].sort(),
    added: after.days.map(({ date }) => date).filter((date) => !before.texts.meta.has(date)),
    labels: before.meta
      .map(({ date, regime }) => ({ date, from: regime.label, to: labelOf.get(date) ?? '' }))
      .filter(({ from, to }) => from !== to) as LabelChange[], // the naive labels are those of the contract
  };
}

/** Every manifest by path. */
export type Manifests = PublishedState['manifests'];

/** The manifests that a planned release lists: its own, and those it keeps. */
export function plannedManifests(state: PublishedState, release: PlannedRelease): Manifests {
  const made = release.artifacts
    .filter(({ path }) => path in release.record.manifests)
    .map((artifact) => [artifact.path, assertValid('manifest', artifact.content().value)] as const);
  return new Map([...state.manifests, ...made]);
}

/** A change of one chain that was published, and what it was to do. */
export type PublishedChange = {
  readonly chain: Chain;
  readonly before: Manifests;
  readonly after: Manifests;
  readonly expected: ExpectedChanges;
  /** The naive computation of the new input. */
  readonly records: NaiveRecords;
  readonly revision: string;
  readonly reason: string;
};

/**
 * Every listed date that is not exactly as it must be: restated under the new revision with what it superseded, new,
 * or kept with its digest and revision; and every other chain's manifest that is not the same.
 */
export function findManifestFaults(change: PublishedChange): string[] {
  const { before, after, chain } = change;
  const own = GENRES.flatMap((genre) => findDateFaults(genre, change));
  const others = [...before]
    .filter(([path, manifest]) => manifest.chain !== chain && !isDeepStrictEqual(manifest, after.get(path)))
    .map(([path]) => `${path} is not as it was`);
  return [...own, ...others];
}

function findDateFaults(genre: Genre, change: PublishedChange): string[] {
  const { chain, expected, records, revision } = change;
  const path = manifestPath(genre, chain);
  const before = byDate(change.before.get(path));
  const after = byDate(change.after.get(path));
  const restated = new Set(expected.genres[genre]);
  const missing = [...before.keys()].filter((date) => !after.has(date)).map((date) => `${date} is gone`);
  const faults = records.meta.flatMap(({ date, status }) => {
    const entry = after.get(date);
    const was = before.get(date);
    if (entry === undefined) return [`${date} is not listed`];
    if (was === undefined) return entry.revision === revision ? [] : [`${date} is not new`];
    const kept = restated.has(date) ? restatedEntry(was, entry, change) : was;
    if (restated.has(date) === (entry.sha256 === was.sha256))
      return [`${date} restated: ${!restated.has(date)}`];
    return isDeepStrictEqual(entry, { ...kept, status }) ? [] : [`${date}: ${JSON.stringify(entry)}`];
  });
  return [...missing, ...faults].map((fault) => `${genre} ${fault}`);
}

/** The entry of a restated date, apart from what only its new bytes decide. */
function restatedEntry(
  was: ManifestDate,
  { sha256, bytes }: ManifestDate,
  { revision, reason }: PublishedChange,
): ManifestDate {
  const { revision: old, in_force_from, sha256: oldSha256, bytes: oldBytes } = was;
  const gone = { revision: old, in_force_from, sha256: oldSha256, bytes: oldBytes, reason };
  return { ...was, sha256, bytes, revision, in_force_from: revision, superseded: [...was.superseded, gone] };
}

function byDate(manifest: Manifest | undefined): Map<string, ManifestDate> {
  return new Map(manifest?.dates.map((entry) => [entry.date, entry]));
}
