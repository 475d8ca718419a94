import { POINTER_KEY } from '../../../schemas/paths.js';
import { createDirectoryStore } from '../../../infra/store/directory/directory-store.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { META } from '../../contract/store-use.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { differingKeys, snapshotStore } from '../../support/stores/store-snapshot.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const first = {
  inputs: [randomSeries({ chain: 'arbitrum', seed: 1, days: 3 })],
  asOf: '2022-02-01T00:00:00Z',
};
const second = {
  inputs: [randomSeries({ chain: 'arbitrum', seed: 1, days: 4 })],
  asOf: '2022-02-02T00:00:00Z',
};

let folder: TemporaryFolder;
/** Keys of the objects and the record that the second release adds. */
let added: readonly string[];
let sizes: ReadonlyMap<string, number>;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  const undisturbed = createMemoryStore();
  await publishSeries(undisturbed, first);
  const before = await snapshotStore(undisturbed);
  await publishSeries(undisturbed, second);
  added = differingKeys(before, await snapshotStore(undisturbed)).filter((key) =>
    /^(objects|releases)\//.test(key),
  );
  sizes = new Map(
    await Promise.all(
      added.map(async (key) => [key, (await undisturbed.head(key))?.sizeBytes ?? 0] as const),
    ),
  );
});
afterAll(() => folder.dispose());

const STORES: readonly (readonly [string, (name: string) => ObjectStore])[] = [
  ['memory', () => createMemoryStore()],
  ['a directory', (name) => createDirectoryStore(`${folder.path}/${name}`)],
];

describe.each(STORES)('publish to %s', (_name, create) => {
  it.each([
    ['an artifact, of equal length', 'objects/', 0],
    ['an artifact, one byte longer', 'objects/', 1],
    ['the release record, of equal length', 'releases/', 0],
    ['the release record, one byte longer', 'releases/', 1],
  ])('finds wrong bytes under the key of %s before it moves the pointer', async (_place, prefix, more) => {
    const store = create(`${prefix.slice(0, -1)}-${more}`);
    await publishSeries(store, first);
    const before = await store.get(POINTER_KEY);
    const key = added.find((each) => each.startsWith(prefix)) ?? '';
    await store.putIfAbsent(key, Buffer.alloc((sizes.get(key) ?? 0) + more, 'x'), META);
    await expect(publishSeries(store, second)).rejects.toMatchObject({
      exit: 'damaged',
      message: expect.stringContaining(`${key} has other bytes than its digest says`),
    });
    expect(await store.get(POINTER_KEY)).toEqual(before);
  });
});
