import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '../../../schemas/digest.js';
import { describeBuild } from '../../../scripts/build/describe-build.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const COMMIT = 'a1'.repeat(20);
const LOCK = '{ "lockfileVersion": 3 }\n';

let folder: TemporaryFolder;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  await writeFile(path.join(folder.path, 'package.json'), '{ "version": "1.2.3" }');
  await writeFile(path.join(folder.path, 'package-lock.json'), LOCK);
});
afterAll(() => folder.dispose());

it.each([
  ['the commit that it is given', COMMIT, COMMIT],
  ['a modified commit that it is given', `${COMMIT}-modified`, `${COMMIT}-modified`],
  ['no commit without one', undefined, null],
  ['no commit for an empty build argument', '', null],
])('states, where there is no git, %s', async (_what, given, commit) => {
  expect(await describeBuild(folder.path, given)).toEqual({
    version: '1.2.3',
    commit,
    lockfile_sha256: sha256Hex(LOCK),
  });
});

it.each(['main', COMMIT.slice(1), `${COMMIT}-dirty`])('refuses %s as a commit', async (given) => {
  await expect(describeBuild(folder.path, given)).rejects.toThrow(`SOURCE_COMMIT is not a commit: ${given}`);
});
