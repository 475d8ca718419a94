import { isDeepStrictEqual } from 'node:util';
import type { PlannedRelease, PublishedState } from '../../generator/core/release/plan-types.js';
import { GENRES } from '../../schemas/catalog.js';
import { manifestPath } from '../../schemas/paths.js';
import type { Chain, Genre, LabelChange, Manifest, ManifestDate } from '../../schemas/types.generated.js';
import { assertValid } from '../../schemas/validate.js';
import type { FullRecords } from './full-records.js';

/** The expected effect of a changed input on the published dates of a chain, in lists sorted by date. */
export type ExpectedChanges = {
  /** Published dates with other content, by genre. */
  readonly genres: { readonly [genre in Genre]: readonly string[] };
  /** Published dates with other content in any genre. */
  readonly restated: readonly string[];
  readonly added: readonly string[];
  readonly labels: readonly LabelChange[];
};

/** Compares the full computations of two inputs. */
export function compareRecords(before: FullRecords, after: FullRecords): ExpectedChanges {
  const differing = (genre: Genre): string[] =>
    [...before.texts[genre]]
      .filter(([date, text]) => after.texts[genre].get(date) !== text)
      .map(([date]) => date);
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
    added: after.meta.map(({ date }) => date).filter((date) => !before.texts.meta.has(date)),
    labels: before.meta
      .map(({ date, regime }) => ({
        date,
        from: regime.label,
        to: labelOf.get(date) ?? ('indeterminate' as const),
      }))
      .filter(({ from, to }) => from !== to),
  };
}

export type Manifests = PublishedState['manifests'];

/** Returns the manifests of a planned release, including those it keeps. */
export function plannedManifests(state: PublishedState, release: PlannedRelease): Manifests {
  const written = release.artifacts
    .filter(({ path }) => path in release.record.manifests)
    .map((artifact) => [artifact.path, assertValid('manifest', artifact.content().value)] as const);
  return new Map([...state.manifests, ...written]);
}

/** A published change of one chain, and its expected effect. */
export type PublishedChange = {
  readonly chain: Chain;
  readonly before: Manifests;
  readonly after: Manifests;
  readonly expected: ExpectedChanges;
  /** The full computation of the new input. */
  readonly records: FullRecords;
  readonly revision: string;
  readonly reason: string;
};

/**
 * Returns every date with a wrong entry, and every manifest of another chain that has changed. A correct entry is new, is
 * restated under the new revision with its superseded version, or keeps its digest and revision.
 */
export function findManifestFaults(change: PublishedChange): string[] {
  const { before, after, chain } = change;
  const own = GENRES.flatMap((genre) => findDateFaults(genre, change));
  const others = [...before]
    .filter(([path, manifest]) => manifest.chain !== chain && !isDeepStrictEqual(manifest, after.get(path)))
    .map(([path]) => `${path} has changed`);
  return [...own, ...others];
}

function findDateFaults(genre: Genre, change: PublishedChange): string[] {
  const { chain, expected, records, revision } = change;
  const path = manifestPath(genre, chain);
  const before = byDate(change.before.get(path));
  const after = byDate(change.after.get(path));
  const restated = new Set(expected.genres[genre]);
  const missing = [...before.keys()].filter((date) => !after.has(date)).map((date) => `${date} is missing`);
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

/** Returns the entry of a restated date, without members that depend on its new bytes. */
function restatedEntry(
  was: ManifestDate,
  { sha256, bytes }: ManifestDate,
  { revision, reason }: PublishedChange,
): ManifestDate {
  const { revision: old, in_force_from, sha256: oldSha256, bytes: oldBytes } = was;
  const version = { revision: old, in_force_from, sha256: oldSha256, bytes: oldBytes, reason };
  return {
    ...was,
    sha256,
    bytes,
    revision,
    in_force_from: revision,
    superseded: [...was.superseded, version],
  };
}

function byDate(manifest: Manifest | undefined): Map<string, ManifestDate> {
  return new Map(manifest?.dates.map((entry) => [entry.date, entry]));
}
