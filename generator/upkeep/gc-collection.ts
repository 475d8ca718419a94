import { COLLECTED_PREFIX, collectedKey, COLLECTION_KEY, STORE_KEY } from '../../schemas/paths.js';
import type { CollectedFile, CollectionPointer } from '../../schemas/types.generated.js';
import type { ListedObject, ObjectStore } from '../../infra/store/object-store.js';
import { readCollection, type Collection } from '../collect/collection-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { count } from '../core/text/count.js';
import { readStoredJson } from '../state/stored-json.js';
import { deleteGarbage } from './delete-garbage.js';
import type { GcStoreOptions } from './gc-store.js';

/** Age of the pointer at which no publish reads the files of the collection before any more. */
const READING_MS = 3_600_000;

/** The report of a garbage collection of a collection. */
export type CollectionGcResult = {
  readonly outcome: 'deleted' | 'dry-run' | 'interrupted';
  /** Number of the collection in force. */
  readonly sequence: number;
  /**
   * Files older than the grace period that neither the pointer nor a line of a ledger names: those to delete in a dry run,
   * and those that were deleted otherwise.
   */
  readonly garbage: { readonly objects: number; readonly bytes: number };
  /** Number of files without a name that are younger. */
  readonly young: number;
};

/** Returns whether an address has a collection, and is no release store. */
export async function isCollection(store: ObjectStore): Promise<boolean> {
  return (await store.head(STORE_KEY)) === undefined && (await store.head(COLLECTION_KEY)) !== undefined;
}

/**
 * Deletes the files of earlier collections that are older than the grace period. Keeps all that the pointer names, and the
 * lineage of every line of the ledgers.
 * @throws GeneratorError 'damaged' if a document is missing or not what it should be; 'conflict' if there is
 * something to delete and the pointer moved less than an hour ago, or moves in the meantime.
 */
export async function gcCollection(
  store: ObjectStore,
  { apply, graceMs, progress, signal, clock }: GcStoreOptions,
): Promise<CollectionGcResult> {
  const head = await store.head(COLLECTION_KEY);
  const pointer = await readStoredJson(store, COLLECTION_KEY, 'collection');
  const collection = await readCollection(store);
  if (head === undefined || pointer === undefined || collection.etag !== pointer.etag) throw moved();
  progress.begin('gc');
  const { sequence } = collection;
  const needed = keysOf(pointer.value, collection);
  const { candidates, young } = await findCandidates(store, needed, head.answeredAtMs, graceMs);
  const garbage = { objects: 0, bytes: 0 };
  const addToGarbage = ({ sizeBytes }: ListedObject): void => {
    garbage.objects += 1;
    garbage.bytes += sizeBytes;
  };
  if (!apply) {
    candidates.forEach(addToGarbage);
    progress.end(`${count(candidates.length, 'file')} could be deleted`);
    return { outcome: 'dry-run', sequence, garbage, young };
  }
  if (candidates.length > 0 && head.answeredAtMs - head.modifiedAtMs < READING_MS) throw justChanged(store);
  await deleteGarbage(store, {
    ...{ candidates, graceMs, signal, clock, writing: 'Collecting', onDeleted: addToGarbage },
    async assertUnchanged() {
      if ((await store.head(COLLECTION_KEY))?.etag !== pointer.etag) throw moved();
    },
    describe: () => `${count(garbage.objects, 'file')} were deleted`,
  });
  progress.end(count(garbage.objects, 'file'));
  return { outcome: signal.aborted ? 'interrupted' : 'deleted', sequence, garbage, young };
}

function justChanged({ address }: ObjectStore): GeneratorError {
  const message = `The collection at ${address} changed less than an hour ago, and a publish may still read the files of the one before. Nothing was deleted. Run gc again later.`;
  return new GeneratorError('conflict', message);
}

function moved(): GeneratorError {
  const message =
    'Another collection was committed during this run, so the remaining files were not deleted. Run gc again.';
  return new GeneratorError('conflict', message);
}

/** Returns the keys that a collection needs. */
function keysOf({ ledgers, files, changes, state }: CollectionPointer, collection: Collection): Set<string> {
  const named = [ledgers, files].flatMap((each) => Object.values(each) as CollectedFile[]); // values loses the type
  const lines = [...collection.ledgers.values()].flat();
  const digests = [
    ...[...named, changes, state].map(({ sha256 }) => sha256),
    ...lines.map(({ lineage }) => lineage),
  ];
  return new Set(digests.map(collectedKey));
}

async function findCandidates(
  store: ObjectStore,
  needed: ReadonlySet<string>,
  nowMs: number,
  graceMs: number,
): Promise<{ candidates: ListedObject[]; young: number }> {
  const candidates: ListedObject[] = [];
  let young = 0;
  for await (const found of store.list(COLLECTED_PREFIX)) {
    const digest = found.key.slice(COLLECTED_PREFIX.length);
    if (needed.has(found.key) || !/^[0-9a-f]{64}$/.test(digest)) continue; // another name is not the program's
    if (nowMs - found.modifiedAtMs > graceMs) candidates.push(found);
    else young += 1;
  }
  return { candidates, young };
}
