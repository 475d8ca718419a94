import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  assertWritable,
  readSnapshotFile,
  writePrivateFile,
} from '../../../../gateway/io/backup/snapshot-file.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/process/temporary-folder.js';

let folder: TemporaryFolder;
let file: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  file = path.join(folder.path, 'a.jwe');
});
afterEach(() => folder.dispose());

it('writes a file that only its owner can read, and nothing beside it', async () => {
  await writePrivateFile(file, 'text', false);
  expect(await readFile(file, 'utf8')).toBe('text');
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect(await readdir(folder.path)).toEqual(['a.jwe']);
});

it('never replaces a file without being asked, also one that appeared meanwhile', async () => {
  await writeFile(file, 'older', { mode: 0o644 });
  const refusal = { exit: 'usage', message: expect.stringMatching(/exists already.*--force/) };
  await expect(assertWritable(file, false)).rejects.toMatchObject(refusal);
  await expect(writePrivateFile(file, 'text', false)).rejects.toMatchObject(refusal);
  expect(await readFile(file, 'utf8')).toBe('older');
  expect(await readdir(folder.path)).toEqual(['a.jwe']);
});

it('replaces a file when asked, with the permissions of a new one', async () => {
  await writeFile(file, 'older', { mode: 0o644 });
  await assertWritable(file, true);
  await writePrivateFile(file, 'text', true);
  expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['text', 0o600]);
});

it('refuses a folder as the file, and a file in a folder that does not exist', async () => {
  await mkdir(file);
  await expect(assertWritable(file, true)).rejects.toMatchObject({ exit: 'usage' });
  const lost = path.join(folder.path, 'absent', 'a.jwe');
  await expect(assertWritable(lost, false)).rejects.toMatchObject({
    exit: 'usage',
    message: expect.stringMatching(/absent does not exist/),
  });
  await expect(writePrivateFile(lost, 'text', false)).rejects.toMatchObject({ code: 'unavailable' });
});

it('names a file that cannot be read', async () => {
  await expect(readSnapshotFile(file)).rejects.toMatchObject({
    exit: 'usage',
    message: `--from ${file} cannot be read (ENOENT). Check the path and its permissions.`,
  });
});
