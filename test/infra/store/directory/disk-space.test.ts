import path from 'node:path';
import { readDiskSpace, toDiskSpace } from '../../../../infra/store/directory/disk-space.js';
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

const STATS = { bsize: 4_096, blocks: 1_000_000, bavail: 500_000, files: 60_000, ffree: 50_000 };

it('counts blocks in the fragment size where Node has it', () => {
  expect(toDiskSpace(STATS)?.bytes).toEqual({ free: 2_048_000_000, total: 4_096_000_000 });
  const { bytes } = toDiskSpace({ ...STATS, bsize: 1_048_576, frsize: 4_096 }) ?? {};
  expect(bytes).toEqual({ free: 2_048_000_000, total: 4_096_000_000 });
});

it.each([
  ['60,000 files', STATS, { free: 50_000, total: 60_000 }],
  ['no number of files', { ...STATS, files: 0, ffree: 0 }, undefined],
  ['few files on a large disk', { ...STATS, files: 9_999, ffree: 3 }, undefined],
  [
    'few files on a small disk',
    { ...STATS, blocks: 10_000, files: 9_999, ffree: 3 },
    { free: 3, total: 9_999 },
  ],
] as const)('understands a file system that reports %s', (_name, stats, files) => {
  expect(toDiskSpace(stats)?.files).toEqual(files);
});
