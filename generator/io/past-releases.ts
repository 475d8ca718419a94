import pMap from 'p-map';
import { parseReleaseKey, PUBLIC_PATHS, publicKey, RELEASES_PREFIX } from '../../schemas/paths.js';
import type { ReleaseChanges } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { readPointer, readRecord } from './published-state.js';
import type { ChainRelease } from './reachable-objects.js';
import type { NamedRelease } from './release-lineage.js';
import type { PastRelease } from './replay-release.js';
import { parseStored, readArtifactJson } from './stored-json.js';
import { unlessDamaged } from './unless-damaged.js';

const CONCURRENCY = 16;

/** A chain as far as it can be read, newest first, and the release at which it breaks off. */
export type ReadableChain = { readonly releases: readonly ChainRelease[]; readonly broken?: NamedRelease };

/** Follows `previous` from the pointer's release until a record is missing or damaged, or the first one is reached. */
export async function readReadableChain(store: ObjectStore): Promise<ReadableChain> {
  const releases: ChainRelease[] = [];
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

/** The releases that made files of these digests, oldest first: a later one may rest on what an earlier one puts back. */
export function releasesThatMade(
  { releases }: ReadableChain,
  digests: { readonly has: (sha256: string) => boolean },
): PastRelease[] {
  const revisions = new Set<string>();
  for (const { record } of releases) {
    const listed = [record.public, record.bundles, record.manifests].flatMap((section) =>
      Object.values(section),
    );
    for (const { sha256, revision } of listed) if (digests.has(sha256)) revisions.add(revision);
  }
  return releases
    .flatMap(({ record }, i): PastRelease[] => {
      const previous = releases[i + 1];
      const isKnown = revisions.has(record.revision) && (previous !== undefined || record.previous === null);
      return isKnown ? [{ changes: record.changes, hold: record.hold, previous }] : [];
    })
    .reverse();
}

/**
 * What the release at which a chain breaks off may have been: as lists of changes tell of it, after each release that
 * may have come before it.
 */
export async function guessBroken(store: ObjectStore, chain: ReadableChain): Promise<PastRelease[]> {
  const { releases, broken } = chain;
  if (broken === undefined) return [];
  const told = await readToldChanges(store, releases, broken.revision);
  const before = broken.sequence === 1 ? [undefined] : await readRecordsOf(store, broken.sequence - 1);
  const later = releases.at(-1)?.record;
  const held = later === undefined ? await readToldHold(store, broken.revision) : later.hold;
  return told.flatMap((changes) =>
    before.map((previous): PastRelease => {
      const hold = changes.rollback === null ? held : changes.reason;
      return { changes, hold, previous };
    }),
  );
}

/** What the list of changes of a readable release, or its public copy, tells of a revision. */
async function readToldChanges(
  store: ObjectStore,
  releases: readonly ChainRelease[],
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

/** What the public copy of the status tells of a hold, when it is of this revision. */
async function readToldHold(store: ObjectStore, revision: string): Promise<string | null> {
  const key = publicKey(PUBLIC_PATHS.status);
  const found = await store.get(key);
  const status = found && (await unlessDamaged(() => parseStored(key, 'status', found.bytes)));
  return status?.published_revision === revision ? status.hold : null;
}

/** Every record of the store with this sequence, in the chain or not. */
async function readRecordsOf(store: ObjectStore, sequence: number): Promise<ChainRelease[]> {
  return (await readAllRecords(store)).filter(({ record }) => record.sequence === sequence);
}

/** Every release record of the store that is what its key says, in the chain or not. */
export async function readAllRecords(store: ObjectStore): Promise<ChainRelease[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(RELEASES_PREFIX)) keys.push(key);
  const read = await pMap(
    keys,
    async (key): Promise<ChainRelease | undefined> => {
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
