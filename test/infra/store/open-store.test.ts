import { readdir } from 'node:fs/promises';
import path from 'node:path';
import { StoreError } from '../../../infra/store/object-store.js';
import { openStore } from '../../../infra/store/open-store.js';
import { createTemporaryFolder } from '../../support/process/temporary-folder.js';

it.each([
  ['file:./data/store', path.resolve('data/store')],
  ['file:data/store', path.resolve('data/store')],
  ['file:../store', path.resolve('../store')],
  ['file:/var/store', path.resolve('/var/store')],
  ['file:///var/store', path.resolve('/var/store')],
  ['file:/var/a store', path.resolve('/var/a store')],
])('opens the directory of %s', async (address, root) => {
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
])('rejects "%s" with a message that shows the format', async (address) => {
  await expect(openStore(address)).rejects.toThrow(StoreError);
  await expect(openStore(address)).rejects.toThrow(
    expect.objectContaining({
      code: 'address',
      message: expect.stringMatching(/is not a store address\. Use file:PATH/),
    }),
  );
  await expect(openStore(address)).rejects.toThrow(`"${address}"`);
});

it('creates nothing when a store is opened, and writes to the address', async () => {
  const folder = await createTemporaryFolder();
  const store = await openStore(`file:${folder.path}/new/store`);
  expect(await readdir(folder.path)).toEqual([]);
  await store.putIfAbsent('a', Buffer.from('text'), { contentType: 'text/plain', cacheControl: 'no-cache' });
  expect(await readdir(path.join(folder.path, 'new', 'store'))).toContain('a');
  await folder.dispose();
});
