import { createMemoryStore } from '../../support/stores/memory-store.js';
import { StoreError, type Etag, type ObjectStore } from '../../../infra/store/object-store.js';
import { POINTER_KEY, releaseKey } from '../../../schemas/paths.js';
import type { Pointer } from '../../../schemas/types.generated.js';
import {
  assertMoved,
  isMoveOutcomeUnknown,
  movePointer,
  type PointerMove,
} from '../../../generator/state/move-pointer.js';
import { type NamedRelease, readPointer, readReleases } from '../../../generator/state/published-state.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { interceptStore } from '../../support/stores/intercept-store.js';

const META = { contentType: 'application/json', cacheControl: 'no-cache' };
const LOST = new StoreError('unavailable', 'the response was lost');

/** A store with the records of three releases in a row, and of a fourth that follows the first. */
let store: ObjectStore;
let first: NamedRelease;
let ours: NamedRelease;
let child: NamedRelease;
let rival: NamedRelease;

async function publish(to: ObjectStore, days: number): Promise<NamedRelease> {
  const inputs = [randomSeries({ chain: 'arbitrum', seed: days, days: 3 + days })];
  const acceptance = { reason: 'another series' };
  await publishSeries(to, { inputs, asOf: `2022-02-0${days}T00:00:00Z`, acceptance });
  return (await readPointer(to))?.value ?? Promise.reject(new Error('nothing was published'));
}

async function copyOf(source: ObjectStore): Promise<ObjectStore> {
  const copy = createMemoryStore();
  for await (const { key } of source.list('')) {
    await copy.putIfAbsent(key, (await source.get(key))?.bytes ?? new Uint8Array(), META);
  }
  return copy;
}

beforeAll(async () => {
  const base = createMemoryStore();
  first = await publish(base, 1);
  const other = await copyOf(base);
  rival = await publish(other, 4);
  ours = await publish(base, 2);
  child = await publish(base, 3);
  const [record] = await readReleases(other, rival);
  const key = releaseKey(record?.record.revision ?? '', rival.sha256);
  await base.putIfAbsent(key, (await other.get(key))?.bytes ?? new Uint8Array(), META);
  store = base;
});

/** Returns a store whose pointer names `release`, and the etag of that pointer. */
async function storeAt(release: NamedRelease): Promise<{ store: ObjectStore; etag: Etag }> {
  const copy = await copyOf(store);
  return { store: copy, etag: await point(copy, release) };
}

async function point(to: ObjectStore, { revision, sequence, sha256 }: NamedRelease): Promise<Etag> {
  const pointer: Pointer = { schema: 'pointer/1', revision, sequence, sha256 };
  const expected = (await to.get(POINTER_KEY))?.etag ?? null;
  const etag = await to.compareAndSwap(POINTER_KEY, Buffer.from(JSON.stringify(pointer)), expected, META);
  return etag === 'conflict' ? Promise.reject(new Error('conflict')) : etag;
}

/** A response of the store to the swap, the release that the pointer names afterwards, and a failure to read it. */
type Case = {
  readonly swap: 'done' | 'done, conflict' | 'done, error' | 'conflict' | 'error';
  readonly then?: () => NamedRelease;
  readonly reads?: 'error' | 'damaged record';
  readonly isAborted?: boolean;
};

/** Moves the pointer from the first release to ours. Returns the outcome, or the error that was thrown. */
async function move({ swap, then, reads, isAborted = false }: Case): Promise<unknown> {
  const { store: memory, etag } = await storeAt(first);
  const interruption = new AbortController();
  let isSwapped = false;
  const answering = interceptStore(memory, async ({ name, key }, run) => {
    if (name === 'compareAndSwap' && key === POINTER_KEY) {
      const isDone = swap.startsWith('done');
      const answer = isDone ? await run() : ('conflict' as Awaited<ReturnType<typeof run>>); // a swap's answer
      if (then !== undefined) await point(memory, then());
      isSwapped = true;
      if (isAborted) interruption.abort();
      if (swap.endsWith('error')) throw LOST;
      return swap.endsWith('conflict') ? ('conflict' as typeof answer) : answer; // a swap's answer
    }
    if (isSwapped && reads === 'error') throw new StoreError('unavailable', 'not readable');
    if (isSwapped && reads === 'damaged record' && key !== POINTER_KEY) return undefined as never; // missing
    return run();
  });
  return movePointer(answering, ours, { expected: etag, signal: interruption.signal }).catch(
    (error: unknown) => error,
  );
}

describe('movePointer', () => {
  const moved = { outcome: 'moved', bytes: expect.any(Number) };
  const overtaken = (by: NamedRelease): object => ({ outcome: 'overtaken', current: { ...by } });
  const unknown = (message: string): object => ({
    outcome: 'unknown',
    cause: expect.objectContaining({ message }),
  });

  it.each<[string, Case, () => unknown]>([
    ['returns moved when the swap succeeds', { swap: 'done' }, () => moved],
    [
      'returns overtaken after a conflict when the pointer names another release',
      { swap: 'conflict', then: () => rival },
      () => overtaken(rival),
    ],
    [
      'returns moved after a conflict when the pointer names our release, because a retry had succeeded',
      { swap: 'done, conflict' },
      () => moved,
    ],
    [
      'returns moved after a conflict when the pointer names a descendant of our release',
      { swap: 'done, conflict', then: () => child },
      () => moved,
    ],
    [
      'returns unknown after a conflict when the pointer cannot be read',
      { swap: 'conflict', reads: 'error' },
      () => unknown('not readable'),
    ],
    [
      'returns overtaken after a conflict when the record that the pointer names is missing',
      { swap: 'conflict', then: () => child, reads: 'damaged record' },
      () => overtaken(child),
    ],
    ['returns moved after an error when the pointer names our release', { swap: 'done, error' }, () => moved],
    [
      'returns moved after an error when the pointer names a descendant of our release',
      { swap: 'done, error', then: () => child },
      () => moved,
    ],
    [
      'returns overtaken after an error when the pointer names another release',
      { swap: 'error', then: () => rival },
      () => overtaken(rival),
    ],
    ['throws the error when the pointer has not moved', { swap: 'error' }, () => LOST],
    [
      'returns unknown after an interrupt when the pointer has not moved, because it may still move',
      { swap: 'error', isAborted: true },
      () => unknown(LOST.message),
    ],
    [
      'returns unknown after an error when the pointer cannot be read',
      { swap: 'done, error', reads: 'error' },
      () => unknown(LOST.message),
    ],
    [
      'returns unknown after an error when the record that the pointer names is missing',
      { swap: 'done, error', then: () => child, reads: 'damaged record' },
      () => unknown(LOST.message),
    ],
  ])('%s', async (_name, given, expected) => {
    const result = await move(given);
    expect(result).toEqual(expected());
  });

  it('writes the first pointer', async () => {
    const memory = createMemoryStore();
    expect(await movePointer(memory, ours, { expected: null })).toEqual(moved);
    expect((await readPointer(memory))?.value).toMatchObject(ours);
  });

  it('returns moved after an interrupt when the pointer names our release, although the store never responds', async () => {
    const { store: memory, etag } = await storeAt(first);
    const interruption = new AbortController();
    const silent = interceptStore(memory, async ({ name }, run) => {
      const answer = await run();
      if (name !== 'compareAndSwap') return answer;
      interruption.abort();
      return new Promise(() => undefined);
    });
    expect(await movePointer(silent, ours, { expected: etag, signal: interruption.signal })).toEqual(moved);
  });

  describe('after an interrupt, when the store responds only after the pointer was read', () => {
    /** Interrupts the swap. The store carries it out, or fails with `failure`, after the run has read the pointer. */
    async function interruptSwap(
      memory: ObjectStore,
      expected: Etag | null,
      failure?: Error,
    ): Promise<unknown> {
      const interruption = new AbortController();
      let respond = (): void => undefined;
      const slow = interceptStore(memory, async ({ name, key }, run) => {
        if (name === 'compareAndSwap') {
          interruption.abort();
          await new Promise<void>((resolve) => (respond = resolve));
          return failure === undefined ? run() : Promise.reject(failure);
        }
        const found = await run();
        if (key === POINTER_KEY) setImmediate(respond);
        return found;
      });
      return movePointer(slow, ours, { expected, signal: interruption.signal });
    }

    it('returns overtaken when the pointer names another release', async () => {
      const { store: memory, etag } = await storeAt(first);
      await point(memory, rival);
      expect(await interruptSwap(memory, etag)).toEqual(overtaken(rival));
    });

    it('returns unknown when the pointer names the release before ours and the store then fails', async () => {
      const { store: memory, etag } = await storeAt(first);
      expect(await interruptSwap(memory, etag, LOST)).toEqual(unknown(LOST.message));
    });

    it('returns moved when there was no pointer and the store then writes ours', async () => {
      expect(await interruptSwap(createMemoryStore(), null)).toEqual(moved);
    });
  });
});

describe('assertMoved', () => {
  const explain = (revision: string): string => `the pointer names ${revision}`;
  const run = (move: PointerMove): unknown => {
    try {
      return assertMoved(store, move, explain);
    } catch (error) {
      return error;
    }
  };

  it('returns the size of a pointer that was moved', () => {
    expect(run({ outcome: 'moved', bytes: 7 })).toBe(7);
  });

  it('throws a conflict if another release overtook this one', () => {
    const current: Pointer = { schema: 'pointer/1', ...rival };
    const error = run({ outcome: 'overtaken', current });
    expect(error).toMatchObject({ exit: 'conflict', message: explain(rival.revision) });
    expect(isMoveOutcomeUnknown(error)).toBe(false);
  });

  it('tells the operator to run status if the outcome is unknown', () => {
    const error = run({ outcome: 'unknown', cause: LOST });
    const next = ['status', '--store', 'memory:'];
    expect(error).toMatchObject({ exit: 'store-unavailable', cause: LOST, next });
    expect([isMoveOutcomeUnknown(error), isMoveOutcomeUnknown(LOST)]).toEqual([true, false]);
  });
});
