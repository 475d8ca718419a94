import { CHAIN_IDS, GENRES } from '../../schemas/catalog.js';
import {
  ALIASES_KEY,
  calendarPath,
  bundlePath,
  chainEventsPath,
  chartDataPath,
  manifestPath,
  objectKey,
  PAGE_PATHS,
  parseReleaseKey,
  POINTER_KEY,
  PUBLIC_PATHS,
  publicKey,
  releaseKey,
  RELEASES_PREFIX,
} from '../../schemas/paths.js';
import { sha256Hex } from '../../schemas/digest.js';
import { siteDigestOf, withSiteFiles } from '../../schemas/site-files.js';
import type { Chain, Manifest, Pointer, ReleaseRecord, SiteFiles } from '../../schemas/types.generated.js';
import type { SchemaName } from '../../schemas/validate.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { daysOfBundle, LONGEST } from '../core/artifacts/bundle.js';
import type { PublishedState } from '../core/release/plan-types.js';
import {
  damaged,
  parseStored,
  readArtifact,
  readArtifactJson,
  readByDigest,
  readStoredJson,
  unlessDamaged,
} from './stored-json.js';
import pMap from 'p-map';
import { parseInstant } from '../../schemas/dates.js';
import { findFirstFault, findLinkFault } from '../core/verification/check-files.js';
import { RETAINED_RELEASES, RETENTION_MS } from './gc-policy.js';
import { listBounded } from './bounded-list.js';
import { maxBytesOf } from './read-limits.js';

/** The pointer, and the etag at which it was read. */
export type ReadPointer = { readonly value: Pointer; readonly etag: Etag };

/** The published state that a run starts from. `pointer` and `state` are absent before the first release. */
export type StartingPoint = {
  readonly pointer: ReadPointer | undefined;
  readonly state: PublishedState | undefined;
  /** Sequence up to which the public copies are up to date; 0 before any. */
  readonly aliasSequence: number;
};

/**
 * Reads the pointer; `undefined` before the first release.
 * @throws GeneratorError 'damaged' if it is missing although a release was committed.
 */
export async function readPointer(store: ObjectStore): Promise<ReadPointer | undefined> {
  const pointer = await readStoredJson(store, POINTER_KEY, 'pointer');
  if (pointer !== undefined) return pointer;
  const evidence = await findCommitEvidence(store);
  if (evidence === undefined) return undefined;
  // Another run may have committed the first release after the read above.
  const late = await readStoredJson(store, POINTER_KEY, 'pointer');
  if (late === undefined)
    throw damaged(POINTER_KEY, `is missing, but ${evidence} is only written after a release was committed`);
  return late;
}

/** Returns a key that exists only after a commit, here or in the store that a copy began with: aliases.json, or a release record of sequence 2 or more. */
async function findCommitEvidence(store: ObjectStore): Promise<string | undefined> {
  if ((await store.head(ALIASES_KEY)) !== undefined) return ALIASES_KEY;
  for await (const { key } of listBounded(store, RELEASES_PREFIX)) {
    const name = parseReleaseKey(key);
    if (name === undefined) continue;
    const record = parseStored(key, 'release-record', await readRecordBytes(store, key, name.sha256));
    if (record.sequence > 1) return key;
  }
  return undefined;
}

/**
 * Reads the release record that a pointer or a later record names, with the files of its site among the public files.
 * @throws GeneratorError 'damaged' if the record or the list of the site's files is missing or does not match its digest.
 */
export async function readRecord(
  store: ObjectStore,
  { revision, sha256 }: { readonly revision: string; readonly sha256: string },
): Promise<ReleaseRecord> {
  const key = releaseKey(revision, sha256);
  const record = parseStored(key, 'release-record', await readRecordBytes(store, key, sha256));
  const site = await readSiteFiles(store, record);
  return site === undefined ? record : withSiteFiles(record, site);
}

function readRecordBytes(store: ObjectStore, key: string, sha256: string): Promise<Uint8Array> {
  return readByDigest(store, key, sha256, maxBytesOf('release-record'));
}

/** The lists that were read from each store, by digest: most releases share theirs. */
const SITES = new WeakMap<ObjectStore, Map<string, Promise<SiteFiles>>>();

/** Reads the list of the site's files that a record names; `undefined` if it names none. Reads each list once. */
async function readSiteFiles(store: ObjectStore, record: ReleaseRecord): Promise<SiteFiles | undefined> {
  const sha256 = siteDigestOf(record);
  if (sha256 === undefined) return undefined;
  const known = SITES.get(store) ?? new Map<string, Promise<SiteFiles>>();
  SITES.set(store, known);
  const { bytes } = record.public[PAGE_PATHS.siteFiles] ?? {};
  const read = known.get(sha256) ?? readSiteList(store, sha256, bytes);
  known.set(sha256, read);
  return read.catch((error: unknown) => {
    known.delete(sha256); // a store that did not answer may answer later
    throw error;
  });
}

/** Reads a manifest of at most `bytes`. @throws GeneratorError 'damaged' if it is missing, or does not match its digest or schema. */
export function readManifest(store: ObjectStore, sha256: string, bytes?: number): Promise<Manifest> {
  return readArtifactJson(store, sha256, 'manifest', bytes);
}

/** Reads the sequence up to which the public copies are up to date; 0 before any. */
export async function readAliasSequence(store: ObjectStore): Promise<number> {
  return (await readStoredJson(store, ALIASES_KEY, 'aliases'))?.value.sequence ?? 0;
}

/** Reads a list of a site's files, or its public copy if the list is lost: `repair` needs it to restore the list. */
async function readSiteList(store: ObjectStore, sha256: string, bytes?: number): Promise<SiteFiles> {
  try {
    return await readArtifactJson(store, sha256, 'site-files', bytes);
  } catch (error) {
    const key = publicKey(PAGE_PATHS.siteFiles);
    const copy = await store.get(key, bytes && bytes + 1);
    if (copy === undefined || sha256Hex(copy.bytes) !== sha256) throw error;
    return parseStored(key, 'site-files', copy.bytes);
  }
}

/**
 * Reads the state that the next release is planned from, with the calendars of `chains`, and the manifests of
 * `listed` and of the lineages.
 */
export async function readStartingPoint(
  store: ObjectStore,
  chains: readonly Chain[],
  listed: readonly Chain[] = CHAIN_IDS,
): Promise<StartingPoint> {
  const [pointer, aliasSequence] = await Promise.all([readPointer(store), readAliasSequence(store)]);
  if (pointer === undefined) return { pointer, state: undefined, aliasSequence };
  const record = await readRecord(store, pointer.value);
  const state = await readState(store, record, pointer.value.sha256, chains, listed);
  return { pointer, state, aliasSequence };
}

/** Adds the manifests of `chains` to a state that has only those of the lineages. */
export async function withManifests(
  store: ObjectStore,
  state: PublishedState,
  chains: readonly Chain[],
): Promise<PublishedState> {
  const read = await readManifests(store, state.record, chains);
  return { ...state, manifests: new Map([...state.manifests, ...read]) };
}

/**
 * Reads the texts of the newest day files of `chains` from the longest bundles, by digest. A bundle that is damaged gives
 * none: what it holds can be made again.
 */
export async function readDays(
  store: ObjectStore,
  { record, manifests }: PublishedState,
  chains: readonly Chain[],
): Promise<Map<string, string>> {
  const read = chains.flatMap((chain) =>
    GENRES.map(async (genre) => {
      const bundle = record.bundles[bundlePath(genre, chain, LONGEST)];
      const manifest = manifests.get(manifestPath(genre, chain));
      if (bundle === undefined || manifest === undefined) return [];
      const bytes = await unlessDamaged(() => readArtifact(store, bundle.sha256, bundle.bytes));
      return bytes === undefined ? [] : [...daysOfBundle(bytes, manifest.dates)];
    }),
  );
  return new Map((await Promise.all(read)).flat());
}

/** Reads the manifests of the lineages of all chains, and all others of `chains`. */
async function readManifests(
  store: ObjectStore,
  { manifests }: ReleaseRecord,
  chains: readonly Chain[],
): Promise<[string, Manifest][]> {
  const unread = new Set(
    CHAIN_IDS.filter((chain) => !chains.includes(chain)).flatMap((chain) =>
      GENRES.map((genre) => manifestPath(genre, chain)),
    ),
  );
  return Promise.all(
    Object.entries(manifests)
      .filter(([path]) => !unread.has(path))
      .map(async ([path, { sha256, bytes }]): Promise<[string, Manifest]> => [
        path,
        await readManifest(store, sha256, bytes),
      ]),
  );
}

/**
 * Reads the files of a release that planning needs: changes, status, landing, the list of the site, the manifests of
 * `listed` and of the lineages, the events of all chains, and the calendars and charts of `chains`.
 */
export async function readState(
  store: ObjectStore,
  record: ReleaseRecord,
  sha256: string,
  chains: readonly Chain[],
  listed: readonly Chain[] = CHAIN_IDS,
): Promise<PublishedState> {
  const document = <N extends SchemaName>(path: string, schema: N) => {
    const { sha256, bytes } = entryOf(record, path);
    return readArtifactJson(store, sha256, schema, bytes);
  };
  const manifests = readManifests(store, record, listed);
  const calendars = Promise.all(
    chains
      .filter((chain) => calendarPath(chain) in record.public)
      .map(async (chain): Promise<[Chain, string]> => {
        const { sha256, bytes } = entryOf(record, calendarPath(chain));
        return [chain, Buffer.from(await readArtifact(store, sha256, bytes)).toString('utf8')];
      }),
  );
  const readEach = <N extends SchemaName>(
    listed: readonly Chain[],
    spell: (chain: Chain) => string,
    schema: N,
  ) =>
    Promise.all(
      listed
        .filter((chain) => spell(chain) in record.public)
        .map(async (chain) => [chain, await document(spell(chain), schema)] as const),
    );
  const [manifestEntries, calendarEntries, chartEntries, eventEntries, changes, status, landing] =
    await Promise.all([
      manifests,
      calendars,
      readEach(chains, chartDataPath, 'chart'),
      readEach(CHAIN_IDS, chainEventsPath, 'events'),
      document(PUBLIC_PATHS.changes, 'changes'),
      document(PUBLIC_PATHS.status, 'status'),
      document(PUBLIC_PATHS.landing, 'landing'),
    ]);
  return {
    record,
    sha256,
    manifests: new Map(manifestEntries),
    changes,
    status,
    landing,
    site: await readSiteFiles(store, record),
    calendars: new Map(calendarEntries),
    charts: new Map(chartEntries),
    events: new Map(eventEntries),
  };
}

function entryOf(record: ReleaseRecord, path: string): ReleaseRecord['public'][string] {
  const entry = record.public[path];
  if (entry === undefined) throw damaged(`release ${record.revision}`, `does not list ${path}`);
  return entry;
}

const MANIFEST_CONCURRENCY = 8;

/** A release record, and its digest. */
export type StoredRelease = { readonly record: ReleaseRecord; readonly sha256: string };

/** A file that a release lists or a manifest names. */
export type NamedFile = {
  readonly path: string;
  readonly sha256: string;
  readonly bytes: number;
  /** Media type; JSON if absent. */
  readonly type?: string;
};

/**
 * Reads all releases, from the one that the pointer names back to the first by their `previous`; newest first.
 * @throws GeneratorError 'damaged' if a record cannot be read, or is not the direct predecessor of the one after it, or if the last one is not a first release.
 */
export async function readReleases(
  store: ObjectStore,
  pointer: Pick<ReadPointer['value'], 'revision' | 'sha256'>,
): Promise<StoredRelease[]> {
  const releases: StoredRelease[] = [];
  let link: { readonly revision: string; readonly sha256: string } | null = pointer;
  while (link !== null) {
    const record: ReleaseRecord = await readRecord(store, link);
    const later = releases.at(-1)?.record;
    const fault = later && findLinkFault(record, later);
    if (fault !== undefined) throw damaged(releaseKey(link.revision, link.sha256), fault);
    releases.push({ record, sha256: link.sha256 });
    link = record.previous;
  }
  for (const { record, sha256 } of releases.slice(-1)) {
    const fault = findFirstFault(record);
    if (fault !== undefined) throw damaged(releaseKey(record.revision, sha256), fault);
  }
  return releases;
}

/** Returns the keys of release records, and of the lists of their sites' files, without which a record cannot be read. */
export function recordKeysOf(releases: readonly StoredRelease[]): Set<string> {
  return new Set(
    releases.flatMap(({ record, sha256 }) => [
      releaseKey(record.revision, sha256),
      ...siteListOf(record).map((list) => objectKey(list.sha256)),
    ]),
  );
}

/** Returns the list of the site's files, as the record lists it; empty if it names none. */
export function siteListOf({ public: listed }: ReleaseRecord): NamedFile[] {
  const entry = listed[PAGE_PATHS.siteFiles];
  return entry === undefined ? [] : [{ path: PAGE_PATHS.siteFiles, ...entry }];
}

/** Returns the files that a release record lists: public files, bundles and manifests. Day files are in the manifests. */
export function listedFilesOf(record: ReleaseRecord): (NamedFile & { readonly revision: string })[] {
  return [record.public, record.bundles, record.manifests].flatMap((section) =>
    Object.entries(section).map(([path, entry]) => ({ path, ...entry })),
  );
}

/**
 * Reads the day files that the manifests of these releases name, including superseded and withdrawn ones, by digest.
 * @throws GeneratorError 'damaged' if a manifest is missing, or does not match its digest or schema.
 */
export async function readDayFiles(
  store: ObjectStore,
  releases: readonly StoredRelease[],
): Promise<Map<string, NamedFile>> {
  const manifests = new Map(
    releases.flatMap(({ record }) =>
      Object.values(record.manifests).map(({ sha256, bytes }) => [sha256, bytes] as const),
    ),
  );
  const days = new Map<string, NamedFile>();
  await pMap(
    manifests,
    async ([digest, bytes]) => {
      const { dates } = await readManifest(store, digest, bytes);
      for (const entry of dates) {
        for (const { sha256, bytes: size } of [entry, ...entry.superseded]) {
          days.set(sha256, { path: entry.path, sha256, bytes: size });
        }
      }
    },
    { concurrency: MANIFEST_CONCURRENCY },
  );
  return days;
}

/** Returns those of these releases, which are ordered from the newest, from which garbage collection deletes nothing. */
export function retainedReleases(releases: readonly StoredRelease[], nowMs: number): StoredRelease[] {
  return releases.filter((release, index) => isRetained(release, index, nowMs));
}

/** Returns whether garbage collection keeps everything in a release. `index` counts from the current release. */
export function isRetained({ record }: StoredRelease, index: number, nowMs: number): boolean {
  return index < RETAINED_RELEASES || nowMs - (parseInstant(record.published_at) ?? nowMs) <= RETENTION_MS;
}

/** A release by its record, as a pointer names it. */
export type NamedRelease = {
  readonly revision: string;
  readonly sequence: number;
  /** Digest of the release record. */
  readonly sha256: string;
};

/**
 * Returns whether `release` is `ancestor`, or the chain of `previous` from it contains `ancestor`.
 * @throws GeneratorError 'damaged' if a record between them is missing or does not match its digest.
 */
export async function descendsFrom(
  store: ObjectStore,
  release: NamedRelease,
  ancestor: NamedRelease,
): Promise<boolean> {
  let { sequence } = release;
  let link: Pick<NamedRelease, 'revision' | 'sha256'> | null = release;
  for (; link !== null && sequence > ancestor.sequence; sequence -= 1)
    ({ previous: link } = await readRecord(store, link));
  return link?.sha256 === ancestor.sha256;
}
