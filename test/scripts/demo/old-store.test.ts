import { mkdir, readdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { moveOldStore } from '../../../scripts/demo/old-store.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

let folder: TemporaryFolder;
let store: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  store = path.join(folder.path, 'demo');
});
afterEach(() => folder.dispose());

async function writeStore(content: string): Promise<void> {
  await mkdir(store);
  await writeFile(path.join(store, 'store.json'), content);
}

it('moves a store of an older format aside, and an earlier one stays where it is', async () => {
  for (const aside of ['demo.format-2', 'demo.format-2-2']) {
    await writeStore('{"format":2}');
    expect(await moveOldStore(store)).toEqual({ format: 2, folder: path.join(folder.path, aside) });
    expect(await readdir(path.join(folder.path, aside))).toEqual(['store.json']);
  }
  expect((await readdir(folder.path)).sort()).toEqual(['demo.format-2', 'demo.format-2-2']);
});

it.each(['{"format":3}', '{"format":4}', 'mine'])(
  'leaves a folder whose store.json is %s where it is',
  async (content) => {
    await writeStore(content);
    expect(await moveOldStore(store)).toBeUndefined();
    expect(await readdir(folder.path)).toEqual(['demo']);
  },
);

it('does nothing if there is no folder', async () => {
  expect(await moveOldStore(store)).toBeUndefined();
});
