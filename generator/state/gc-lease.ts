import { MAX_PUBLISH_MS, HEARTBEAT_TIMEOUT_MS, HEARTBEAT_INTERVAL_MS } from './gc-policy.js';
import { randomUUID } from 'node:crypto';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { GC_KEY } from '../../schemas/paths.js';
import type { GcMark } from '../../schemas/types.generated.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { metaOf, readStoredJson } from './stored-json.js';

/** The right of one garbage collection to delete, which it keeps by writing heartbeats. */
export type GcLease = {
  /** Writes a heartbeat when one is due. Call it before each deletion. @throws GeneratorError 'conflict' if the lease is lost. */
  readonly renew: () => Promise<void>;
  /** Ends the lease. Call it only when no deletion is still in progress. */
  readonly end: () => Promise<void>;
};

/**
 * Acquires the lease, so that one garbage collection runs at a time. `clock` returns milliseconds from any origin.
 * @throws GeneratorError 'conflict' if another garbage collection is running.
 */
export async function acquireGcLease(store: ObjectStore, clock: () => number): Promise<GcLease> {
  const before = await readStoredJson(store, GC_KEY, 'gc');
  if (before?.value.running === true && (await isAlive(store))) throw gcConflict();
  let heartbeat = (before?.value.heartbeat ?? 0) + 1;
  // A write whose response was lost is recognised by its bytes, so two runs must never write the same bytes.
  const owner = randomUUID();
  let etag = await write(store, { running: true, heartbeat, owner }, before?.etag ?? null);
  let renewedMs = clock();
  return {
    async renew() {
      const ageMs = clock() - renewedMs;
      if (ageMs < HEARTBEAT_INTERVAL_MS) return;
      // Writers could consider this garbage collection dead before the deletions that follow have ended.
      if (ageMs > HEARTBEAT_TIMEOUT_MS / 2) throw gcConflict();
      etag = await write(store, { running: true, heartbeat: (heartbeat += 1), owner }, etag);
      renewedMs = clock();
    },
    async end() {
      etag = await write(store, { running: false, heartbeat: (heartbeat += 1), owner }, etag);
    },
  };
}

/** A writer's view of garbage collection from its first write to its commit. */
export type GcWatch = {
  /**
   * Passes if garbage collection cannot have deleted anything that was written or found since the watch began.
   * @throws GeneratorError 'conflict' otherwise.
   */
  readonly assertNothingDeleted: () => Promise<void>;
};

/**
 * Starts a watch for garbage collections. Start it before the first write and check it before the commit. A garbage
 * collection that ran at any time in between, even if it has ended, may have sent a deletion that is carried out after
 * the writer wrote the object again, so any new heartbeat is a conflict. One that starts after the check sees that the
 * writer's objects are young. A dead one is ignored after an hour. `clock` returns milliseconds from any origin.
 * @throws GeneratorError 'conflict' if a garbage collection is running.
 */
export async function watchGc(store: ObjectStore, clock: () => number): Promise<GcWatch> {
  const startedMs = clock();
  const before = await readHeartbeat(store);
  return {
    async assertNothingDeleted() {
      if (clock() - startedMs > MAX_PUBLISH_MS) {
        throw new GeneratorError(
          'conflict',
          'This run took more than 24 hours, so garbage collection may have deleted files that it relies on. The pointer was not moved. Run again.',
        );
      }
      if ((await readHeartbeat(store)) !== before) throw gcConflict();
    },
  };
}

/** Returns the number of the last heartbeat, 0 before any. @throws GeneratorError 'conflict' if one is running. */
async function readHeartbeat(store: ObjectStore): Promise<number> {
  const lease = await readStoredJson(store, GC_KEY, 'gc');
  if (lease?.value.running === true && (await isAlive(store))) throw gcConflict();
  return lease?.value.heartbeat ?? 0;
}

/** Returns whether the last heartbeat is recent, by the clock of the store. */
async function isAlive(store: ObjectStore): Promise<boolean> {
  const head = await store.head(GC_KEY);
  return head !== undefined && head.answeredAtMs - head.modifiedAtMs <= HEARTBEAT_TIMEOUT_MS;
}

async function write(
  store: ObjectStore,
  lease: Omit<GcMark, 'schema'>,
  expected: Etag | null,
): Promise<Etag> {
  const body = Buffer.from(canonicalJson({ schema: 'gc/1', ...lease }));
  const written = await store.compareAndSwap(GC_KEY, body, expected, metaOf(GC_KEY));
  if (written === 'conflict') throw gcConflict();
  return written;
}

function gcConflict(): GeneratorError {
  return new GeneratorError(
    'conflict',
    'A garbage collection is running, was running during this run, or died less than an hour ago. Run again later.',
  );
}
