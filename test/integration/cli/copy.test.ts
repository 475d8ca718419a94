import { mkdir, utimes, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  ALIASES_KEY,
  bundlePath,
  manifestPath,
  OBJECTS_PREFIX,
  POINTER_KEY,
  PUBLIC_PATHS,
  publicKey,
  RELEASES_PREFIX,
  STORE_KEY,
} from '../../../schemas/paths.js';
import { openStore } from '../../../infra/store/open-store.js';
import { createStoreEditor, flipBit, keyOfPath, readRelease } from '../../support/release/edit-store.js';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { publish, useDamagedStore } from '../../support/release/published-store.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { differingKeys, snapshotStore } from '../../support/stores/store-snapshot.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const { published, store } = useDamagedStore();

let folder: TemporaryFolder;
let targets = 0;
beforeAll(async () => {
  folder = await createTemporaryFolder();
});
afterAll(() => folder.dispose());

const freshRoot = (): string => path.join(folder.path, `target-${(targets += 1)}`);
const copy = (from: string, to: string, ...options: string[]): Promise<GeneratorRun> =>
  runInProcess(['copy', '--from', `file:${from}`, '--to', `file:${to}`, ...options]);
const snapshot = async (root: string): Promise<Awaited<ReturnType<typeof snapshotStore>>> =>
  snapshotStore(await openStore(`file:${root}`));

/** Copies the published store to a new directory. */
async function copied(): Promise<string> {
  const root = freshRoot();
  expect(await copy(published().root, root)).toMatchObject({ code: 0 });
  return root;
}

describe('copy', () => {
  it('creates a store with the same keys and bytes, which verifies', async () => {
    const root = await copied();
    expect(differingKeys(await snapshot(published().root), await snapshot(root))).toEqual([]);
    expect(await runInProcess(['verify', '--deep', '--store', `file:${root}`])).toMatchObject({ code: 0 });
  });

  it('reports outcome, addresses, release, and what was written', async () => {
    const root = freshRoot();
    const { code, stdout, stderr } = await copy(published().root, root, '--json');
    const { pointer } = await readRelease(store());
    const keys = [...(await snapshot(root)).keys()].filter((key) => key !== ALIASES_KEY);
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(JSON.parse(stdout)).toEqual({
      outcome: 'copied',
      from: `file:${published().root}`,
      to: `file:${root}`,
      revision: pointer.revision,
      sequence: 2,
      sha256: pointer.sha256,
      written: { objects: keys.length, bytes: expect.any(Number) },
      skipped: 0,
      mended: [],
    });
  });

  it('reports "unchanged" the second time', async () => {
    const root = await copied();
    const before = await snapshot(root);
    const { code, stdout } = await copy(published().root, root, '--json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      outcome: 'unchanged',
      written: { objects: 0, bytes: 0 },
    });
    expect(differingKeys(before, await snapshot(root))).toEqual([]);
  });

  it('updates an earlier copy to a later release of the same store', async () => {
    const root = await copied();
    const source = await published().copy();
    const input = await writeSmallInput(path.join(folder.path, 'later'), {
      days: { bitcoin: 33, arbitrum: 10 },
      revised: '2025-01-20',
    });
    expect(await publish(input, source, '2025-02-03T12:00:00Z')).toMatchObject({ code: 0 });
    expect(await copy(source, root)).toMatchObject({ code: 0, stdout: expect.stringMatching(/^copied: /) });
    expect(differingKeys(await snapshot(source), await snapshot(root))).toEqual([]);
  });

  it('restores lost and damaged objects of a copy, and names the damaged ones', async () => {
    const root = await copied();
    const target = createStoreEditor(root);
    const lost = await keyOfPath(store(), bundlePath('gold', 'bitcoin', '30d'));
    const corrupt = await keyOfPath(store(), manifestPath('meta', 'arbitrum'));
    await target.remove(lost);
    await flipBit(target, corrupt);
    const { code, stdout, stderr } = await copy(published().root, root, '--json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, outcome: 'copied', mended: [corrupt] });
    expect(stderr).toContain(`${corrupt} of file:${root} did not match its digest`);
    expect(differingKeys(await snapshot(published().root), await snapshot(root))).toEqual([]);
  });
});

describe('copy --prune', () => {
  const prune = (root: string, ...options: string[]): Promise<GeneratorRun> =>
    copy(published().root, root, '--prune', ...options);

  it('reports what gc would delete in the copy, and deletes it only with --apply', async () => {
    const root = await copied();
    const orphan = `${OBJECTS_PREFIX}${'0'.repeat(64)}`;
    await writeFile(path.join(root, orphan), 'an orphan');
    const weekAgo = new Date(Date.now() - 8 * 86_400_000);
    await utimes(path.join(root, orphan), weekAgo, weekAgo);
    expect(await prune(root)).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^unchanged: [^]*\nwould delete 1 object and 0 orphan/),
    });
    expect([...(await snapshot(root)).keys()]).toContain(orphan);
    const { code, stdout } = await prune(root, '--apply', '--json');
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      outcome: 'unchanged',
      pruned: { outcome: 'deleted', garbage: { objects: 1, releases: 0 } },
    });
    expect([...(await snapshot(root)).keys()]).not.toContain(orphan);
  });

  it('is needed for --apply', async () => {
    const root = freshRoot();
    expect(await copy(published().root, root, '--apply')).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('Add --prune'),
    });
    expect((await snapshot(root)).size).toBe(0);
  });
});

describe('copy exits 8, names the key and the store, and leaves the target without a pointer, when', () => {
  it.each<[string, () => Promise<string>]>([
    ['a file of the source is damaged', () => keyOfPath(store(), bundlePath('meta', 'bitcoin', '7d'))],
    ['a manifest is damaged', () => keyOfPath(store(), manifestPath('gold', 'bitcoin'))],
  ])('%s', async (_what, find) => {
    const key = await find();
    const root = freshRoot();
    await flipBit(store(), key);
    expectDamage(await copy(published().root, root), published().root, key);
    expect([...(await snapshot(root)).keys()]).not.toContain(POINTER_KEY);
    await store().undo();
    expect(await copy(published().root, root)).toMatchObject({ code: 0 });
    expect(differingKeys(await snapshot(published().root), await snapshot(root))).toEqual([]);
  });

  it('a file of the previous release is missing', async () => {
    const { record } = await readRelease(store());
    const { previous } = record;
    const before = JSON.parse(
      (
        await store().read(`${RELEASES_PREFIX}${previous?.revision ?? ''}/${previous?.sha256 ?? ''}.json`)
      ).toString(),
    );
    const key = `${OBJECTS_PREFIX}${before.public[PUBLIC_PATHS.landing].sha256}`;
    const root = freshRoot();
    await store().remove(key);
    expectDamage(await copy(published().root, root), published().root, key);
    expect([...(await snapshot(root)).keys()]).not.toContain(POINTER_KEY);
  });
});

it('copy restores a store without a pointer from a complete backup', async () => {
  const root = await copied();
  const editor = createStoreEditor(root);
  await editor.remove(POINTER_KEY);
  await editor.remove(await keyOfPath(store(), bundlePath('meta', 'bitcoin', '7d')));
  expect(await copy(published().root, root)).toMatchObject({ code: 0 });
  expect(differingKeys(await snapshot(published().root), await snapshot(root))).toEqual([]);
});

describe('copy exits 2, describes the target, and writes nothing, when', () => {
  it('the target has lost its pointer, but has public copies of a later release', async () => {
    const root = await copied();
    const editor = createStoreEditor(root);
    await editor.remove(POINTER_KEY);
    await editor.write(ALIASES_KEY, '{"schema":"aliases/1","sequence":3}');
    await expectRefused(published().root, root, 'public copies of sequence 3');
  });

  async function expectRefused(from: string, to: string, says: string): Promise<void> {
    const before = await snapshot(to);
    const { code, stdout, stderr } = await copy(from, to);
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: expect.stringContaining(says) });
    expect(differingKeys(before, await snapshot(to))).toEqual([]);
  }

  it('the target is another store', async () => {
    const root = freshRoot();
    const input = await writeSmallInput(path.join(folder.path, 'other'), { days: { base: 3 } });
    expect(await publish(input, root, '2025-02-01T12:00:00Z')).toMatchObject({ code: 0 });
    await expectRefused(published().root, root, 'contains release 2025-02-01.000001 (sequence 1,');
  });

  it('the target is ahead of the source', async () => {
    const root = await published().copy();
    const input = await writeSmallInput(path.join(folder.path, 'ahead'), {
      days: { bitcoin: 33, arbitrum: 10 },
      revised: '2025-01-20',
    });
    expect(await publish(input, root, '2025-02-03T12:00:00Z')).toMatchObject({ code: 0 });
    await expectRefused(published().root, root, 'whose current release is 2025-02-02.000001 (sequence 2)');
  });

  it('the target has a record of another store, and no pointer', async () => {
    const root = freshRoot();
    const input = await writeSmallInput(path.join(folder.path, 'begun'), { days: { base: 3 } });
    expect(await publish(input, root, '2025-02-01T12:00:00Z')).toMatchObject({ code: 0 });
    const target = createStoreEditor(root);
    await target.remove(POINTER_KEY);
    await target.remove(ALIASES_KEY);
    await expectRefused(published().root, root, `contains ${RELEASES_PREFIX}2025-02-01.000001/`);
  });

  it('the target is a store of another format', async () => {
    const root = freshRoot();
    await mkdir(root, { recursive: true });
    await writeFile(path.join(root, STORE_KEY), '{"format":1}');
    await expectRefused(published().root, root, `file:${root} is a store of format 1`);
  });

  it('the target is a directory with other files', async () => {
    await expectRefused(published().root, published().input, 'is not a store: it contains');
  });

  it('both addresses are the same place', async () => {
    const { root } = published();
    expect(await copy(root, path.join(root, '..', path.basename(root)))).toMatchObject({
      code: 2,
      stdout: '',
    });
    const s3 = ['copy', '--from', 's3://bucket/store', '--to', 's3://bucket/store/?region=eu-west-1'];
    expect(await runInProcess(s3)).toMatchObject({
      code: 2,
      stderr: expect.stringMatching(/are the same place, .*\n {2}generator copy --help\n$/),
    });
  });

  it('one store would be inside the other', async () => {
    const { root } = published();
    await expectRefused(root, path.join(root, 'public/copy'), 'are one inside the other');
    expect(await runInProcess(['verify', '--store', `file:${root}`])).toMatchObject({ code: 0 });
  });

  it('there is nothing to copy', async () => {
    const root = freshRoot();
    expect(await copy(freshRoot(), root)).toMatchObject({ code: 2, stdout: '' });
    expect((await snapshot(root)).size).toBe(0);
  });
});

it('copy repairs the public copies of an earlier copy', async () => {
  const root = await copied();
  const target = createStoreEditor(root);
  await target.write(publicKey(PUBLIC_PATHS.landing), 'corrupt');
  expect(await copy(published().root, root)).toMatchObject({ code: 0 });
  expect(differingKeys(await snapshot(published().root), await snapshot(root))).toEqual([]);
});

function expectDamage({ code, stdout, stderr }: GeneratorRun, root: string, key: string): void {
  expect({ code, stdout }).toEqual({ code: 8, stdout: '' });
  expect(stderr).toContain(`file:${root}: ${key} `);
}
