import { setImmediate as turn } from 'node:timers/promises';
import { createObjectReader } from '../../../../gateway/io/releases/object-reader.js';
import type { ObjectStore } from '../../../../infra/store/object-store.js';
import { sha256Hex } from '../../../../schemas/digest.js';
import { objectKey } from '../../../../schemas/paths.js';
import { interceptStore } from '../../../support/stores/intercept-store.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';

const SIZE_BYTES = 1_000;
const META = { contentType: 'text/plain', cacheControl: 'no-store' };

/** A reader whose cache holds `fitting` objects, and a store that counts its reads. */
async function createScene(fitting: number) {
  const scene = { reads: 0, running: 0, mostRunning: 0, isBroken: false, errors: [] as unknown[] };
  const behind: ObjectStore = createMemoryStore();
  const store = interceptStore(behind, async (_operation, run) => {
    scene.reads += 1;
    scene.running += 1;
    scene.mostRunning = Math.max(scene.mostRunning, scene.running);
    await turn();
    scene.running -= 1;
    return scene.isBroken ? (undefined as never) : run();
  });
  const digests: string[] = [];
  for (let i = 0; i < 10; i += 1) {
    const bytes = Buffer.alloc(SIZE_BYTES, i);
    const sha256 = sha256Hex(bytes);
    await behind.putIfAbsent(objectKey(sha256), bytes, META);
    digests.push(sha256);
  }
  const onError = (error: unknown): void => void scene.errors.push(error);
  const reader = createObjectReader(store, { onError, maxCachedBytes: fitting * SIZE_BYTES });
  const read = (i: number): Promise<Uint8Array> => {
    const sha256 = digests[i] ?? '';
    return reader.read(objectKey(sha256), sha256);
  };
  return { scene, read };
}

it('reads an object from the store once, for any number of requests', async () => {
  const { scene, read } = await createScene(10);
  const found = await Promise.all(Array.from({ length: 100 }, () => read(3)));
  expect(new Set(found).size).toBe(1);
  expect(Buffer.from(await read(3))).toEqual(Buffer.alloc(SIZE_BYTES, 3));
  expect(scene.reads).toBe(1);
});

it('reads two different objects at a time, however many are asked for', async () => {
  const { scene, read } = await createScene(10);
  const found = await Promise.all(Array.from({ length: 40 }, (_, i) => read(i % 10)));
  expect(found.map((bytes) => bytes[0])).toEqual(Array.from({ length: 40 }, (_, i) => i % 10));
  expect([scene.reads, scene.mostRunning]).toEqual([10, 2]);
});

it('keeps no more bytes than allowed, and forgets the least recently read object first', async () => {
  const { scene, read } = await createScene(2);
  for (const i of [0, 1, 0, 2, 0]) await read(i);
  expect(scene.reads).toBe(3);
  await read(1);
  expect(scene.reads).toBe(4);
});

it('returns an object that is larger than the cache', async () => {
  const { scene, read } = await createScene(0.5);
  expect([(await read(1))[0], (await read(1))[0]]).toEqual([1, 1]);
  expect(scene.reads).toBe(2);
});

it('reports a missing object each time, and finds it when it is there', async () => {
  const { scene, read } = await createScene(10);
  scene.isBroken = true;
  await expect(read(1)).rejects.toThrow('is missing');
  await expect(read(1)).rejects.toThrow('is missing');
  expect(scene.errors).toHaveLength(2);
  scene.isBroken = false;
  expect((await read(1))[0]).toBe(1);
});
