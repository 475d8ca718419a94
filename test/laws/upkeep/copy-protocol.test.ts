import type { ObjectStore } from '../../../infra/store/object-store.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { addDays } from '../../../schemas/dates.js';
import { GENRES } from '../../../schemas/catalog.js';
import { bundlePath, objectKey, POINTER_KEY, RELEASES_PREFIX } from '../../../schemas/paths.js';
import { copyStore, type CopyResult } from '../../../generator/upkeep/copy/copy-store.js';
import { SILENT } from '../../../generator/run/progress.js';
import { readPointer, readReleases } from '../../../generator/state/published-state.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { createRandom } from '../../support/random/seeded.js';
import { differingKeys, snapshotStore } from '../../support/stores/store-snapshot.js';
import { interceptStore } from '../../support/stores/intercept-store.js';
import { createStoppingStore, StoppedError } from '../../support/stores/stopping-store.js';
import { createTurns } from '../../support/stores/turns.js';

const HOUR_MS = 3_600_000;
const START = '2022-02-01T00:00:00Z';
const series = (days: number): ReturnType<typeof randomSeries> =>
  randomSeries({ chain: 'arbitrum', seed: 1, days });

/** Returns a store in memory and a function that sets its clock. */
function createClockedStore(at = START): { store: ObjectStore; setClock: (at: string | number) => void } {
  let nowMs = Date.parse(at);
  return {
    store: createMemoryStore(() => nowMs),
    setClock: (to) => (nowMs = typeof to === 'number' ? to : Date.parse(to)),
  };
}

function copy(
  from: ObjectStore,
  to: ObjectStore,
  signal = new AbortController().signal,
): Promise<CopyResult> {
  return copyStore({ from, to, clock: () => 0, progress: SILENT, signal });
}

async function expectEqual(from: ObjectStore, to: ObjectStore): Promise<void> {
  expect(differingKeys(await snapshotStore(from), await snapshotStore(to))).toEqual([]);
  expect((await verifyStore(to, { deep: false })).faults).toEqual([]);
}

/** Returns a store with two releases. */
async function createSource(): Promise<ObjectStore> {
  const { store } = createClockedStore();
  await publishSeries(store, { inputs: [series(3)], asOf: START });
  await publishSeries(store, { inputs: [series(4)], asOf: '2022-02-02T00:00:00Z' });
  return store;
}

describe('copy', () => {
  it('writes store.json, objects, records, pointer, public copies and aliases.json, in this order', async () => {
    const writes: string[] = [];
    const target = interceptStore(createMemoryStore(), async ({ name, key }, run) => {
      if (name === 'putIfAbsent' || name === 'compareAndSwap') writes.push(key);
      return run();
    });
    await copy(await createSource(), target);
    const kinds = writes.map((key) => (key.startsWith('public/') ? 'public' : (key.split('/')[0] ?? '')));
    const order = kinds.filter((kind, i) => kind !== kinds[i - 1]);
    expect(order).toEqual(['store.json', 'objects', 'releases', 'current.json', 'public', 'aliases.json']);
  });

  it('resumes after a stop after every eleventh operation, and reads no object twice except manifests and the list of the site', async () => {
    const source = await createSource();
    let at = 1;
    for (let stopped = true; stopped; at += 11) {
      const memory = createMemoryStore();
      stopped = await copy(source, createStoppingStore(memory, at).store).then(
        () => false,
        (error: unknown) =>
          error instanceof StoppedError || isUnknown(error) || Promise.reject(error as Error), // any other error is a bug
      );
      if ((await memory.head(POINTER_KEY)) !== undefined) {
        const { faults } = await verifyStore(memory, { deep: false });
        expect(faults.filter(({ key }) => !/^(public\/|aliases\.json)/.test(key))).toEqual([]);
      }
      const copied = new Set((await snapshotStore(memory)).keys());
      const again: string[] = [];
      const watched = interceptStore(source, ({ name, key }, run) => {
        if (name === 'get' && key.startsWith('objects/') && copied.has(key)) again.push(key);
        return run();
      });
      await copy(watched, memory);
      // The manifests and the list of the site are read again: they list what to copy.
      expect(new Set(again).size).toBeLessThanOrEqual(GENRES.length + 1);
      await expectEqual(source, memory);
    }
    expect(at).toBeGreaterThan(100);
  }, 120_000);

  it('writes no object whose bytes differ from its digest', async () => {
    const source = await createSource();
    const keys = [...(await snapshotStore(source)).keys()].filter((key) => key.startsWith('objects/'));
    for (const key of keys.filter((_, i) => i % 10 === 0)) {
      const corrupt = interceptStore(source, async ({ name, key: asked }, run) => {
        const result = await run();
        if (name !== 'get' || asked !== key) return result;
        return { ...result, bytes: Buffer.from('corrupt') };
      });
      const target = createMemoryStore();
      await expect(copy(corrupt, target)).rejects.toMatchObject({ exit: 'damaged', fault: { key } });
      expect(await target.head(key)).toBeUndefined();
      expect(await target.head(POINTER_KEY)).toBeUndefined();
    }
  }, 300_000);
});

describe('copies beside publications', () => {
  it('both succeed while their source is published to, and leave one of its releases', async () => {
    for (let seed = 1; seed <= 5; seed += 1) {
      const source = await createSource();
      const target = createMemoryStore();
      const turns = createTurns(createRandom(seed));
      const copies = [1, 2].map(() => copy(turns.join(source), turns.join(target)));
      const publication = publishSeries(turns.join(source), {
        inputs: [series(5)],
        asOf: '2022-02-03T00:00:00Z',
      });
      await turns.run([...copies, publication]);
      const outcomes = await Promise.allSettled(copies);
      expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled']);
      expectNoFaults(await verifyStore(target, { deep: false }));
      await copy(source, target);
      await expectEqual(source, target);
    }
  }, 120_000);

  it('end with a conflict when their target is published to, and keep that release', async () => {
    const source = await createSource();
    const memory = createMemoryStore();
    const other = createMemoryStore();
    await publishSeries(other, { inputs: [series(2)], asOf: START });
    const pointer = await other.get(POINTER_KEY);
    const target = interceptStore(memory, async ({ name, key }, run) => {
      if (name === 'compareAndSwap' && key === POINTER_KEY)
        await memory.putIfAbsent(POINTER_KEY, pointer?.bytes ?? new Uint8Array(), META);
      return run();
    });
    await expect(copy(source, target)).rejects.toMatchObject({ exit: 'conflict' });
    expect((await readPointer(memory))?.value.sequence).toBe(1);
  });
});

describe('copy and garbage collection', () => {
  let source: ObjectStore;
  let setClock: (at: string | number) => void;
  const at = (day: number): string => `${addDays('2022-02-01', day)}T00:00:00Z`;
  const LAST = 40;

  beforeAll(async () => {
    ({ store: source, setClock } = createClockedStore());
    for (let day = 0; day <= LAST; day += 1) {
      setClock(at(day));
      await publishSeries(source, { inputs: [series(3 + day)], asOf: at(day) });
    }
  }, 120_000);

  /** Returns the key of a bundle of the release `age` releases before the current one. */
  async function keyOf(age: number): Promise<string> {
    const pointer = await readPointer(source);
    const releases = await readReleases(source, pointer?.value ?? { revision: '', sha256: '' });
    const path = bundlePath('gold', 'arbitrum', '7d');
    return objectKey(releases[age]?.record.bundles[path]?.sha256 ?? '');
  }

  it('skips files that garbage collection of the source may have deleted, and fails if any other is missing', async () => {
    const [old, retained] = [await keyOf(35), await keyOf(5)];
    const body = (await source.get(old))?.bytes ?? new Uint8Array();
    await source.delete(old);
    setClock(at(LAST));
    const target = createMemoryStore();
    expect(await copy(source, target)).toMatchObject({ outcome: 'copied', skipped: 1 });
    expectNoFaults(await verifyStore(target, { deep: false }));
    await source.delete(retained);
    await expect(copy(source, createMemoryStore())).rejects.toMatchObject({
      exit: 'damaged',
      fault: { key: retained, message: 'is missing' },
    });
    await source.putIfAbsent(old, body, META);
  }, 300_000);

  it('renews objects of the target that an interrupted copy left long ago, once', async () => {
    const fresh = await createSource();
    const { store: target, setClock: setTarget } = createClockedStore();
    await expect(copy(fresh, createStoppingStore(target, 60).store)).rejects.toBeInstanceOf(StoppedError);
    setTarget(Date.parse(START) + 25 * HOUR_MS); // more than half of the minimum grace period
    const leftovers = [...(await snapshotStore(target)).keys()].filter((key) => key.startsWith('objects/'));
    await copy(fresh, target);
    for (const key of leftovers) {
      expect((await target.head(key))?.modifiedAtMs).toBe(Date.parse(START) + 25 * HOUR_MS);
    }
    setTarget(Date.parse(START) + 99 * HOUR_MS);
    const puts: string[] = [];
    const watched = interceptStore(target, ({ name, key }, run) => {
      if (name === 'putIfAbsent' || name === 'compareAndSwap') puts.push(key);
      return run();
    });
    expect(await copy(fresh, watched)).toMatchObject({ outcome: 'unchanged' });
    expect(puts.filter((key) => key.startsWith('objects/') || key.startsWith(RELEASES_PREFIX))).toEqual([]);
  });
});

describe('an interrupted copy', () => {
  /** Copies, and interrupts the copy after its first write below a prefix. */
  async function interruptAfter(prefix: string): Promise<unknown> {
    const controller = new AbortController();
    const target = interceptStore(createMemoryStore(), async ({ name, key }, run) => {
      const result = await run();
      if (!['get', 'head', 'list'].includes(name) && key.startsWith(prefix)) controller.abort();
      return result;
    });
    return copy(await createSource(), target, controller.signal).catch((error: unknown) => error);
  }

  it.each([
    ['while objects are written', 'objects/', 'was not moved'],
    ['while records are written', 'releases/', 'was not moved'],
    ['after the pointer was moved', POINTER_KEY, 'names the copied release'],
  ])('reports whether the pointer was moved: %s', async (_when, prefix, says) => {
    expect(await interruptAfter(prefix)).toMatchObject({
      exit: 'interrupted',
      message: expect.stringContaining(`the pointer of memory: ${says}`),
    });
  });

  it('reports that the outcome is unknown when the store does not answer', async () => {
    const controller = new AbortController();
    const target = interceptStore(createMemoryStore(), async ({ key }, run) => {
      if (controller.signal.aborted) throw new StoppedError();
      const result = await run();
      if (key !== POINTER_KEY || result === undefined) return result;
      controller.abort();
      throw new StoppedError();
    });
    await expect(copy(await createSource(), target, controller.signal)).rejects.toMatchObject({
      exit: 'interrupted',
      message: expect.stringContaining('may have been moved'),
    });
  });
});

const META = { contentType: 'application/json', cacheControl: 'no-cache' };

function expectNoFaults({ faults }: { readonly faults: readonly object[] }): void {
  expect(faults).toEqual([]);
}

/** Returns true if a copy ended because it could not determine the outcome of the stopped operation. */
function isUnknown(error: unknown): boolean {
  return (error as { cause?: unknown }).cause instanceof StoppedError; // an error
}
