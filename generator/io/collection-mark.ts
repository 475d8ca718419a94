import { randomUUID } from 'node:crypto';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { COLLECTION_KEY } from '../../schemas/paths.js';
import type { CollectionMark as CollectionDocument } from '../../schemas/types.generated.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { BEAT_MS, SILENCE_MS } from './collection-terms.js';
import { metaOf } from './object-meta.js';
import { readStoredJson } from './stored-json.js';

/** A collector's right to delete, which it keeps by being heard of. */
export type CollectionMark = {
  /** To be called before each deletion. @throws GeneratorError 'conflict' when another collector took over. */
  readonly beat: () => Promise<void>;
  /** Ends the collection: nothing that it asked for may be under way any more. */
  readonly release: () => Promise<void>;
};

/**
 * Announces a collection, of which one at a time may run. `clock` gives milliseconds from any origin.
 * @throws GeneratorError 'conflict' while another one is heard of.
 */
export async function announceCollection(store: ObjectStore, clock: () => number): Promise<CollectionMark> {
  const before = await readStoredJson(store, COLLECTION_KEY, 'collection');
  if (before?.value.running === true && (await isRecent(store))) throw collecting();
  let beat = (before?.value.beat ?? 0) + 1;
  // A write whose answer was lost is known by its bytes: those of another collector must not pass for it.
  const owner = randomUUID();
  let etag = await write(store, { running: true, beat, owner }, before?.etag ?? null);
  let heardMs = clock();
  return {
    async beat() {
      const silentMs = clock() - heardMs;
      if (silentMs < BEAT_MS) return;
      // Writers may already take this collector for dead.
      if (silentMs > SILENCE_MS / 2) throw collecting();
      etag = await write(store, { running: true, beat: (beat += 1), owner }, etag);
      heardMs = clock();
    },
    async release() {
      etag = await write(store, { running: false, beat: (beat += 1), owner }, etag);
    },
  };
}

/** What a writer sees of collections while it works. */
export type CollectionWatch = {
  /** Passes when no collector has been at work since the watch began. @throws GeneratorError 'conflict' otherwise. */
  readonly assertNone: () => Promise<void>;
};

/**
 * Begins a watch for collectors: before the first write, to be asked again before the commit. A collector that begins
 * in between sees how young the writer's objects are; one that was at work already may have a deletion on its way,
 * which takes also what was written after it. One that died is forgotten after an hour.
 * @throws GeneratorError 'conflict' while a collector is at work.
 */
export async function watchCollections(store: ObjectStore): Promise<CollectionWatch> {
  const begun = await readBeat(store);
  return {
    async assertNone() {
      if ((await readBeat(store)) !== begun) throw collecting();
    },
  };
}

/** How often collectors were heard of so far. @throws GeneratorError 'conflict' while one is at work. */
async function readBeat(store: ObjectStore): Promise<number> {
  const mark = await readStoredJson(store, COLLECTION_KEY, 'collection');
  if (mark?.value.running === true && (await isRecent(store))) throw collecting();
  return mark?.value.beat ?? 0;
}

/** Whether the mark was written within the hour, by the store's own clock. */
async function isRecent(store: ObjectStore): Promise<boolean> {
  const head = await store.head(COLLECTION_KEY);
  return head !== undefined && head.answeredAtMs - head.modifiedAtMs <= SILENCE_MS;
}

type Mark = Omit<CollectionDocument, 'schema'>;

async function write(store: ObjectStore, mark: Mark, etag: Etag | null): Promise<Etag> {
  const body = Buffer.from(canonicalJson({ schema: 'collection/1', ...mark }));
  const written = await store.compareAndSwap(COLLECTION_KEY, body, etag, metaOf(COLLECTION_KEY));
  if (written === 'conflict') throw collecting();
  return written;
}

function collecting(): GeneratorError {
  return new GeneratorError(
    'conflict',
    'a collection of garbage is at work, or was while this run wrote, or died less than an hour ago; run again later',
  );
}
