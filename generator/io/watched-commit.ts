import { setTimeout as sleep } from 'node:timers/promises';
import { POINTER_KEY } from '../../schemas/paths.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';

/** How often the pointer is read while an interrupted run waits for the answer to its swap. */
const LOOK_MS = 500;

/** A store, and what is known of the swap of its pointer. */
export type WatchedCommit = {
  readonly store: ObjectStore;
  /** Whether the swap was asked for: from then on only an answer, or the pointer itself, says whether it was done. */
  readonly isSent: () => boolean;
};

/**
 * The store, but it is known when the swap of the pointer was sent, and once `signal` is aborted the pointer is read
 * as well: naming the release answers for a server that made the swap and whose answer does not come.
 */
export function watchCommit(store: ObjectStore, signal: AbortSignal): WatchedCommit {
  let sent = false;
  return {
    isSent: () => sent,
    store: {
      ...store,
      async compareAndSwap(key, body, expected, meta) {
        if (key !== POINTER_KEY) return store.compareAndSwap(key, body, expected, meta);
        sent = true;
        const answered = new AbortController();
        const answer = store.compareAndSwap(key, body, expected, meta);
        try {
          return await Promise.race([answer, findSwapped(store, body, signal, answered.signal)]);
        } finally {
          answered.abort();
        }
      },
    },
  };
}

/** Resolves once the run is interrupted and the pointer holds these bytes; otherwise never. */
async function findSwapped(
  store: ObjectStore,
  body: Uint8Array,
  interrupted: AbortSignal,
  answered: AbortSignal,
): Promise<Etag> {
  await aborted(interrupted, answered);
  while (!answered.aborted) {
    const pointer = await store.get(POINTER_KEY).catch(() => undefined);
    if (pointer !== undefined && Buffer.from(body).equals(pointer.bytes)) return pointer.etag;
    await sleep(LOOK_MS);
  }
  return new Promise(() => undefined);
}

/** Resolves when either is aborted. */
function aborted(...signals: readonly AbortSignal[]): Promise<void> {
  return new Promise((resolve) => {
    const either = AbortSignal.any([...signals]);
    if (either.aborted) resolve();
    else either.addEventListener('abort', () => resolve(), { once: true });
  });
}
