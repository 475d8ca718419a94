import { link, mkdir, readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  assertWritable,
  readSnapshotFile,
  writePrivateFile,
} from '../../../../gateway/io/backup/snapshot-file.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/process/temporary-folder.js';

/** The beginning of a snapshot, of any version. */
const OLDER = `${Buffer.from('{"alg":"dir","schema":"accounts-snapshot/7"}').toString('base64url')}..cut`;

let folder: TemporaryFolder;
let file: string;
let keyFile: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  file = path.join(folder.path, 'a.jwe');
  keyFile = path.join(folder.path, 'absent.key');
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
  await expect(assertWritable(file, false, keyFile)).rejects.toMatchObject(refusal);
  await expect(writePrivateFile(file, 'text', false)).rejects.toMatchObject(refusal);
  expect(await readFile(file, 'utf8')).toBe('older');
  expect(await readdir(folder.path)).toEqual(['a.jwe']);
});

it.each([
  ['an earlier snapshot, also a cut one', OLDER],
  ['an empty file', ''],
])('replaces %s when asked, with the permissions of a new one', async (_what, older) => {
  await writeFile(file, older, { mode: 0o644 });
  await assertWritable(file, true, keyFile);
  await writePrivateFile(file, 'text', true);
  expect([await readFile(file, 'utf8'), (await stat(file)).mode & 0o777]).toEqual(['text', 0o600]);
});

it.each([
  ['text', 'older'],
  ['an account', '{"schema":"account/1"}'],
  ['another token', `${Buffer.from('{"alg":"dir","schema":"session/1"}').toString('base64url')}....`],
  ['a long file without a header', '.'.repeat(100_000)],
])('does not replace %s, also when asked', async (_what, content) => {
  await writeFile(file, content);
  await expect(assertWritable(file, true, keyFile)).rejects.toMatchObject({
    exit: 'usage',
    message: `--to: ${file} is not an earlier snapshot, so it was not replaced. Use another name.`,
  });
});

it('does not replace a device', async () => {
  await expect(assertWritable('/dev/null', true, keyFile)).rejects.toMatchObject({ exit: 'usage' });
});

it('does not replace the file of the key under any of its names, also when its content could be replaced', async () => {
  await writeFile(file, OLDER);
  const [hard, symbolic] = [path.join(folder.path, 'hard'), path.join(folder.path, 'symbolic')];
  await link(file, hard);
  await symlink(file, symbolic);
  for (const same of [file, hard, symbolic, path.relative(process.cwd(), file)]) {
    const refusal = { exit: 'usage', message: expect.stringContaining('is the file of --key-file') };
    await expect(assertWritable(same, true, file)).rejects.toMatchObject(refusal);
    await expect(assertWritable(file, true, same)).rejects.toMatchObject(refusal);
  }
});

it('refuses a folder as the file, and a file in a folder that does not exist', async () => {
  await mkdir(file);
  await expect(assertWritable(file, true, keyFile)).rejects.toMatchObject({ exit: 'usage' });
  const lost = path.join(folder.path, 'absent', 'a.jwe');
  await expect(assertWritable(lost, false, keyFile)).rejects.toMatchObject({
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
