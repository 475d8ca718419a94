import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { comparePlaces } from '../../../infra/store/compare-places.js';
import { createTemporaryFolder } from '../../support/process/temporary-folder.js';

it.each([
  ['same', 'file:/data', 'file:/data'],
  ['same', 's3://bucket/a?region=eu-west-1', 's3://bucket/a/?region=us-east-1'],
  ['same', 's3://bucket?endpoint=http://a', 's3://bucket/?endpoint=http://a&path-style=true'],
  ['nested', 'file:/data', 'file:/data/copy'],
  ['nested', 's3://bucket', 's3://bucket/copy'],
  ['nested', 's3://bucket/a', 's3://bucket/a/b/c'],
  ['apart', 'file:/data', 'file:/data2'],
  ['apart', 'file:/data/a', 'file:/data/b'],
  ['apart', 's3://bucket/a', 's3://bucket/ab'],
  ['apart', 's3://bucket', 's3://bucket2'],
  ['apart', 's3://bucket?endpoint=http://a', 's3://bucket?endpoint=http://b'],
])('two stores are %s: %s and %s', async (place, one, other) => {
  expect([await comparePlaces(one, other), await comparePlaces(other, one)]).toEqual([place, place]);
});

it('a symbolic link is the place that it leads to, also for a store below it that does not exist yet', async () => {
  const folder = await createTemporaryFolder();
  const [data, link] = [path.join(folder.path, 'data'), path.join(folder.path, 'link')];
  await mkdir(data);
  await symlink(data, link);
  expect(await comparePlaces(`file:${data}`, `file:${link}`)).toBe('same');
  expect(await comparePlaces(`file:${data}/a/b`, `file:${link}/a/b`)).toBe('same');
  expect(await comparePlaces(`file:${data}`, `file:${link}/a`)).toBe('nested');
  await folder.dispose();
});
