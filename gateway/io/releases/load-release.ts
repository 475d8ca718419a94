import { setImmediate as nextTurn } from 'node:timers/promises';
import { objectKey, POINTER_KEY, PUBLIC_PATHS, releaseKey, PAGE_PATHS } from '../../../schemas/paths.js';
import { siteDigestOf, withSiteFiles } from '../../../schemas/site-files.js';
import type { Manifest, Pointer, ReleaseRecord } from '../../../schemas/types.generated.js';
import { assertPublished, assertValid } from '../../../schemas/validate.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { indexManifest, type DayIndex } from '../../core/releases/day-index.js';
import { toReleaseView, type ReleaseView } from '../../core/releases/release-view.js';
import { readVerified } from './read-verified.js';

/** A release with the indexes of its manifests by digest, so that the next release need not read them again. */
export type LoadedRelease = {
  readonly release: ReleaseView;
  readonly days: ReadonlyMap<string, DayIndex>;
};

/** Reads the pointer to the current release; `undefined` before the first one. */
export async function readPointer(store: ObjectStore): Promise<Pointer | undefined> {
  const found = await store.get(POINTER_KEY);
  return found && assertValid('pointer', parse(found.bytes));
}

/** Reads the release of a pointer, and verifies what it reads by its digests. Reuses the indexes in `known`. */
export async function loadRelease(
  store: ObjectStore,
  { revision, sequence, sha256 }: Pointer,
  known: ReadonlyMap<string, DayIndex>,
): Promise<LoadedRelease> {
  const stored = assertValid(
    'release-record',
    parse(await readVerified(store, releaseKey(revision, sha256), sha256)),
  );
  const record = await addSiteFiles(store, stored);
  if (record.revision !== revision || record.sequence !== sequence) {
    throw new Error(
      `${POINTER_KEY} names ${revision} at sequence ${sequence}, but its record is ${record.revision} at sequence ${record.sequence}`,
    );
  }
  const days = new Map<string, DayIndex>();
  for (const { sha256: digest } of Object.values(record.manifests)) {
    // One after the other: the manifests of a long history do not all fit into memory at once.
    days.set(digest, known.get(digest) ?? (await readIndex(store, digest)));
  }
  const changes = assertValid('changes', await readPublic(store, record, PUBLIC_PATHS.changes));
  const status = assertPublished('status', await readPublic(store, record, PUBLIC_PATHS.status));
  return { release: toReleaseView({ record, sha256, changes, status, days }), days };
}

/** Returns the record with the files of its site among the public files. */
async function addSiteFiles(store: ObjectStore, record: ReleaseRecord): Promise<ReleaseRecord> {
  if (siteDigestOf(record) === undefined) return record;
  return withSiteFiles(
    record,
    assertValid('site-files', await readPublic(store, record, PAGE_PATHS.siteFiles)),
  );
}

/** Reads and indexes a manifest. Requests are answered between the steps, of some 10 ms for 18 years of history. */
async function readIndex(store: ObjectStore, sha256: string): Promise<DayIndex> {
  const bytes = await readVerified(store, objectKey(sha256), sha256);
  await nextTurn();
  const manifest = parse(bytes) as Manifest; // the generator has validated it
  await nextTurn();
  return indexManifest(manifest);
}

async function readPublic(store: ObjectStore, record: ReleaseRecord, path: string): Promise<unknown> {
  const sha256 = record.public[path]?.sha256 ?? '';
  return parse(await readVerified(store, objectKey(sha256), sha256));
}

function parse(bytes: Uint8Array): unknown {
  return JSON.parse(Buffer.from(bytes).toString('utf8'));
}
