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
])('opens %s as the directory of that path', (address, root) => {
  expect(openStore(address).address).toBe(`file:${root}`);
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
])('refuses "%s", and says what an address looks like', (address) => {
  expect(() => openStore(address)).toThrow(StoreError);
  expect(() => openStore(address)).toThrow(
    expect.objectContaining({
      code: 'address',
      message: expect.stringMatching(/is not a store address; write file:PATH/),
    }),
  );
  expect(() => openStore(address)).toThrow(`"${address}"`);
});

it('touches nothing by opening, and writes where the address says', async () => {
  const folder = await createTemporaryFolder();
  const store = openStore(`file:${folder.path}/new/store`);
  expect(await readdir(folder.path)).toEqual([]);
  await store.putIfAbsent('a', Buffer.from('text'), { contentType: 'text/plain', cacheControl: 'no-cache' });
  expect(await readdir(path.join(folder.path, 'new', 'store'))).toContain('a');
  await folder.dispose();
});
