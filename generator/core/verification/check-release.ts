import { CHAIN_IDS, GENRES, WINDOWS } from '../../../schemas/catalog.js';
import { sha256Hex } from '../../../schemas/digest.js';
import {
  bundlePath,
  calendarPath,
  manifestPath,
  objectKey,
  PUBLIC_PATHS,
  volumePath,
} from '../../../schemas/paths.js';
import type {
  Chain,
  Genre,
  Manifest,
  ReleaseChanges,
  ReleaseRecord,
  Window,
} from '../../../schemas/types.generated.js';
import { changesFile, releaseFile } from '../artifacts/release-files.js';
import type { StoreFault } from '../store-fault.js';
import { listedFiles } from '../volumes/volume-files.js';
import { checkManifest, compareManifests } from './check-day.js';

const windows = Object.keys(WINDOWS) as Window[]; // Object.keys loses the key type

/** The fault of a file that a release must list, and does not. */
export const NOT_LISTED = 'is not listed in the release';

/** A release record and the manifests that could be read, by path. */
type ReleaseParts = {
  readonly record: ReleaseRecord;
  readonly manifests: ReadonlyMap<string, Manifest>;
};

/** Returns what is wrong with the record before `later`; `undefined` if nothing is. */
export function findLinkFault(record: ReleaseRecord, later: ReleaseRecord): string | undefined {
  const isInOrder = record.revision < later.revision && record.published_at <= later.published_at;
  const isNamed = record.revision === later.previous?.revision && record.sequence === later.sequence - 1;
  return isInOrder && isNamed ? undefined : `is not the direct predecessor of ${later.revision}`;
}

/** Returns what is wrong with the record at which a chain ends; `undefined` if nothing is. */
export function findFirstFault({ sequence }: ReleaseRecord): string | undefined {
  return sequence === 1 ? undefined : `is the first release of the chain, but has sequence ${sequence}`;
}

/** Returns the chains of which a release must have manifests. */
export function listedChains(record: ReleaseRecord): Chain[] {
  return CHAIN_IDS.filter(
    (chain) => manifestPath('meta', chain) in record.manifests || record.chains[chain] !== undefined,
  );
}

/** Returns the genres of which a release must have manifests. It has no briefs if it was published before they existed. */
export function listedGenres({ manifests, bundles }: ReleaseRecord, chain: Chain): Genre[] {
  const hasBriefs = windows.some((window) => bundlePath('briefs', chain, window) in bundles);
  return GENRES.filter((genre) => genre !== 'briefs' || hasBriefs || manifestPath(genre, chain) in manifests);
}

/** Returns the paths of the bundles that a release must have of the genre and chain of a manifest. */
export function listedBundles(record: ReleaseRecord, { genre, chain, dates }: Manifest): string[] {
  if (record.chains[chain] === undefined || dates.every(({ status }) => status === 'withdrawn')) return [];
  return windows.map((window) => bundlePath(genre, chain, window));
}

/** Returns the faults of a manifest of a genre and chain, compared with the release and its manifest of meta. */
export function checkListedManifest(
  { record, manifests }: ReleaseParts,
  manifest: Manifest,
  genre: Genre,
  chain: Chain,
): string[] {
  const meta = manifests.get(manifestPath('meta', manifest.chain));
  const inForce = record.chains[manifest.chain];
  const faults = [...checkManifest(manifest, genre, chain), ...checkListedVolumes(record, manifest)];
  if (meta !== undefined && meta !== manifest) faults.push(...compareManifests(meta, manifest));
  if (inForce !== undefined && manifest.updated_through !== inForce.updated_through)
    faults.push('updated_through differs from the release');
  if (inForce === undefined && manifest.dates.some(({ status }) => status !== 'withdrawn'))
    faults.push('has dates in force, but the release does not contain the chain');
  return faults;
}

/** Returns a fault for each volume that only the manifest or only the release lists, or with another digest. */
function checkListedVolumes({ bundles }: ReleaseRecord, { genre, chain, volumes = [] }: Manifest): string[] {
  const named = new Map(listedFiles(volumes).map(({ path, sha256 }) => [path, sha256]));
  const folder = volumePath(genre, chain, '', 'csv').replace('.csv', '');
  const listed = Object.keys(bundles).filter((path) => path.startsWith(folder));
  return [...new Set([...named.keys(), ...listed])]
    .filter((path) => named.get(path) !== bundles[path]?.sha256)
    .map((path) => `${path} is not the same in the release`);
}

/** Returns a fault for each file that the release must list and does not, and for each faulty manifest. */
export function checkListing(parts: ReleaseParts): StoreFault[] {
  const { record, manifests } = parts;
  const unlisted = (path: string): StoreFault => ({ key: path, message: NOT_LISTED });
  return listedChains(record).flatMap((chain) =>
    listedGenres(record, chain).flatMap((genre): StoreFault[] => {
      const path = manifestPath(genre, chain);
      const manifest = manifests.get(path);
      if (manifest === undefined) return [unlisted(path)];
      const key = objectKey(record.manifests[path]?.sha256 ?? '');
      const wrong = checkListedManifest(parts, manifest, genre, chain);
      const isInForce = manifest.dates.some(({ status }) => status !== 'withdrawn');
      const calendar = genre === 'meta' && isInForce ? [calendarPath(chain)] : [];
      return [
        ...wrong.map((message) => ({ key, message: `${path}: ${message}` })),
        ...listedBundles(record, manifest)
          .filter((bundle) => !(bundle in record.bundles))
          .map(unlisted),
        ...calendar.filter((each) => !(each in record.public)).map(unlisted),
      ];
    }),
  );
}

/** Returns the faults of the public lists of files and of changes, compared with the release records. */
export function checkIndexes(record: ReleaseRecord, changes: readonly ReleaseChanges[]): StoreFault[] {
  const { version } = record.methodology;
  const { revision, sequence, published_at: publishedAt } = record;
  const { [PUBLIC_PATHS.release]: _itself, ...others } = record.public;
  const files = Object.entries(others).map(([path, { sha256, bytes, type }]) => ({
    path,
    sha256,
    bytes,
    type,
  }));
  return [releaseFile(files, version), changesFile(undefined, changes, version)].flatMap((file) => {
    const entry = record.public[file.path];
    const { text } = file.content({ revision, sequence, publishedAt });
    if (entry === undefined) return [{ key: file.path, message: NOT_LISTED }];
    if (entry.sha256 === sha256Hex(text)) return [];
    const message = `${file.path}: does not match the release records`;
    return [{ key: objectKey(entry.sha256), message }];
  });
}
