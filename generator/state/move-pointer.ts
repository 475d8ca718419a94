import { setTimeout as sleep } from 'node:timers/promises';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { POINTER_KEY } from '../../schemas/paths.js';
import type { Pointer } from '../../schemas/types.generated.js';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import { getDocument, metaOf, readStoredJson, unlessDamaged } from './stored-json.js';
import { descendsFrom, type NamedRelease } from './published-state.js';

/** Interval at which an interrupted run reads the pointer while it waits for the response to its swap. */
const POLL_MS = 500;

/** Options for `movePointer`. */
type MoveOptions = {
  /** Etag of the pointer that the release was planned from; `null` if there was no pointer. */
  readonly expected: Etag | null;
  readonly signal?: AbortSignal | undefined;
};

/** Result of `movePointer`. */
export type PointerMove =
  /** The pointer names the release or one of its descendants. `bytes` is the size of the pointer. */
  | { readonly outcome: 'moved'; readonly bytes: number }
  /** The pointer names a release that does not descend from this one, and this one can no longer be committed. */
  | { readonly outcome: 'overtaken'; readonly current: Pointer | undefined }
  /** The swap was sent, and the store does not say whether it happened. */
  | { readonly outcome: 'unknown'; readonly cause: unknown };

/**
 * Moves the pointer to `release` if its etag is still `expected`. This is the commit point of a publish, rollback, copy
 * or repair. A conflict may be the answer to a retry whose first try succeeded, and a failed request may have been
 * carried out, so in both cases the pointer itself decides the outcome.
 * @throws the error of the store if the swap failed and the pointer has not moved.
 */
export async function movePointer(
  store: ObjectStore,
  release: NamedRelease,
  { expected, signal }: MoveOptions,
): Promise<PointerMove> {
  const body = pointerBytes(release);
  const moved = { outcome: 'moved', bytes: body.length } as const;
  const swap = await trySwap(store, body, expected, signal);
  if (swap.answer === 'swapped') return moved;
  const isFailed = swap.answer === 'none';
  let pointer;
  try {
    pointer = await readStoredJson(store, POINTER_KEY, 'pointer');
    const current = pointer?.value;
    const descends = async (): Promise<boolean> =>
      current !== undefined && (await descendsFrom(store, current, release));
    // After a conflict, a damaged chain does not hide that the pointer names another release.
    if (await (isFailed ? descends() : unlessDamaged(descends))) return moved;
  } catch (error) {
    return { outcome: 'unknown', cause: swap.error ?? error };
  }
  if (!isFailed || (pointer?.etag ?? null) !== expected)
    return { outcome: 'overtaken', current: pointer?.value };
  // An aborted request may still reach the store.
  if (signal?.aborted === true) return { outcome: 'unknown', cause: swap.error };
  throw swap.error as Error; // stores throw only errors
}

/** Returns the bytes of a pointer to `release`. */
export function pointerBytes({ revision, sequence, sha256 }: NamedRelease): Buffer {
  return Buffer.from(canonicalJson({ schema: 'pointer/1', revision, sequence, sha256 }));
}

/**
 * Returns the size of the pointer if it was moved. `explain` returns the error message if it was overtaken, given the
 * revision that the pointer names.
 * @throws GeneratorError 'conflict' if it was overtaken, 'store-unavailable' if the outcome is unknown.
 */
export function assertMoved(
  { address }: ObjectStore,
  move: PointerMove,
  explain: (revision: string) => string,
): number {
  if (move.outcome === 'moved') return move.bytes;
  if (move.outcome === 'overtaken')
    throw new GeneratorError('conflict', explain(move.current?.revision ?? 'nothing'));
  throw new GeneratorError(
    'store-unavailable',
    `${address} failed while its pointer was being moved, so it is unknown whether the release was committed. To see whether it was:`,
    { cause: move.cause, next: ['status', '--store', address] },
  );
}

/** Returns whether `assertMoved` threw the error for an unknown outcome. No other GeneratorError has this exit. */
export function isMoveOutcomeUnknown(error: unknown): boolean {
  return error instanceof GeneratorError && error.exit === 'store-unavailable';
}

/**
 * Swaps the pointer. Once `signal` is aborted, a pointer with exactly these bytes also counts as the response, because
 * a server may carry out the swap and never answer.
 */
async function trySwap(
  store: ObjectStore,
  body: Uint8Array,
  expected: Etag | null,
  signal: AbortSignal | undefined,
): Promise<{ readonly answer: 'swapped' | 'conflict' | 'none'; readonly error?: unknown }> {
  const answered = new AbortController();
  try {
    const answer = store.compareAndSwap(POINTER_KEY, body, expected, metaOf(POINTER_KEY));
    const found = signal === undefined ? [] : [pollPointer(store, body, signal, answered.signal)];
    const swapped = await Promise.race([answer, ...found]);
    return { answer: swapped === 'conflict' ? 'conflict' : 'swapped' };
  } catch (error) {
    return { answer: 'none', error };
  } finally {
    answered.abort();
  }
}

/** Resolves once the run is interrupted and the pointer has these bytes; otherwise never. */
async function pollPointer(
  store: ObjectStore,
  body: Uint8Array,
  interrupted: AbortSignal,
  answered: AbortSignal,
): Promise<Etag> {
  await untilAborted(AbortSignal.any([interrupted, answered]));
  while (!answered.aborted) {
    const pointer = await getDocument(store, POINTER_KEY, 'pointer').catch(() => undefined);
    if (pointer !== undefined && Buffer.from(body).equals(pointer.bytes)) return pointer.etag;
    await sleep(POLL_MS);
  }
  return new Promise(() => undefined);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
