import { canonicalJson } from '../../schemas/canonical-json.js';
import { COLLECTION_KEY } from '../../schemas/paths.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { BEAT_MS, SILENCE_MS } from './collection-terms.js';
import { metaOf } from './object-meta.js';
import { readStoredJson } from './stored-json.js';

/** A collector's right to delete, which it keeps by being heard of. */
export type CollectionMark = {
  /** To be called before each deletion. @throws GeneratorError 'conflict' when another collector took over. */
  readonly beat: () => Promise<void>;
  /** Ends the collection. */
  readonly release: () => Promise<void>;
};

/**
 * Announces a collection, of which one at a time may run. `clock` gives milliseconds from any origin.
 * @throws GeneratorError 'conflict' while another one is heard of.
 */
export async function announceCollection(store: ObjectStore, clock: () => number): Promise<CollectionMark> {
  const before = await readStoredJson(store, COLLECTION_KEY, 'collection');
  if (before !== undefined && (await isHeardOf(store))) throw collecting();
  let beat = (before?.value.beat ?? 0) + 1;
  let etag = await write(store, true, beat, before?.etag ?? null);
  let heardMs = clock();
  return {
    async beat() {
      const silentMs = clock() - heardMs;
      if (silentMs < BEAT_MS) return;
      // Writers may already take this collector for dead.
      if (silentMs > SILENCE_MS / 2) throw collecting();
      etag = await write(store, true, (beat += 1), etag);
      heardMs = clock();
    },
    async release() {
      etag = await write(store, false, (beat += 1), etag);
    },
  };
}

/**
 * Passes when no collector is at work. One that died is forgotten after an hour.
 * @throws GeneratorError 'conflict' otherwise.
 */
export async function assertNotCollecting(store: ObjectStore): Promise<void> {
  if (await isHeardOf(store)) throw collecting();
}

/** Whether a collector is at work, by the store's own clock. */
async function isHeardOf(store: ObjectStore): Promise<boolean> {
  const head = await store.head(COLLECTION_KEY);
  if (head === undefined || head.answeredAtMs - head.modifiedAtMs > SILENCE_MS) return false;
  return (await readStoredJson(store, COLLECTION_KEY, 'collection'))?.value.running === true;
}

async function write(store: ObjectStore, running: boolean, beat: number, etag: Etag | null): Promise<Etag> {
  const body = Buffer.from(canonicalJson({ schema: 'collection/1', running, beat }));
  const written = await store.compareAndSwap(COLLECTION_KEY, body, etag, metaOf(COLLECTION_KEY));
  if (written === 'conflict') throw collecting();
  return written;
}

function collecting(): GeneratorError {
  return new GeneratorError(
    'conflict',
    'a collection of garbage is at work (or died less than an hour ago); nothing was published: run again later',
  );
}
