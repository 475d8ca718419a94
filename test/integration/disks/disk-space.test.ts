import { copyFile, mkdir, readdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '../../../schemas/digest.js';
import { objectKey, STORE_KEY } from '../../../schemas/paths.js';
import { copyFolder } from '../../support/process/copy-folder.js';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { publish } from '../../support/release/published-store.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { canMount, mountSmallDisk, type SmallDisk } from '../../support/stores/small-disk.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const FIRST = '2025-01-10T06:00:00Z';
const SECOND = '2025-01-11T06:00:00Z';
const MINUTES_MS = 60_000;

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
}, MINUTES_MS);
afterAll(() => folder.dispose());

it('gc --apply says after a first release that failed that nothing was ever published', async () => {
  const root = path.join(folder.path, 'failed');
  await mkdir(root);
  await copyFolder(path.join(published, 'objects'), path.join(root, 'objects'));
  await copyFile(path.join(published, STORE_KEY), path.join(root, STORE_KEY));
  expect(await runInProcess(['gc', '--apply', '--store', `file:${root}`])).toEqual({
    code: 8,
    stdout: '',
    stderr: `generator: Nothing was ever published to file:${root}. Run publish again, which uses the files that are there, or delete the store if no publish is running.\n  generator publish --input DIR --store file:${root}\n`,
  });
  expect(await publish(input, root, SECOND)).toMatchObject({ code: 0, stderr: '' });
});

const describeOnDisk = canMount() ? describe : describe.skip;

describeOnDisk('on a small disk', () => {
  let disk: SmallDisk;
  let root: string;
  beforeEach(async () => {
    disk = await mountSmallDisk();
    root = path.join(disk.path, 'store');
    await copyFolder(published, root);
  });
  afterEach(() => disk.dispose());

  const run = (...args: string[]): Promise<GeneratorRun> =>
    runInProcess([...args, '--store', `file:${root}`]);
  const publishSecond = (): Promise<GeneratorRun> => publish(input, root, SECOND);
  const list = async (): Promise<string[]> => (await readdir(disk.path, { recursive: true })).sort();

  /** Adds files that garbage collection deletes, of `bytes` together. */
  async function addGarbage(bytes: number): Promise<void> {
    for (let i = 0; i < 4; i += 1) {
      const body = Buffer.alloc(bytes / 4, `garbage ${i}`);
      const file = path.join(root, objectKey(sha256Hex(body)));
      await writeFile(file, body);
      await utimes(file, new Date('2025-01-01'), new Date('2025-01-01'));
    }
  }

  async function expectSecondPublished(): Promise<void> {
    expect(await publishSecond()).toMatchObject({ code: 0, stderr: '' });
    expect(await run('verify')).toMatchObject({ code: 0, stderr: '' });
  }

  describe('publish', () => {
    it('exits 7 before the first byte if it would not leave the reserve, and says what to do', async () => {
      await disk.fill(disk.reserveBytes + 65_536);
      const before = await list();
      const { code, stdout, stderr } = await publishSecond();
      expect({ code, stdout }).toEqual({ code: 7, stdout: '' });
      expect(stderr.split('\n  generator publish ')[0]).toBe(
        `generator: The disk of file:${root} has 3.42 MB free. This run writes ${/writes (\S+ [kM]B)/.exec(stderr)?.[1] ?? 'some'} and must leave 3.36 MB free. Nothing visible has changed. Free at least ${/least (\S+ [kM]B)/.exec(stderr)?.[1] ?? 'some'} there, for example with "generator gc --apply --store file:${root}", and run again.`,
      );
      expect(await list()).toEqual(before);
      await disk.clear();
      await expectSecondPublished();
    });

    it('says how much to free, which is enough, in a command for a shell', async () => {
      root = path.join(disk.path, 'my store');
      await copyFolder(published, root);
      await disk.fill(disk.reserveBytes + 65_536);
      const { stderr } = await publishSecond();
      expect(stderr).toContain(`with "generator gc --apply --store 'file:${root}'", and`);
      const [, amount, unit] = /Free at least (\d[\d.]*) ([kM])B/.exec(stderr) ?? [];
      const freed = Number(amount) * (unit === 'k' ? 1e3 : 1e6);
      const { bytes } = await disk.free();
      await disk.clear();
      await disk.fill(bytes + freed);
      await expectSecondPublished();
    });

    it('leaves the reserve when it has room, and hold works in what it leaves', async () => {
      await disk.clear();
      const { bytes } = await disk.free();
      await expectSecondPublished();
      const used = bytes - (await disk.free()).bytes;
      await copyStoreAgain();
      await disk.fill(disk.reserveBytes + Math.ceil(used * 1.5));
      await expectSecondPublished();
      expect((await disk.free()).bytes).toBeGreaterThanOrEqual(disk.reserveBytes);
      await disk.fill(disk.reserveBytes - 65_536);
      expect(await run('hold', '--reason', 'the disk is almost full', '--as-of', SECOND)).toMatchObject({
        code: 0,
      });
    });

    it('exits 7 before the first byte if the disk has too little room for files', async () => {
      await disk.fillFiles(disk.reserveFiles + 20);
      const before = await list();
      const { code, stderr } = await publishSecond();
      expect({ code, stderr }).toEqual({
        code: 7,
        stderr: expect.stringMatching(
          /has 1,\d+ files free\. This run writes \d+ files and must leave 1,000 files free\. Nothing visible has changed\. Free at least \d+ files there, /,
        ),
      });
      expect(await list()).toEqual(before);
      await disk.clear();
      await expectSecondPublished();
    });

    it('counts no space for files that an interrupted run left', async () => {
      await disk.fill(disk.reserveBytes + 400_000);
      expect(await publishSecond()).toMatchObject({ code: 7 });
      await disk.clear();
      await copyFolder(path.join(undisturbed, 'objects'), root);
      await disk.fill(disk.reserveBytes + 400_000);
      await expectSecondPublished();
    });

    it('exits 0 on a full disk if nothing has changed', async () => {
      await copyStoreAgain(undisturbed);
      await disk.fill(0);
      expect(await publishSecond()).toMatchObject({ code: 0, stderr: '' });
    });
  });

  describe('hold, unhold and gc', () => {
    const hold = (): Promise<GeneratorRun> => run('hold', '--reason', 'the disk is full', '--as-of', SECOND);

    it('work one after the other with 256 kB free, and publish continues in what gc frees', async () => {
      await addGarbage(8_000_000);
      await disk.fill(262_144);
      expect(await publishSecond()).toMatchObject({ code: 7 });
      expect(await hold()).toMatchObject({ code: 0, stderr: '' });
      expect(await run('verify')).toMatchObject({ code: 0, stderr: '' });
      expect(await run('unhold', '--as-of', SECOND)).toMatchObject({ code: 0, stderr: '' });
      const { code, stdout } = await run('gc', '--apply', '--json');
      expect({ code, ...JSON.parse(stdout) }).toMatchObject({
        code: 0,
        outcome: 'deleted',
        garbage: { objects: 4 },
      });
      await expectSecondPublished();
    });

    it('exit 7 with no byte free, say what to do, and change nothing', async () => {
      await addGarbage(4_000_000);
      await disk.fill(0);
      const before = await list();
      for (const { code, stderr } of [await hold(), await run('gc', '--apply')]) {
        expect({ code, stderr }).toEqual({
          code: 7,
          stderr: expect.stringMatching(
            /^generator: .*ENOSPC: the disk is full\. Free some space and run again\./,
          ),
        });
      }
      expect(await list()).toEqual(before);
    });
  });

  describe('copy', () => {
    const copy = (to: string): Promise<GeneratorRun> =>
      runInProcess(['copy', '--from', `file:${undisturbed}`, '--to', `file:${to}`]);

    it.each(['an empty address', 'an earlier copy'])(
      'to %s exits 7 before the first byte if it would not leave the reserve',
      async (name) => {
        const to = name === 'an earlier copy' ? root : path.join(disk.path, 'mirror');
        await disk.fill(disk.reserveBytes + 65_536);
        const before = await list();
        const { code, stderr } = await copy(to);
        expect({ code, stderr }).toEqual({
          code: 7,
          stderr: expect.stringContaining(`The disk of file:${to} has 3.42 MB free. This run writes `),
        });
        expect(await list()).toEqual(before);
        await disk.clear();
        expect(await copy(to)).toMatchObject({ code: 0, stderr: '' });
      },
    );

    it('to a complete copy needs no reserve', async () => {
      const to = path.join(disk.path, 'mirror');
      expect(await copy(to)).toMatchObject({ code: 0 });
      await disk.fill(65_536);
      expect(await copy(to)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^unchanged/) });
    });
  });

  /** Puts the store back to what it was, or to another one. */
  async function copyStoreAgain(from = published): Promise<void> {
    await mkdir(path.join(disk.path, 'old'));
    root = path.join(disk.path, 'old', 'store');
    await copyFolder(from, root);
  }
});
