import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '../../../schemas/digest.js';
import { digestFiles, findDifferences } from '../../../scripts/build/digest-files.js';
import { createTemporaryFolder } from '../../support/process/temporary-folder.js';

it('digests every file below a folder, in order', async () => {
  const folder = await createTemporaryFolder();
  await mkdir(path.join(folder.path, 'b/c'), { recursive: true });
  for (const name of ['z', 'b/c/file', 'a']) await writeFile(path.join(folder.path, name), name);
  const expected = ['a', 'b/c/file', 'z'].map((name) => [name, sha256Hex(name)]);
  expect([...(await digestFiles(folder.path))]).toEqual(expected);
  await folder.dispose();
});

it('lists what two builds do not have in common', () => {
  const one = new Map(Object.entries({ same: '1', changed: '2', gone: '3' }));
  const other = new Map(Object.entries({ same: '1', changed: '4', added: '5' }));
  expect(findDifferences(one, one)).toEqual([]);
  expect(findDifferences(one, other)).toEqual([
    'added is only in the second build',
    'changed differs',
    'gone is only in the first build',
  ]);
});
