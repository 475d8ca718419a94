import { existsSync } from 'node:fs';
import { chmod, mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { POINTER_KEY } from '../../../schemas/paths.js';
import { copyFolder } from '../../support/process/copy-folder.js';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { publish } from '../../support/release/published-store.js';
import {
  createFullDisk,
  createLimitedDisk,
  runUnprivileged,
  type FullDisk,
} from '../../support/stores/full-disk.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const FIRST = '2025-01-10T06:00:00Z';
const SECOND = '2025-01-11T06:00:00Z';

let folder: TemporaryFolder;
let input: string;
/** A store with one release, and the same store with the second. */
let published: string;
let undisturbed: string;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  const first = await writeSmallInput(path.join(folder.path, 'first'), { days: { bitcoin: 5 } });
  input = await writeSmallInput(path.join(folder.path, 'second'), { days: { bitcoin: 6, base: 5 } });
  published = path.join(folder.path, 'published');
  expect(await publish(first, published, FIRST)).toMatchObject({ code: 0 });
  undisturbed = path.join(folder.path, 'undisturbed');
  await copyFolder(published, undisturbed);
  expect(await publish(input, undisturbed, SECOND)).toMatchObject({ code: 0 });
}, 300_000);
afterAll(() => folder.dispose());

const publishing = (root: string): string[] => [
  'publish',
  '--quiet',
  '--input',
  input,
  '--store',
  `file:${root}`,
  '--as-of',
  SECOND,
];
const verify = (root: string): Promise<GeneratorRun> => runInProcess(['verify', '--store', `file:${root}`]);

/** Returns what a reader can see: every file except objects and records, which only other files link to, and temporary files. */
async function readVisible(root: string): Promise<Record<string, string>> {
  const names = await filesBelow(root);
  const visible = names.filter((name) => !/^(objects|releases|\.tmp)\//.test(name));
  const texts = visible.map(async (name) => [name, await readFile(path.join(root, name), 'utf8')] as const);
  return Object.fromEntries(await Promise.all(texts));
}

async function filesBelow(root: string): Promise<string[]> {
  if (!existsSync(root)) return [];
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => path.relative(root, path.join(entry.parentPath, entry.name)));
}

/** Asserts that the store equals the undisturbed one and verifies. */
async function expectCompleted(root: string): Promise<void> {
  const [pointer, expected] = [root, undisturbed].map((each) => path.join(each, POINTER_KEY));
  expect(await readFile(pointer ?? '', 'utf8')).toBe(await readFile(expected ?? '', 'utf8'));
  expect(await readVisible(root)).toEqual(await readVisible(undisturbed));
  expect(await verify(root)).toMatchObject({ code: 0, stderr: '' });
}

describe.each([
  ['a disk that is full', createFullDisk],
  ['a disk with a limit for the size of files', createLimitedDisk],
] as const)('on %s', (_name, createDisk) => {
  let temporary: TemporaryFolder;
  let disk: FullDisk;
  beforeEach(async () => {
    temporary = await createTemporaryFolder();
  });
  afterEach(async () => {
    await disk.dispose();
    await temporary.dispose();
  });

  it('publish exits 7 with the path, changes nothing visible, and succeeds once there is space', async () => {
    disk = await createDisk(temporary.path, published);
    const { root, error } = disk;
    const before = await readVisible(root);
    const { code, stdout, stderr } = await disk.runShort(publishing(root));
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(stderr.split('\n')[0]).toMatch(error);
    expect(stderr).toMatch(/^generator: .*\n {2}node \S+ publish .*\n$/);
    expect(stderr).toContain(root);
    expect(await readVisible(root)).toEqual(before);
    expect(await verify(root)).toMatchObject({ code: 0, stdout: expect.stringContaining('(sequence 1)') });
    expect((await filesBelow(root)).filter((name) => name.startsWith('.'))).toEqual([]);

    await disk.extend();
    expect(await runInProcess(publishing(root))).toEqual({ code: 0, stdout: '', stderr: '' });
    await expectCompleted(root);
  }, 300_000);

  it('hold, which needs no reserve, exits 7 with the path and changes nothing visible', async () => {
    disk = await createDisk(temporary.path, published);
    const { root } = disk;
    // Leaves about 5 kB of what the disk had free.
    await writeFile(path.join(path.dirname(root), 'filler'), Buffer.alloc(60_000));
    const before = await readVisible(root);
    const hold = [
      'hold',
      '--quiet',
      '--store',
      `file:${root}`,
      '--reason',
      'under review',
      '--as-of',
      SECOND,
    ];
    const { code, stdout, stderr } = await disk.runShort(hold);
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(stderr).toMatch(
      /^generator: [a-z]+ \S+: (ENOSPC: the disk is full|EFBIG: the file is too large)\. .*\n {2}node \S+ hold .*\n$/,
    );
    expect(stderr).toContain(` ${root}`);
    expect(await readVisible(root)).toEqual(before);
    expect((await filesBelow(root)).filter((name) => name.startsWith('.'))).toEqual([]);

    await disk.extend();
    expect(await runInProcess(hold)).toMatchObject({ code: 0, stderr: '' });
  }, 300_000);

  it('a first publication exits 7, shows nothing, and succeeds once there is space', async () => {
    disk = await createDisk(temporary.path);
    const { root, error } = disk;
    const { code, stderr } = await disk.runShort(publishing(root));
    expect({ code, stderr: stderr.trimEnd() }).toEqual({ code: 7, stderr: expect.stringMatching(error) });
    expect(Object.keys(await readVisible(root))).toEqual(disk.left);

    await disk.extend();
    expect(await runInProcess(publishing(root))).toEqual({ code: 0, stdout: '', stderr: '' });
    expect(await verify(root)).toMatchObject({ code: 0, stderr: '' });
  }, 300_000);
});

describe('in a read-only directory', () => {
  let temporary: TemporaryFolder;
  let root: string;
  beforeEach(async () => {
    temporary = await createTemporaryFolder();
    root = path.join(temporary.path, 'store');
  });
  afterEach(async () => {
    await setWritable(temporary.path, true);
    await temporary.dispose();
  });

  it('publish exits 7 with the path, changes nothing, and succeeds once the directory is writable', async () => {
    await copyFolder(published, root);
    await setWritable(root, false);
    const before = await readVisible(root);
    const { code, stdout, stderr } = await runUnprivileged(publishing(root));
    expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
    expect(stderr).toMatch(
      /^generator: \w+ \S+: EACCES: permission denied\. Grant this user read and write access\./,
    );
    expect(stderr).toContain(` ${root}`);
    expect(await readVisible(root)).toEqual(before);

    await setWritable(root, true);
    expect(await runUnprivileged(publishing(root))).toEqual({ code: 0, stdout: '', stderr: '' });
    await expectCompleted(root);
  }, 300_000);

  it('a first publication exits 7 with the path', async () => {
    await setWritable(temporary.path, false);
    const { code, stderr } = await runUnprivileged(publishing(root));
    expect({ code, stderr }).toEqual({ code: 7, stderr: expect.stringContaining(`mkdir ${root}`) });
    expect(await readdir(temporary.path)).toEqual([]);
  }, 300_000);

  it.each(['verify', 'status', 'publish'])(
    '%s succeeds when it has nothing to write',
    async (command) => {
      await copyFolder(undisturbed, root);
      await setWritable(root, false);
      const args = command === 'publish' ? publishing(root) : [command, '--quiet', '--store', `file:${root}`];
      expect(await runUnprivileged(args)).toEqual({ code: 0, stdout: '', stderr: '' });
    },
    300_000,
  );

  it('publish exits 7 with the path when the directory cannot be read either', async () => {
    await mkdir(root, { mode: 0o000 });
    const { code, stderr } = await runUnprivileged(publishing(root));
    expect({ code, stderr }).toEqual({
      code: 7,
      stderr: expect.stringMatching(/^generator: \w+ \S+: EACCES: permission denied/),
    });
    expect(stderr).toContain(` ${root}`);
  }, 300_000);
});

/** Makes a folder and everything in it writable or read-only. */
async function setWritable(top: string, writable: boolean): Promise<void> {
  const isFolder = (await stat(top)).isDirectory();
  const mode = (isFolder ? 0o555 : 0o444) | (writable ? 0o200 : 0);
  if (isFolder && writable) await chmod(top, 0o755);
  if (isFolder) {
    for (const name of await readdir(top)) await setWritable(path.join(top, name), writable);
  }
  await chmod(top, mode);
}
