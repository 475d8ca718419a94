import {
  ALIASES_KEY,
  calendarPath,
  POINTER_KEY,
  PUBLIC_PATHS,
  releaseKey,
  RELEASES_PREFIX,
  STORE_KEY,
} from '../../schemas/paths.js';
import { parseReleaseKey } from '../../schemas/paths.js';
import type { Chain, Manifest, Pointer, ReleaseRecord } from '../../schemas/types.generated.js';
import type { SchemaName } from '../../schemas/validate.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import type { PublishedState } from '../core/release/published-state.js';
import {
  damaged,
  parseStored,
  readArtifact,
  readArtifactJson,
  readByDigest,
  readStoredJson,
} from './stored-json.js';

/** The pointer with the etag at which it was read. */
export type ReadPointer = { readonly value: Pointer; readonly etag: Etag };

/** What a run starts from: the pointer and the release that it names; both absent before the first release. */
export type StartingPoint = {
  readonly pointer: ReadPointer | undefined;
  readonly state: PublishedState | undefined;
  /** Sequence up to which the public copies are fresh; 0 before any. */
  readonly aliasSequence: number;
};

/**
 * Whether the store is marked as ours. A fresh address is not, and is left untouched.
 * @throws GeneratorError 'usage' for something else than a store, or, with `existing`, for a fresh address.
 */
export async function isMarkedStore(store: ObjectStore, existing: boolean): Promise<boolean> {
  const mark = await store.get(STORE_KEY);
  if (mark !== undefined) {
    assertFormat(store, mark.bytes);
    return true;
  }
  for await (const { key } of store.list('')) {
    // Another publisher may have made it a store just now: the mark is what it writes first.
    const late = await store.get(STORE_KEY);
    if (late !== undefined) {
      assertFormat(store, late.bytes);
      return true;
    }
    throw new GeneratorError(
      'usage',
      `${store.address} is not empty (it holds ${key}) and has no ${STORE_KEY}: it is not a store of ours; choose another address`,
    );
  }
  if (existing) {
    throw new GeneratorError(
      'usage',
      `${store.address} holds no store; check the address, or create one with "generator publish" without --existing`,
    );
  }
  return false;
}

function assertFormat(store: ObjectStore, bytes: Uint8Array): void {
  let format: unknown;
  try {
    format = (JSON.parse(Buffer.from(bytes).toString('utf8')) as { format?: unknown }).format; // any document
  } catch {
    format = undefined;
  }
  if (format !== 1) {
    throw new GeneratorError(
      'usage',
      `${store.address}: ${STORE_KEY} is not of format 1; use the generator that made this store`,
    );
  }
}

/** Reads the pointer; `undefined` before the first release. @throws GeneratorError 'damaged' when it was lost. */
export async function readPointer(store: ObjectStore): Promise<ReadPointer | undefined> {
  const pointer = await readStoredJson(store, POINTER_KEY, 'pointer');
  if (pointer !== undefined) return pointer;
  const sign = await findSignOfCommit(store);
  if (sign === undefined) return undefined;
  // Another publisher may have committed the first release just now: then the pointer is there.
  const late = await readStoredJson(store, POINTER_KEY, 'pointer');
  if (late === undefined)
    throw damaged(POINTER_KEY, `is missing, but ${sign} was written after a committed release`);
  return late;
}

/** The mark of the copies, or a record of sequence 2 or more: both are written after a commit alone. */
async function findSignOfCommit(store: ObjectStore): Promise<string | undefined> {
  if ((await store.head(ALIASES_KEY)) !== undefined) return ALIASES_KEY;
  for await (const { key } of store.list(RELEASES_PREFIX)) {
    const name = parseReleaseKey(key);
    if (name === undefined) continue;
    const record = parseStored(key, 'release-record', await readByDigest(store, key, name.sha256));
    if (record.sequence > 1) return key;
  }
  return undefined;
}

/** Reads the release record that a pointer or a later record names. */
export async function readRecord(
  store: ObjectStore,
  { revision, sha256 }: { readonly revision: string; readonly sha256: string },
): Promise<ReleaseRecord> {
  const key = releaseKey(revision, sha256);
  return parseStored(key, 'release-record', await readByDigest(store, key, sha256));
}

/** Reads the sequence up to which the public copies are fresh; 0 before any. */
export async function readAliasSequence(store: ObjectStore): Promise<number> {
  return (await readStoredJson(store, ALIASES_KEY, 'aliases'))?.value.sequence ?? 0;
}

/** Reads what the next release depends on. `chains` are those whose calendars may be needed. */
export async function readStartingPoint(
  store: ObjectStore,
  chains: readonly Chain[],
): Promise<StartingPoint> {
  const [pointer, aliasSequence] = await Promise.all([readPointer(store), readAliasSequence(store)]);
  if (pointer === undefined) return { pointer, state: undefined, aliasSequence };
  const record = await readRecord(store, pointer.value);
  return { pointer, state: await readState(store, record, pointer.value.sha256, chains), aliasSequence };
}

/** Reads the release of a record: its manifests, its changes, and what it says of each chain. */
export async function readState(
  store: ObjectStore,
  record: ReleaseRecord,
  sha256: string,
  chains: readonly Chain[],
): Promise<PublishedState> {
  const document = <N extends SchemaName>(path: string, schema: N) =>
    readArtifactJson(store, digestOf(record, path), schema);
  const manifests = Promise.all(
    Object.entries(record.manifests).map(async ([path, entry]): Promise<[string, Manifest]> => {
      const bytes = await readArtifact(store, entry.sha256);
      return [path, JSON.parse(Buffer.from(bytes).toString('utf8')) as Manifest]; // its digest proves that it was judged
    }),
  );
  const calendars = Promise.all(
    chains
      .filter((chain) => calendarPath(chain) in record.public)
      .map(async (chain): Promise<[Chain, string]> => {
        const bytes = await readArtifact(store, digestOf(record, calendarPath(chain)));
        return [chain, Buffer.from(bytes).toString('utf8')];
      }),
  );
  const [read, texts, changes, status, landing] = await Promise.all([
    manifests,
    calendars,
    document(PUBLIC_PATHS.changes, 'changes'),
    document(PUBLIC_PATHS.status, 'status'),
    document(PUBLIC_PATHS.landing, 'landing'),
  ]);
  return {
    record,
    sha256,
    manifests: new Map(read),
    changes,
    status,
    landing,
    calendars: new Map(texts),
  };
}

function digestOf(record: ReleaseRecord, path: string): string {
  const entry = record.public[path];
  if (entry === undefined) throw damaged(`release ${record.revision}`, `does not list ${path}`);
  return entry.sha256;
}
