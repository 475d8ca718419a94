import { createFreshValues, type FreshValuesOptions } from '../../../../gateway/io/timing/fresh-values.js';
import { freshnessByAge } from '../../../../gateway/io/timing/freshness.js';

const AGES = { agingMs: 10, staleMs: 20, expiredMs: 100 };
const RETRY_MS = 5;

/** Creates values whose loads return 1, 2, 3 and so on, or fail, under a clock that the test moves. */
function createScene(options: Partial<FreshValuesOptions<number>> = {}) {
  const scene = {
    nowMs: 1_000,
    loads: [] as string[],
    outcomes: [] as unknown[],
    error: undefined as unknown,
  };
  const values = createFreshValues<number>({
    max: 3,
    async load(key) {
      scene.loads.push(key);
      const number = scene.loads.length;
      const { error } = scene;
      await Promise.resolve();
      if (error !== undefined) throw error as Error;
      return number;
    },
    now: () => scene.nowMs,
    freshness: (_value, ageMs) => freshnessByAge(ageMs, AGES),
    retryMs: RETRY_MS,
    onSettled: (error) => scene.outcomes.push(error),
    ...options,
  });
  return { scene, values };
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const DOWN = new Error('the source is down');

it('loads a value when it is first read, and keeps it while it is fresh', async () => {
  const { scene, values } = createScene();
  expect(values.peek('a')).toBeUndefined();
  expect(scene.loads).toEqual([]);
  expect([await values.read('a'), values.peek('a')]).toEqual([1, 1]);
  scene.nowMs += AGES.agingMs - 1;
  expect([await values.read('a'), values.peek('a'), scene.loads]).toEqual([1, 1, ['a']]);
  expect(scene.outcomes).toEqual([undefined]);
});

it('shares one load between concurrent readers of a key, but not between keys', async () => {
  const { scene, values } = createScene();
  const reads = ['a', 'a', 'b', 'a'].map((key) => values.read(key));
  expect(await Promise.all(reads)).toEqual([1, 1, 2, 1]);
  expect(scene.loads).toEqual(['a', 'b']);
});

it.each(['peek', 'read'] as const)('refreshes an aging value in the background: %s', async (method) => {
  const { scene, values } = createScene();
  await values.read('a');
  scene.nowMs += AGES.agingMs;
  expect([await values[method]('a'), await values[method]('a')]).toEqual([1, 1]);
  await settle();
  expect([values.peek('a'), scene.loads.length]).toEqual([2, 2]);
});

it('loads a stale value before it is used', async () => {
  const { scene, values } = createScene();
  await values.read('a');
  scene.nowMs += AGES.staleMs;
  expect(values.peek('a')).toBeUndefined();
  expect(await values.read('a')).toBe(2);
});

it('counts the age from the start of the load', async () => {
  let finish = (): void => undefined;
  const load = (): Promise<number> => new Promise((resolve) => (finish = () => resolve(7)));
  const { scene, values } = createScene({ load });
  const read = values.read('a');
  scene.nowMs += AGES.agingMs + 3;
  finish();
  expect(await read).toBe(7);
  scene.nowMs += AGES.staleMs - AGES.agingMs - 3;
  expect(values.peek('a')).toBeUndefined();
});

describe('while loads fail', () => {
  it('returns the last value until it has expired, and then throws the error', async () => {
    const { scene, values } = createScene();
    await values.read('a');
    scene.error = DOWN;
    for (const ageMs of [AGES.staleMs, 50, AGES.expiredMs - 1]) {
      scene.nowMs = 1_000 + ageMs;
      expect([await values.read('a'), values.peek('a')]).toEqual([1, 1]);
    }
    scene.nowMs = 1_000 + AGES.expiredMs;
    expect(values.peek('a')).toBeUndefined();
    await expect(values.read('a')).rejects.toBe(DOWN);
    expect(new Set(scene.outcomes.slice(1))).toEqual(new Set([DOWN]));
  });

  it('retries after the pause, not with every read', async () => {
    const { scene, values } = createScene();
    await values.read('a');
    scene.error = DOWN;
    for (let ageMs = AGES.staleMs; ageMs < AGES.staleMs + 4 * RETRY_MS; ageMs += 1) {
      scene.nowMs = 1_000 + ageMs;
      await values.read('a');
    }
    expect(scene.loads).toHaveLength(1 + 4);
  });

  it('peeks at a stale value only for a time after the last failure', async () => {
    const { scene, values } = createScene({ outageMs: 12 });
    await values.read('a');
    scene.error = DOWN;
    scene.nowMs += AGES.staleMs;
    await values.read('a');
    scene.error = undefined;
    scene.nowMs += 12;
    expect(values.peek('a')).toBeUndefined();
  });

  it('throws the last error without a load during the pause for missing values', async () => {
    const { scene, values } = createScene({ retryEmptyMs: 3 });
    scene.error = DOWN;
    await expect(values.read('a')).rejects.toBe(DOWN);
    scene.error = undefined;
    scene.nowMs += 2;
    await expect(values.read('a')).rejects.toBe(DOWN);
    scene.nowMs += 1;
    expect([await values.read('a'), scene.loads.length]).toEqual([2, 2]);
  });

  it('retries a missing value at once by default', async () => {
    const { scene, values } = createScene();
    scene.error = DOWN;
    await expect(values.read('a')).rejects.toBe(DOWN);
    scene.error = undefined;
    expect(await values.read('a')).toBe(2);
  });
});

describe('a maximum age', () => {
  it('loads a fresh value again when it is older', async () => {
    const { scene, values } = createScene();
    await values.read('a');
    scene.nowMs += 2;
    expect([await values.read('a', 3), await values.read('a', 2)]).toEqual([1, 2]);
    expect(await values.read('a', 0)).toBe(3);
    expect(scene.loads).toHaveLength(3);
  });

  it('shortens the pause after a failure', async () => {
    const { scene, values } = createScene();
    await values.read('a');
    scene.error = DOWN;
    scene.nowMs += 2;
    for (let ms = 0; ms < 4; ms += 1, scene.nowMs += 1) expect(await values.read('a', 2)).toBe(1);
    expect(scene.loads).toHaveLength(1 + 2);
  });
});

describe('after the clock was set back', () => {
  it('loads again, although the last load and the last failure seem to lie ahead', async () => {
    const { scene, values } = createScene({ retryEmptyMs: 1_000 });
    await values.read('a');
    scene.nowMs -= 500;
    scene.error = DOWN;
    expect(values.peek('a')).toBeUndefined();
    await expect(values.read('a')).rejects.toBe(DOWN);
    scene.nowMs -= 100;
    scene.error = undefined;
    expect(await values.read('a')).toBe(3);
  });
});

it('throws when a value has expired by the end of its load', async () => {
  const { values } = createScene({ freshness: () => 'expired' });
  await expect(values.read('a')).rejects.toThrow('expired');
});

it('does not load more often than the pause allows, however soon values age', async () => {
  const { scene, values } = createScene({ freshness: () => 'aging' });
  for (let ms = 0; ms < 20; ms += 1, scene.nowMs += 1) {
    await values.read('a');
    values.peek('a');
    await settle();
  }
  expect(scene.loads).toHaveLength(20 / RETRY_MS);
});

it('drops the least recently used value', async () => {
  const { scene, values } = createScene();
  for (const key of ['a', 'b', 'c']) await values.read(key);
  values.peek('a');
  await values.read('d');
  expect(['a', 'b', 'c', 'd'].map((key) => values.peek(key) !== undefined)).toEqual([
    true,
    false,
    true,
    true,
  ]);
  expect(scene.loads).toHaveLength(4);
});
