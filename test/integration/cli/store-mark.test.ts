import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { POINTER_KEY, STORE_KEY } from '../../../schemas/paths.js';
import { openStore } from '../../../infra/store/open-store.js';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { readRelease } from '../../support/release/edit-store.js';
import { publish, useDamagedStore } from '../../support/release/published-store.js';
import { differingKeys, snapshotStore, type StoreSnapshot } from '../../support/stores/store-snapshot.js';

const { published, store, verify } = useDamagedStore();

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder.dispose());

const address = (): string => `file:${published().root}`;
const fresh = (): string => `file:${path.join(folder.path, 'fresh')}`;
const snapshot = async (): Promise<StoreSnapshot> => snapshotStore(await openStore(address()));

let copy: Promise<string> | undefined;
/** Returns the root of a sound store with the same releases. */
const sound = (): Promise<string> => (copy ??= published().copy());
beforeAll(async () => {
  await sound();
});

const UNREADABLE = ['', '{"format":"2"}'];

describe.each(UNREADABLE)('a store whose store.json is %j', (mark) => {
  it.each<[string, () => Promise<GeneratorRun>]>([
    ['verify', verify],
    ['status', () => runInProcess(['status', '--store', address()])],
    ['gc', () => runInProcess(['gc', '--store', address()])],
    ['publish', () => publish(published().input, published().root, '2025-02-03T00:00:00Z')],
    ['copy from it', () => runInProcess(['copy', '--from', address(), '--to', fresh()])],
    ['copy to it', async () => runInProcess(['copy', '--from', `file:${await sound()}`, '--to', address()])],
  ])('is damage for %s, which changes nothing', async (_name, run) => {
    await store().write(STORE_KEY, mark);
    const before = await snapshot();
    const { code, stdout, stderr } = await run();
    expect({ code, stdout, stderr }).toEqual({
      code: 8,
      stdout: '',
      stderr: expect.stringMatching(
        /store\.json:? is empty or not readable, but the address contains a store/,
      ),
    });
    expect(differingKeys(before, await snapshot())).toEqual([]);
  });

  it('is repaired, and verifies', async () => {
    const before = await snapshot();
    await store().write(STORE_KEY, mark);
    const { code, stdout } = await runInProcess(['repair', '--store', address(), '--json']);
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      outcome: 'repaired',
      restored: [STORE_KEY],
    });
    expect(differingKeys(before, await snapshot())).toEqual([]);
    expect(await verify()).toMatchObject({ code: 0 });
  });
});

describe('a store without its store.json', () => {
  it.each<[string, () => Promise<GeneratorRun>]>([
    ['verify', verify],
    ['status', () => runInProcess(['status', '--store', address()])],
    ['repair', () => runInProcess(['repair', '--store', address()])],
    ['publish', () => publish(published().input, published().root, '2025-02-03T00:00:00Z')],
    ['copy from it', () => runInProcess(['copy', '--from', address(), '--to', fresh()])],
    ['copy to it', async () => runInProcess(['copy', '--from', `file:${await sound()}`, '--to', address()])],
  ])('is no store for %s, which says how to get it back and changes nothing', async (_name, run) => {
    await store().remove(STORE_KEY);
    const before = await snapshot();
    const { code, stdout, stderr } = await run();
    expect({ code, stdout, stderr }).toEqual({
      code: 2,
      stdout: '',
      stderr: expect.stringMatching(
        /but no store\.json\. If a store has lost this file, put it back from a backup, or copy .*"generator copy --from MIRROR --to ADDRESS"\. For anything else, choose an empty address\.\n {2}generator copy --from MIRROR --to ADDRESS\n$/,
      ),
    });
    expect(differingKeys(before, await snapshot())).toEqual([]);
  });

  it('verifies once the file is back', async () => {
    const mark = await store().read(STORE_KEY);
    await store().remove(STORE_KEY);
    await store().write(STORE_KEY, mark);
    expect(await verify()).toMatchObject({ code: 0 });
  });
});

it('repair does not mark a store that has no readable release as one of its format', async () => {
  const { key } = await readRelease(store());
  const { record } = await readRelease(store());
  const { previous } = record;
  await store().write(STORE_KEY, '');
  await store().write(key, '{}');
  await store().write(`releases/${previous?.revision ?? ''}/${previous?.sha256 ?? ''}.json`, '{}');
  expect(await runInProcess(['repair', '--store', address()])).toMatchObject({
    code: 8,
    stderr: expect.stringContaining('generator copy --from MIRROR'),
  });
  expect((await store().read(STORE_KEY)).length).toBe(0);
  await store().remove(POINTER_KEY);
  expect(await verify()).toMatchObject({ code: 8 });
});

it('an unreadable store.json without files of a store is no store', async () => {
  const root = path.join(folder.path, 'foreign');
  await mkdir(root);
  await writeFile(path.join(root, STORE_KEY), '');
  expect(await runInProcess(['verify', '--store', `file:${root}`])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('is not a store'),
  });
});
