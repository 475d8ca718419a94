import fc from 'fast-check';
import type { Etag, ObjectStore } from '../../../infra/store/object-store.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import {
  ALIASES_KEY,
  objectKey,
  OBJECTS_PREFIX,
  POINTER_KEY,
  PUBLIC_PATHS,
  RELEASES_PREFIX,
  STORE_KEY,
} from '../../../schemas/paths.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import { GeneratorError } from '../../../generator/core/generator-error.js';
import { readRecord } from '../../../generator/state/published-state.js';
import { SILENT } from '../../../generator/run/progress.js';
import {
  repairStore,
  type RepairResult,
  type RepairStoreOptions,
} from '../../../generator/upkeep/repair/repair-store.js';
import { setHold } from '../../support/release/operate.js';
import { readCurrent } from '../../support/release/read-release.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { differingKeys, snapshotStore, type StoreSnapshot } from '../../support/stores/store-snapshot.js';
import { interceptStore } from '../../support/stores/intercept-store.js';
import { createStoppingStore, StoppedError } from '../../support/stores/stopping-store.js';

const series = (days: number): ReturnType<typeof randomSeries> =>
  randomSeries({ chain: 'arbitrum', seed: 1, days });
const inputs = [series(4)];
const META = { contentType: 'application/json', cacheControl: 'no-cache' };

let published: ObjectStore;
let undamaged: StoreSnapshot;
let keys: string[];
beforeAll(async () => {
  published = createMemoryStore();
  await publishSeries(published, { inputs: [series(3)], asOf: '2022-02-01T00:00:00Z' });
  await setHold(published, 'under review', '2022-02-01T06:00:00Z');
  await setHold(published, null, '2022-02-01T07:00:00Z');
  await publishSeries(published, { inputs, asOf: '2022-02-02T00:00:00Z' });
  undamaged = await snapshotStore(published);
  keys = [...undamaged.keys()].sort();
});

/** Returns the release before the current one. */
async function readBefore(store: ObjectStore): Promise<ReleaseRecord> {
  const { previous } = await readCurrent(store);
  if (previous === null) throw new Error('there is only one release');
  return readRecord(store, previous);
}

/** Returns a copy of the published store without some keys, and with a changed byte in others. */
async function createDamaged(
  missing: readonly string[],
  damaged: readonly string[] = [],
): Promise<ObjectStore> {
  const copy = createMemoryStore();
  for (const key of keys.filter((each) => !missing.includes(each))) {
    const bytes = Uint8Array.from((await published.get(key))?.bytes ?? []);
    if (damaged.includes(key)) bytes[0] = (bytes[0] ?? 0) ^ 1;
    await copy.putIfAbsent(key, bytes, META);
  }
  return copy;
}

function repair(store: ObjectStore, options: Partial<RepairStoreOptions> = {}): Promise<RepairResult> {
  return repairStore(store, { inputs, progress: SILENT, signal: new AbortController().signal, ...options });
}

const isObject = (key: string): boolean => key.startsWith(OBJECTS_PREFIX);
const isRepairable = (key: string): boolean => key !== STORE_KEY && key !== POINTER_KEY;

describe('repair', () => {
  it('restores up to four missing and four damaged objects byte for byte', async () => {
    const someKeys = fc.uniqueArray(fc.nat(1000), { maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(someKeys, someKeys, async (some, others) => {
        const repairable = keys.filter((key) => isRepairable(key) && !key.startsWith(RELEASES_PREFIX));
        const pick = (places: number[]): string[] =>
          places.map((i) => repairable[i % repairable.length] ?? '');
        const store = await createDamaged(pick(some), pick(others));
        expect(await repair(store)).toMatchObject({ faults: [] });
        expect(differingKeys(undamaged, await snapshotStore(store))).toEqual([]);
      }),
      { numRuns: 12, seed: 4 },
    );
  }, 300_000);

  // A damaged aliases.json must not end the run before it has restored what only an earlier release lists.
  it('restores a file of an earlier release when aliases.json is damaged too', async () => {
    const landing = objectKey((await readBefore(published)).public[PUBLIC_PATHS.landing]?.sha256 ?? '');
    const store = await createDamaged([], [landing, ALIASES_KEY]);
    expect(await repair(store)).toMatchObject({ outcome: 'repaired', faults: [] });
    expect(differingKeys(undamaged, await snapshotStore(store))).toEqual([]);
  });

  it('restores all objects in one run', async () => {
    const store = await createDamaged(keys.filter(isObject));
    expect(await repair(store)).toMatchObject({ outcome: 'repaired', faults: [] });
    expect(differingKeys(undamaged, await snapshotStore(store))).toEqual([]);
  }, 300_000);

  // Record 2 cannot be restored: only it contains the reason of the hold that has ended.
  it.each([1, 3, 4])('restores the record of sequence %i', async (sequence) => {
    const key = keys.filter((each) => each.startsWith(RELEASES_PREFIX))[sequence - 1] ?? '';
    const store = await createDamaged([key]);
    expect(await repair(store)).toMatchObject({ outcome: 'repaired', restored: [key] });
    expect(differingKeys(undamaged, await snapshotStore(store))).toEqual([]);
  });

  it('writes only the objects that it reports, and aliases.json', async () => {
    const missing = keys.filter((key, i) => isObject(key) && i % 4 === 0);
    const writes: string[] = [];
    const store = interceptStore(await createDamaged([...missing, 'aliases.json']), ({ name, key }, run) => {
      if (!['get', 'head', 'list'].includes(name)) writes.push(key);
      return run();
    });
    const { restored } = await repair(store);
    expect(writes.filter((key) => !restored.includes(key))).toEqual(['aliases.json']);
    expect([...restored]).toEqual(missing);
  });

  it('resumes after a stop after every 31st operation, which does no further damage', async () => {
    const missing = keys.filter((key, i) => isObject(key) && i % 6 === 0);
    let at = 1;
    for (let stopped = true; stopped; at += 31) {
      const memory = await createDamaged(missing);
      stopped = await repair(createStoppingStore(memory, at).store).then(
        () => false,
        (error: unknown) => error instanceof StoppedError || Promise.reject(error as Error), // any other error is a bug
      );
      const differing = differingKeys(undamaged, await snapshotStore(memory));
      expect(differing.filter((key) => !missing.includes(key))).toEqual([]);
      expect(await repair(memory)).toMatchObject({ faults: [] });
      expect(differingKeys(undamaged, await snapshotStore(memory))).toEqual([]);
    }
    expect(at).toBeGreaterThan(100);
  }, 120_000);
});

describe('an interrupted repair', () => {
  it('reports how many objects were restored', async () => {
    const missing = keys.filter((key, i) => isObject(key) && i % 4 === 0);
    const controller = new AbortController();
    let puts = 0;
    const memory = await createDamaged(missing);
    const store = interceptStore(memory, async ({ name }, run) => {
      const result = await run();
      if (name === 'putIfAbsent' && (puts += 1) === 3) controller.abort();
      return result;
    });
    const error = await repair(store, { signal: controller.signal }).catch((thrown: unknown) => thrown);
    const stillMissing = differingKeys(undamaged, await snapshotStore(memory)).length;
    expect(error).toMatchObject({
      exit: 'interrupted',
      message: expect.stringContaining(`${missing.length - stillMissing} objects were restored`),
    });
  });

  it.each([
    ['before the pointer was restored', false, 'the pointer was not restored'],
    ['after the pointer was restored', true, 'the pointer was restored'],
  ])('reports whether it was interrupted %s', async (_when, after, says) => {
    const controller = new AbortController();
    const pointer = JSON.parse(Buffer.from((await published.get(POINTER_KEY))?.bytes ?? []).toString());
    const store = interceptStore(await createDamaged([POINTER_KEY]), async ({ name, key }, run) => {
      const result = await run();
      // verification, which comes first, calls head
      if (after ? name === 'compareAndSwap' && key === POINTER_KEY : name === 'head') controller.abort();
      return result;
    });
    await expect(
      repair(store, { signal: controller.signal, pointer: { revision: pointer.revision } }),
    ).rejects.toMatchObject({ exit: 'interrupted', message: expect.stringContaining(says) });
  });
});

it('repair does not overwrite a pointer that was written in the meantime', async () => {
  const pointer = await published.get(POINTER_KEY);
  const { revision } = JSON.parse(Buffer.from(pointer?.bytes ?? []).toString());
  for (const [bytes, end] of [
    [pointer?.bytes ?? new Uint8Array(), 'repaired'],
    [
      Buffer.from(JSON.stringify({ schema: 'pointer/1', revision, sequence: 9, sha256: 'f'.repeat(64) })),
      'conflict',
    ],
  ] as const) {
    const memory = await createDamaged([POINTER_KEY]);
    const store = interceptStore(memory, async ({ name, key }, run) => {
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

it('repair replaces damaged bytes only if their ETag is unchanged', async () => {
  const key = keys.find(isObject) ?? '';
  const swaps: (Etag | null)[] = [];
  const memory = await createDamaged([], [key]);
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
