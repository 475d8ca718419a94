import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { GENRES } from '../../schemas/catalog.js';
import { openStore } from '../../infra/store/open-store.js';
import { runInProcess, type GeneratorRun } from '../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../support/process/temporary-folder.js';
import { readCurrent, readManifests } from '../support/release/read-release.js';
import { snapshotStore } from '../support/stores/store-snapshot.js';
import { GOLDEN } from './scenario.js';

const NOW = '2025-02-03T12:00:00Z';

let folder: TemporaryFolder;
let address: string;
beforeEach(async () => {
  folder = await createTemporaryFolder();
  const archive = path.join(GOLDEN, 'previous-store.tar.gz');
  await promisify(execFile)('tar', ['-xzf', archive, '-C', folder.path]);
  address = `file:${path.join(folder.path, 'store')}`;
  const unused = path.join(folder.path, 'store', '.gc-space'); // earlier builds kept space for a full disk there
  await mkdir(unused);
  await writeFile(path.join(unused, '0'), Buffer.alloc(8_192));
});
afterEach(() => folder.dispose());

const run = (...words: string[]): Promise<GeneratorRun> => runInProcess([...words, '--store', address], NOW);
const publish = (): Promise<GeneratorRun> =>
  run('publish', '--input', path.join(folder.path, 'third'), '--as-of', NOW, '--json');

/** Returns the digest of each listed day file, by its path. */
async function listDays(): Promise<Map<string, string>> {
  const store = await openStore(address);
  const manifests = await readManifests(store, await readCurrent(store));
  return new Map(
    [...manifests.values()].flatMap(({ dates }) => dates.map(({ path: file, sha256 }) => [file, sha256])),
  );
}

describe('a store that an earlier build published', () => {
  it('is sound, with its releases and its hold', async () => {
    expect(await run('verify', '--json')).toMatchObject({ code: 0, stderr: '' });
    const status = await run('status', '--json');
    expect(JSON.parse(status.stdout)).toMatchObject({
      sequence: 3,
      holds: { arbitrum: 'a source changes' },
      damage: null,
      chains: { bitcoin: { updated_through: '2025-02-01' } },
    });
  });

  it('is continued: new dates are added, and no published day changes', async () => {
    const before = await listDays();
    expect(before.size).toBe(GENRES.length * (32 + 9));
    const { code, stdout } = await publish();
    expect({ code, ...JSON.parse(stdout) }).toMatchObject({
      code: 0,
      sequence: 4,
      chains: { bitcoin: { outcome: 'published', new: 1, restated: 0 }, arbitrum: { outcome: 'held' } },
    });
    const after = await listDays();
    expect([...before].filter(([file, sha256]) => after.get(file) !== sha256)).toEqual([]);
    expect(after.size).toBe(before.size + GENRES.length);
  });

  it('can be recomputed once every chain was published by this build', async () => {
    expect(await run('unhold', '--all', '--as-of', NOW)).toMatchObject({ code: 0 });
    expect(await publish()).toMatchObject({ code: 0 });
    expect(await run('verify', '--deep')).toMatchObject({ code: 0, stderr: '' });
  });

  it('can be copied, rolled back, held and collected', async () => {
    const copy = `file:${path.join(folder.path, 'copy')}`;
    expect(await runInProcess(['copy', '--from', address, '--to', copy], NOW)).toMatchObject({ code: 0 });
    const [from, to] = [await openStore(address), await openStore(copy)];
    expect(await snapshotStore(to)).toEqual(await snapshotStore(from));
    const rollback = ['rollback', '--to', '2025-02-01.000001', '--reason', 'a test', '--as-of', NOW];
    expect(await run(...rollback)).toMatchObject({ code: 0 });
    expect(await run('unhold', '--all', '--as-of', NOW)).toMatchObject({ code: 0 });
    expect(await run('gc', '--apply')).toMatchObject({ code: 0, stderr: '' });
    expect(await run('verify')).toMatchObject({ code: 0, stderr: '' });
  });
});
