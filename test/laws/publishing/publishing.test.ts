import { ALIASES_KEY, POINTER_KEY, STORE_KEY } from '../../../schemas/paths.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { GeneratorError } from '../../../generator/core/generator-error.js';
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import { refreshCopies } from '../../../generator/publish/refresh-copies.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { editSeries, randomSeries } from '../../support/release/random-series.js';
import { createMemoryCopies, type MemoryCopies } from '../../support/stores/memory-copies.js';
import { createRandom } from '../../support/random/seeded.js';
import { interceptStore } from '../../support/stores/intercept-store.js';
import { createStoppingStore, StoppedError } from '../../support/stores/stopping-store.js';
import { createTurns } from '../../support/stores/turns.js';

/** Number of seeded interleavings. From 1,000 on, runs are stopped at every operation, otherwise at every seventh. */
const SEEDS = Number(process.env['CRD_SEEDS'] ?? '12');
const STRIDE = SEEDS >= 1000 ? 1 : 7;
const FIRST = '2022-02-01T00:00:00Z';
const SECOND = '2022-02-02T00:00:00Z';
const LATER = '2022-03-15T00:00:00Z';
const META = { contentType: 'application/json', cacheControl: 'no-cache' };

const short = randomSeries({ chain: 'arbitrum', seed: 1, days: 3 });
const longer = randomSeries({ chain: 'arbitrum', seed: 1, days: 4 });
const other = randomSeries({ chain: 'base', seed: 2, days: 3 });

/** Copies of a store with one release of `short`. */
let published: MemoryCopies;
beforeAll(async () => {
  const store = createMemoryStore();
  await publishSeries(store, { inputs: [short], asOf: FIRST });
  published = await createMemoryCopies(store);
});

/** Returns every digest that a manifest of a committed release lists. */
async function committedDigests(store: ObjectStore): Promise<string[]> {
  const digests = new Set<string>();
  for await (const { key } of store.list('releases/')) {
    const record = JSON.parse(Buffer.from((await store.get(key))?.bytes ?? []).toString());
    if (!(await isCommitted(store, key))) continue;
    for (const { sha256 } of Object.values(record.manifests as Record<string, { sha256: string }>)) {
      const manifest = JSON.parse(
        Buffer.from((await store.get(`objects/sha256/${sha256}`))?.bytes ?? []).toString(),
      );
      for (const entry of manifest.dates) digests.add(entry.sha256 as string);
    }
  }
  return [...digests];
}

/** Returns whether a record can be reached from the pointer. */
async function isCommitted(store: ObjectStore, key: string): Promise<boolean> {
  const read = async (each: string): Promise<Record<string, unknown>> =>
    JSON.parse(Buffer.from((await store.get(each))?.bytes ?? []).toString('utf8')) as Record<string, unknown>; // our own format
  let link = (await read('current.json')) as { revision: string; sha256: string } | null; // a pointer
  while (link !== null) {
    const name = `releases/${link.revision}/${link.sha256}.json`;
    if (name === key) return true;
    link = (await read(name))['previous'] as typeof link; // a record
  }
  return false;
}

async function expectSound(store: ObjectStore): Promise<void> {
  expect((await verifyStore(store, { deep: false })).faults).toEqual([]);
  for (const digest of await committedDigests(store)) {
    expect(await store.head(`objects/sha256/${digest}`)).toBeDefined();
  }
}

async function snapshot(store: ObjectStore): Promise<Record<string, string>> {
  const found: Record<string, string> = {};
  for await (const { key } of store.list('')) found[key] = (await store.head(key))?.sha256 ?? '';
  return found;
}

async function publishOrLose(
  store: ObjectStore,
  inputs: readonly InputSeries[],
  asOf: string,
): Promise<string> {
  try {
    return (await publishSeries(store, { inputs, asOf })).outcome;
  } catch (error) {
    if (error instanceof GeneratorError) return error.exit;
    throw error;
  }
}

describe('publishing, step by step', () => {
  it('writes artifacts, the record, the pointer, the public copies with status last, and aliases.json', async () => {
    const memory = createMemoryStore();
    const writes: string[] = [];
    const store = interceptStore(memory, async ({ name, key }, run) => {
      if (name === 'putIfAbsent' || name === 'compareAndSwap') writes.push(key);
      return run();
    });
    await publishSeries(store, { inputs: [short], asOf: FIRST });
    const kinds = writes.map((key) => (key.startsWith('public/') ? 'public' : (key.split('/')[0] ?? '')));
    const order = kinds.filter((kind, i) => kind !== kinds[i - 1]);
    expect(order).toEqual(['store.json', 'objects', 'releases', 'current.json', 'public', 'aliases.json']);
    expect(writes.filter((key) => key.startsWith('public/')).at(-1)).toBe('public/api/v1/status');
  });

  it('writes nothing for the same input, and reads at most 24 objects, however long the history is', async () => {
    const counts = [];
    for (const days of [3, 60]) {
      const inputs = [randomSeries({ chain: 'arbitrum', seed: 1, days }), other];
      const memory = createMemoryStore();
      await publishSeries(memory, { inputs, asOf: LATER });
      const before = await snapshot(memory);
      const operations: string[] = [];
      const store = interceptStore(memory, ({ name }, run) => {
        operations.push(name);
        return run();
      });
      const report = await publishSeries(store, { inputs, asOf: LATER });
      expect(report.outcome).toBe('unchanged');
      expect(report.written.objects).toBe(0);
      expect(operations.filter((name) => name !== 'get')).toEqual([]);
      expect(await snapshot(memory)).toEqual(before);
      counts.push(operations.length);
    }
    expect(counts[0]).toBeLessThanOrEqual(24);
    expect(counts[1]).toBe(counts[0]);
  });

  it('never overwrites a newer public copy when it refreshes an older release', async () => {
    const memory = createMemoryStore();
    await publishSeries(memory, { inputs: [short], asOf: FIRST });
    const turns = createTurns(createRandom(5));
    await turns.run([
      refreshCopies(turns.join(memory)),
      publishSeries(turns.join(memory), { inputs: [longer], asOf: SECOND }),
    ]);
    await expectSound(memory);
  });
});

describe('two concurrent publishers, operation by operation', () => {
  const edited = editSeries(longer, 'tx_count', '2022-01-02', 12_345);

  it.each([
    ['the same input', longer, longer],
    ['different input', longer, editSeries(longer, 'tx_count', '2022-01-04', 99)],
    ['one of them refused', longer, edited],
  ])(
    'leave a sound store with %s',
    async (_name, first, second) => {
      const results = new Set<string>();
      for (let seed = 1; seed <= SEEDS / 3; seed += 1) {
        const memory = await published.create();
        const turns = createTurns(createRandom(seed));
        const publishers = [first, second].map((series) =>
          publishOrLose(turns.join(memory), [series, other], SECOND),
        );
        await turns.run(publishers);
        const outcomes = await Promise.all(publishers);
        outcomes.forEach((outcome) => results.add(outcome));
        expect(outcomes).toContainEqual(expect.stringMatching(/^(published|partial)$/));
        await expectSound(memory);
      }
      expect(
        [...results].every((each) =>
          ['published', 'unchanged', 'conflict', 'partial', 'refused'].includes(each),
        ),
      ).toBe(true);
    },
    600_000,
  );

  it.each([
    ['store.json', 'get', STORE_KEY],
    ['the pointer', 'get', POINTER_KEY],
    ['aliases.json', 'head', ALIASES_KEY],
  ])(
    'do not report damage when %s is missing because the first release is being published',
    async (_name, name, key) => {
      const store = createMemoryStore();
      const slow = interceptStore(store, async (operation, run) => {
        const result = await run();
        const isFirst =
          operation.name === name && operation.key === key && (await store.get(POINTER_KEY)) === undefined;
        if (isFirst) {
          await publishSeries(store, { inputs: [short], asOf: FIRST });
          await publishSeries(store, { inputs: [longer], asOf: SECOND });
        }
        return result;
      });
      if (key !== STORE_KEY) await store.putIfAbsent(STORE_KEY, Buffer.from('{"format":3}'), META);
      const report = await publishSeries(slow, { inputs: [longer], asOf: SECOND });
      expect(report).toMatchObject({ outcome: 'unchanged', sequence: 2 });
      await expectSound(store);
    },
  );

  it('leave one sound release when both publish the first one', async () => {
    for (let seed = 1; seed <= Math.max(10, SEEDS / 10); seed += 1) {
      const memory = createMemoryStore();
      const turns = createTurns(createRandom(seed));
      const publishers = [short, longer].map((series) => publishOrLose(turns.join(memory), [series], SECOND));
      await turns.run(publishers);
      expect(await Promise.all(publishers)).toContain('published');
      await expectSound(memory);
    }
  }, 600_000);
});

/** Returns true if a run ended because it was stopped, or because it could not determine the outcome of the stopped operation. */
function isStop(error: unknown): boolean {
  return (
    error instanceof StoppedError || (error instanceof GeneratorError && error.cause instanceof StoppedError)
  );
}

describe('a publication that stops', () => {
  const interrupted = [longer, other];
  const next = [editSeries(longer, 'fee_median', '2022-01-04', 0.5), other];

  async function stopAt(at: number): Promise<boolean> {
    const memory = await published.create();
    const { store: stopping } = createStoppingStore(memory, at);
    const stopped = await publishSeries(stopping, { inputs: interrupted, asOf: SECOND }).then(
      () => false,
      (error: unknown) => isStop(error) || Promise.reject(error as Error), // anything else is a bug
    );
    const halfway = (await verifyStore(memory, { deep: false })).faults;
    expect(halfway.filter(({ key }) => !/^(public\/|aliases\.json)/.test(key))).toEqual([]);
    const acceptance = { reason: 'corrected after a stop' };
    await publishSeries(memory, { inputs: next, asOf: SECOND, acceptance });
    await expectSound(memory);
    return stopped;
  }

  it('after any operation leaves the old or the new release, and the next run completes', async () => {
    let at = 1;
    while (await stopAt(at)) at += STRIDE;
    expect(at).toBeGreaterThan(100);
  }, 600_000);

  it('leaves the same store as an undisturbed run, once it is run again with the same input', async () => {
    const undisturbed = createMemoryStore();
    await publishSeries(undisturbed, { inputs: interrupted, asOf: SECOND });
    const expected = await snapshot(undisturbed);
    for (let at = 1; at < 120; at += 7) {
      const memory = createMemoryStore();
      const { store: stopping } = createStoppingStore(memory, at);
      await publishSeries(stopping, { inputs: interrupted, asOf: SECOND }).catch(() => undefined);
      await publishSeries(memory, { inputs: interrupted, asOf: SECOND });
      expect(await snapshot(memory)).toEqual(expected);
    }
  }, 600_000);
});
