import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  createSpareSpace,
  deleteSpareSpace,
  isOutOfSpace,
} from '../../../../infra/store/directory/spare-space.js';
import { StoreError } from '../../../../infra/store/object-store.js';
import { openStore } from '../../../../infra/store/open-store.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/process/temporary-folder.js';

let folder: TemporaryFolder;
beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(() => folder.dispose());

const address = (): string => `file:${folder.path}`;
const spare = (): string => path.join(folder.path, '.gc-space');

it('is a quarter of a megabyte in files that are no keys of the store', async () => {
  await createSpareSpace(address());
  const sizes = (await readdir(spare())).map(async (name) => (await stat(path.join(spare(), name))).size);
  expect((await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)).toBe(262_144);
  for await (const { key } of (await openStore(address())).list('')) throw new Error(key);
});

it('is completed where a part is missing', async () => {
  await createSpareSpace(address());
  await rm(path.join(spare(), '3'));
  await createSpareSpace(address());
  expect(await readdir(spare())).toHaveLength(32);
});

it('is completed where a part is empty, as a kill leaves it', async () => {
  await createSpareSpace(address());
  await writeFile(path.join(spare(), '3'), '');
  await createSpareSpace(address());
  expect((await stat(path.join(spare(), '3'))).size).toBe(8_192);
});

it('can be deleted once', async () => {
  await createSpareSpace(address());
  expect(await deleteSpareSpace(address())).toBe(true);
  expect(await readdir(folder.path)).toEqual([]);
  expect(await deleteSpareSpace(address())).toBe(false);
});

it('exists only in directory stores', async () => {
  await createSpareSpace('s3://bucket/prefix');
  expect(await deleteSpareSpace('s3://bucket/prefix')).toBe(false);
});

it('is not created where nothing can be written', async () => {
  await createSpareSpace(`${address()}/no/such/store`);
  expect(await readdir(folder.path)).toEqual([]);
});

it.each([
  ['ENOSPC', true],
  ['EDQUOT', true],
  ['EACCES', false],
])('can help an operation of a store that failed with %s: %p', (code, expected) => {
  const cause = Object.assign(new Error(code), { code, syscall: 'write' });
  expect(isOutOfSpace(new StoreError('unavailable', code, { cause }))).toBe(expected);
  expect(isOutOfSpace(cause)).toBe(false);
});
