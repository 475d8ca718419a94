import { gunzipSync } from 'node:zlib';
import { createCompressor } from '../../../../gateway/io/releases/compressor.js';

const fileOf = (name: string): Buffer => Buffer.from(`${name} `.repeat(1_000));

/** A compressor that counts the reads of files. */
function createScene(maxCachedBytes?: number) {
  const scene = { reads: 0, isBroken: false };
  const compressor = createCompressor(maxCachedBytes);
  const compress = (name: string): Promise<Uint8Array> =>
    compressor.gzip(name, async () => {
      scene.reads += 1;
      if (scene.isBroken) throw new Error('the store is down');
      return Promise.resolve(fileOf(name));
    });
  return { scene, compress };
}

it('compresses a file once, for any number of requests', async () => {
  const { scene, compress } = createScene();
  const packed = await Promise.all(Array.from({ length: 50 }, () => compress('a')));
  expect([new Set(packed).size, scene.reads]).toEqual([1, 1]);
  expect(gunzipSync(await compress('a'))).toEqual(fileOf('a'));
  expect(scene.reads).toBe(1);
});

it('keeps no more memory than the compressed bytes', async () => {
  const { compress } = createScene();
  const packed = await compress('a');
  expect(packed.length).toBeLessThan(100);
  expect(packed.buffer.byteLength).toBe(packed.length);
});

it('forgets the least recently used file when it has more bytes than allowed', async () => {
  const { length } = await createScene().compress('a');
  const { scene, compress } = createScene(2 * length + 1);
  for (const name of ['a', 'b', 'a', 'c', 'a']) await compress(name);
  expect(scene.reads).toBe(3);
  await compress('b');
  expect(scene.reads).toBe(4);
});

it('fails like the read of the file, and reads again for the next request', async () => {
  const { scene, compress } = createScene();
  scene.isBroken = true;
  await expect(compress('a')).rejects.toThrow('the store is down');
  scene.isBroken = false;
  expect(gunzipSync(await compress('a'))).toEqual(fileOf('a'));
});

it('is not held up by a file whose read takes long', async () => {
  const compressor = createCompressor();
  let finish = (_bytes: Uint8Array): void => undefined;
  const slow = compressor.gzip('slow', () => new Promise((resolve) => (finish = resolve)));
  expect(gunzipSync(await compressor.gzip('fast', () => Promise.resolve(fileOf('fast'))))).toEqual(
    fileOf('fast'),
  );
  finish(fileOf('slow'));
  expect(gunzipSync(await slow)).toEqual(fileOf('slow'));
});
