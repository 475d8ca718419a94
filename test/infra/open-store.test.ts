import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { StoreError } from '../../infra/store/object-store.js';
import { openStore } from '../../infra/store/open-store.js';
import { createTemporaryFolder } from '../fixtures/temporary-folder.js';

it.each([
  ['file:./data/store', path.resolve('data/store')],
  ['file:data/store', path.resolve('data/store')],
  ['file:../store', path.resolve('../store')],
  ['file:/var/store', path.resolve('/var/store')],
  ['file:///var/store', path.resolve('/var/store')],
  ['file:/var/a store', path.resolve('/var/a store')],
])('opens %s as the directory of that path', async (address, root) => {
  expect((await openStore(address)).address).toBe(`file:${root}`);
});

it.each([
  '',
  'file:',
  'data/store',
  './data/store',
  '/var/store',
  'File:./data',
  'http://localhost/store',
  ' file:./data',
])('refuses "%s", and says what an address looks like', async (address) => {
  await expect(openStore(address)).rejects.toThrow(StoreError);
  await expect(openStore(address)).rejects.toThrow(
    expect.objectContaining({
      code: 'address',
      message: expect.stringMatching(/is not a store address; write file:PATH/),
    }),
  );
  await expect(openStore(address)).rejects.toThrow(`"${address}"`);
});

it('touches nothing by opening, and writes where the address says', async () => {
  const folder = await createTemporaryFolder();
  const store = await openStore(`file:${folder.path}/new/store`);
  expect(await readdir(folder.path)).toEqual([]);
  await store.putIfAbsent('a', Buffer.from('text'), { contentType: 'text/plain', cacheControl: 'no-cache' });
  expect(await readdir(path.join(folder.path, 'new', 'store'))).toContain('a');
  await folder.dispose();
});
