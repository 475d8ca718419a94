import path from 'node:path';
import { readDiskSpace } from '../../../../infra/store/directory/disk-space.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/process/temporary-folder.js';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder.dispose());

it.each(['', 'new', 'new/nested/store'])(
  'returns the space of the disk for the directory %j',
  async (name) => {
    const { bytes } = (await readDiskSpace(`file:${path.join(folder.path, name)}`)) ?? {};
    expect(bytes?.free).toBeGreaterThan(0);
    expect(bytes?.total).toBeGreaterThanOrEqual(bytes?.free ?? Infinity);
  },
);

it.each(['s3://bucket/prefix', 'memory:'])('returns undefined for %s', async (address) => {
  expect(await readDiskSpace(address)).toBeUndefined();
});
