import fc from 'fast-check';
import type { Etag, ObjectStore } from '../../infra/store/object-store.js';
import { createMemoryStore } from '../../infra/store/memory-store.js';
import {
  ALIASES_KEY,
  objectKey,
  OBJECTS_PREFIX,
  POINTER_KEY,
  PUBLIC_PATHS,
  RELEASES_PREFIX,
  STORE_KEY,
} from '../../schemas/paths.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';
import { GeneratorError } from '../../generator/core/generator-error.js';
import { readRecord } from '../../generator/io/published-state.js';
import { SILENT } from '../../generator/io/progress.js';
import { repairStore, type RepairResult, type RepairTerms } from '../../generator/io/repair-store.js';
import { readCurrent, setHold } from '../fixtures/operate.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';
import { differingKeys, snapshotStore, type StoreSnapshot } from '../fixtures/store-snapshot.js';
import { createStoppingStore, StoppedError, watchStore } from '../fixtures/watched-store.js';

const series = (days: number): ReturnType<typeof randomSeries> =>
  randomSeries({ chain: 'arbitrum', seed: 1, days });
const inputs = [series(4)];
const META = { contentType: 'application/json', cacheControl: 'no-cache' };

let published: ObjectStore;
let sound: StoreSnapshot;
let keys: string[];
beforeAll(async () => {
  published = createMemoryStore();
  await publishSeries(published, { inputs: [series(3)], asOf: '2022-02-01T00:00:00Z' });
  await setHold(published, 'under review', '2022-02-01T06:00:00Z');
  await setHold(published, null, '2022-02-01T07:00:00Z');
  await publishSeries(published, { inputs, asOf: '2022-02-02T00:00:00Z' });
  sound = await snapshotStore(published);
  keys = [...sound.keys()].sort();
});

/** The release before the current one. */
async function readBefore(store: ObjectStore): Promise<ReleaseRecord> {
  const { previous } = await readCurrent(store);
  if (previous === null) throw new Error('there is one release only');
  return readRecord(store, previous);
}

/** A copy of the published store, without some keys and with one changed byte in others. */
async function harmed(missing: readonly string[], damaged: readonly string[] = []): Promise<ObjectStore> {
  const copy = createMemoryStore();
  for (const key of keys.filter((each) => !missing.includes(each))) {
    const bytes = Uint8Array.from((await published.get(key))?.bytes ?? []);
    if (damaged.includes(key)) bytes[0] = (bytes[0] ?? 0) ^ 1;
    await copy.putIfAbsent(key, bytes, META);
  }
  return copy;
}

function repair(store: ObjectStore, terms: Partial<RepairTerms> = {}): Promise<RepairResult> {
  return repairStore(store, { inputs, progress: SILENT, signal: new AbortController().signal, ...terms });
}

const isObject = (key: string): boolean => key.startsWith(OBJECTS_PREFIX);
const isMendable = (key: string): boolean => key !== STORE_KEY && key !== POINTER_KEY;

describe('repair', () => {
  it('brings back any few things that are missing or damaged, byte for byte', async () => {
    const someKeys = fc.uniqueArray(fc.nat(1000), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(someKeys, someKeys, async (some, others) => {
        const mendable = keys.filter((key) => isMendable(key) && !key.startsWith(RELEASES_PREFIX));
        const pick = (places: number[]): string[] => places.map((i) => mendable[i % mendable.length] ?? '');
        const store = await harmed(pick(some), pick(others));
        expect(await repair(store)).toMatchObject({ faults: [] });
        expect(differingKeys(sound, await snapshotStore(store))).toEqual([]);
      }),
      { numRuns: 25, seed: 4 },
    );
  }, 60_000);

  it('brings back a file of a hold that is past beside a damaged mark of the public copies', async () => {
    const landing = objectKey((await readBefore(published)).public[PUBLIC_PATHS.landing]?.sha256 ?? '');
    const store = await harmed([], [landing, ALIASES_KEY]);
    expect(await repair(store)).toMatchObject({ outcome: 'repaired', faults: [] });
    expect(differingKeys(sound, await snapshotStore(store))).toEqual([]);
  });

  it('brings back every object at once', async () => {
    const store = await harmed(keys.filter(isObject));
    expect(await repair(store)).toMatchObject({ outcome: 'repaired', faults: [] });
    expect(differingKeys(sound, await snapshotStore(store))).toEqual([]);
  }, 30_000);

  // The reason of a hold that was ended stands in no other record.
  it.each([1, 3, 4])('brings back the record of sequence %i', async (sequence) => {
    const key = keys.filter((each) => each.startsWith(RELEASES_PREFIX))[sequence - 1] ?? '';
    const store = await harmed([key]);
    expect(await repair(store)).toMatchObject({ outcome: 'repaired', restored: [key] });
    expect(differingKeys(sound, await snapshotStore(store))).toEqual([]);
  });

  it('writes nothing but what it says: right bytes under their digest, public copies, and their mark', async () => {
    const gone = keys.filter((key, i) => isObject(key) && i % 4 === 0);
    const writes: string[] = [];
    const store = watchStore(await harmed([...gone, 'aliases.json']), ({ name, key }, run) => {
      if (!['get', 'head', 'list'].includes(name)) writes.push(key);
      return run();
    });
    const { restored } = await repair(store);
    expect(writes.filter((key) => !restored.includes(key))).toEqual(['aliases.json']);
    expect([...restored]).toEqual(gone);
  });

  it('stopped before or after any operation, leaves nothing worse, and goes on', async () => {
    const gone = keys.filter((key, i) => isObject(key) && i % 6 === 0);
    for (const when of ['before', 'after'] as const) {
      let at = 1;
      for (let stopped = true; stopped; at += 23) {
        const memory = await harmed(gone);
        const stopping = createStoppingStore(memory, at, when);
        stopped = await repair(stopping.store).then(
          () => false,
          (error: unknown) => error instanceof StoppedError || Promise.reject(error as Error), // anything else is a bug
        );
        const differing = differingKeys(sound, await snapshotStore(memory));
        expect(differing.filter((key) => !gone.includes(key))).toEqual([]);
        expect(await repair(memory)).toMatchObject({ faults: [] });
        expect(differingKeys(sound, await snapshotStore(memory))).toEqual([]);
      }
      expect(at).toBeGreaterThan(100);
    }
  }, 120_000);
});

describe('repair, interrupted,', () => {
  it('says how many objects were put back', async () => {
    const gone = keys.filter((key, i) => isObject(key) && i % 4 === 0);
    const controller = new AbortController();
    let puts = 0;
    const memory = await harmed(gone);
    const store = watchStore(memory, async ({ name }, run) => {
      const result = await run();
      if (name === 'putIfAbsent' && (puts += 1) === 3) controller.abort();
      return result;
    });
    const error = await repair(store, { signal: controller.signal }).catch((thrown: unknown) => thrown);
    const left = differingKeys(sound, await snapshotStore(memory)).length;
    expect(error).toMatchObject({
      exit: 'interrupted',
      message: expect.stringContaining(`${gone.length - left} objects were put back`),
    });
  });

  it.each([
    ['before the pointer was restored', false, 'the pointer was not restored'],
    ['after the pointer was restored', true, 'the pointer was restored'],
  ])('says so %s', async (_when, after, says) => {
    const controller = new AbortController();
    const pointer = JSON.parse(Buffer.from((await published.get(POINTER_KEY))?.bytes ?? []).toString());
    const store = watchStore(await harmed([POINTER_KEY]), async ({ name, key }, run) => {
      const result = await run();
      if (after ? name === 'compareAndSwap' && key === POINTER_KEY : name === 'head') controller.abort();
      return result;
    });
    await expect(
      repair(store, { signal: controller.signal, pointer: { revision: pointer.revision } }),
    ).rejects.toMatchObject({ exit: 'interrupted', message: expect.stringContaining(says) });
  });
});

it('repair restores no pointer over one that was written in the meantime', async () => {
  const pointer = await published.get(POINTER_KEY);
  const { revision } = JSON.parse(Buffer.from(pointer?.bytes ?? []).toString());
  for (const [bytes, end] of [
    [pointer?.bytes ?? new Uint8Array(), 'repaired'],
    [
      Buffer.from(JSON.stringify({ schema: 'pointer/1', revision, sequence: 9, sha256: 'f'.repeat(64) })),
      'conflict',
    ],
  ] as const) {
    const memory = await harmed([POINTER_KEY]);
    const store = watchStore(memory, async ({ name, key }, run) => {
      if (name === 'compareAndSwap' && key === POINTER_KEY) await memory.putIfAbsent(key, bytes, META);
      return run();
    });
    const ended = await repair(store, { pointer: { revision } }).then(
      ({ outcome }) => outcome,
      (error: unknown) => (error instanceof GeneratorError ? error.exit : error),
    );
    expect(ended).toBe(end);
    expect((await memory.get(POINTER_KEY))?.bytes).toEqual(Uint8Array.from(bytes));
  }
});

it('repair replaces damaged bytes on their etag alone', async () => {
  const key = keys.find(isObject) ?? '';
  const swaps: (Etag | null)[] = [];
  const memory = await harmed([], [key]);
  const damaged = await memory.get(key);
  const store: ObjectStore = {
    ...memory,
    compareAndSwap(asked, body, expected, meta) {
      if (asked === key) swaps.push(expected);
      return memory.compareAndSwap(asked, body, expected, meta);
    },
  };
  expect(await repair(store)).toMatchObject({ outcome: 'repaired' });
  expect(swaps).toEqual([damaged?.etag]);
});
