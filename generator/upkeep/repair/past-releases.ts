import pMap from 'p-map';
import { parseReleaseKey, PUBLIC_PATHS, publicKey, RELEASES_PREFIX } from '../../../schemas/paths.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import type { ReleaseChanges, Site } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { applyHeldChange, heldOf, NOTHING_HELD } from '../../core/release/held.js';
import {
  listedFilesOf,
  type NamedRelease,
  readPointer,
  readRecord,
  type StoredRelease,
} from '../../state/published-state.js';
import type { PastRelease } from './replay-release.js';
import { parseStored, readArtifactJson, unlessDamaged } from '../../state/stored-json.js';

const CONCURRENCY = 16;

/** The releases whose records can be read, newest first, and the release after which they stop: its record is missing or damaged. */
type ReadableReleases = {
  readonly releases: readonly StoredRelease[];
  readonly broken?: NamedRelease;
};

/** Reads the releases from the pointer's one back by `previous`, until a record is missing or damaged. */
export async function readReadableReleases(store: ObjectStore): Promise<ReadableReleases> {
  const releases: StoredRelease[] = [];
  const pointer = await unlessDamaged(() => readPointer(store));
  let link: NamedRelease | undefined = pointer?.value;
  while (link !== undefined) {
    const { revision, sequence, sha256 } = link;
    const record = await unlessDamaged(() => readRecord(store, { revision, sha256 }));
    if (record === undefined) return { releases, broken: { revision, sequence, sha256 } };
    releases.push({ record, sha256 });
    link = record.previous === null ? undefined : { ...record.previous, sequence: record.sequence - 1 };
  }
  return { releases };
}

/**
 * Returns the releases that wrote the files with these digests, oldest first, because a later one may depend on a file
 * that an earlier one restores. Leaves out a release whose predecessor cannot be read: it cannot be planned again.
 */
export function releasesThatMade(
  { releases }: ReadableReleases,
  digests: { readonly has: (sha256: string) => boolean },
): PastRelease[] {
  const revisions = new Set<string>();
  for (const { record } of releases) {
    for (const { sha256, revision } of listedFilesOf(record))
      if (digests.has(sha256)) revisions.add(revision);
  }
  return releases
    .flatMap(({ record }, i): PastRelease[] => {
      const previous = releases[i + 1];
      const isKnown = revisions.has(record.revision) && (previous !== undefined || record.previous === null);
      const { changes, site } = record;
      return isKnown ? [{ changes, held: heldOf(record), site, previous }] : [];
    })
    .reverse();
}

/**
 * Returns the releases that the broken one may have been: its changes come from a published list of changes, combined
 * with each record that may have preceded it, and with the site of the input and that of each readable release.
 */
export async function guessBroken(
  store: ObjectStore,
  { releases, broken }: ReadableReleases,
  inputSite: Site | undefined,
): Promise<PastRelease[]> {
  if (broken === undefined) return [];
  const listed = await readListedChanges(store, releases, broken.revision);
  const before = broken.sequence === 1 ? [undefined] : await readRecordsOf(store, broken.sequence - 1);
  return listed.flatMap((changes) =>
    before.flatMap((previous): PastRelease[] => {
      const held = applyHeldChange(previous?.record ?? NOTHING_HELD, changes);
      const known = [previous?.record.site, inputSite, ...releases.map(({ record }) => record.site)];
      return uniqueSites(known).map((site) => ({ changes, held, site, previous }));
    }),
  );
}

function uniqueSites(sites: readonly (Site | undefined)[]): (Site | undefined)[] {
  return [...new Map(sites.map((site) => [canonicalJson(site ?? null), site])).values()];
}

/** Finds the changes of a revision in the list of changes of the oldest readable release, or in its public copy. */
async function readListedChanges(
  store: ObjectStore,
  releases: readonly StoredRelease[],
  revision: string,
): Promise<ReleaseChanges[]> {
  const path = PUBLIC_PATHS.changes;
  const key = publicKey(path);
  const digest = releases.at(-1)?.record.public[path]?.sha256;
  const lists = await Promise.all([
    digest === undefined ? undefined : unlessDamaged(() => readArtifactJson(store, digest, 'changes')),
    unlessDamaged(async () => {
      const copy = await store.get(key);
      return copy && parseStored(key, 'changes', copy.bytes);
    }),
  ]);
  return lists.flatMap((list) => list?.releases.find((each) => each.revision === revision) ?? []).slice(0, 1);
}

/** Reads the records with this sequence, whether or not the current release leads to them. */
async function readRecordsOf(store: ObjectStore, sequence: number): Promise<StoredRelease[]> {
  return (await readAllRecords(store)).filter(({ record }) => record.sequence === sequence);
}

/** Reads every intact release record of the store, whether or not the current release leads to it. */
export async function readAllRecords(store: ObjectStore): Promise<StoredRelease[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(RELEASES_PREFIX)) keys.push(key);
  const read = await pMap(
    keys,
    async (key): Promise<StoredRelease | undefined> => {
      const name = parseReleaseKey(key);
      if (name === undefined) return undefined;
      const record = await unlessDamaged(() => readRecord(store, name));
      return record === undefined || record.revision !== name.revision
        ? undefined
        : { record, sha256: name.sha256 };
    },
    { concurrency: CONCURRENCY },
  );
  return read.flatMap((each) => each ?? []);
}
