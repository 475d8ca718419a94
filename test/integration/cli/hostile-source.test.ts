import path from 'node:path';
import { bundlePath, manifestPath, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { Manifest } from '../../../schemas/types.generated.js';
import { openStore } from '../../../infra/store/open-store.js';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { readListed } from '../../support/release/edit-store.js';
import { forgeRelease } from '../../support/release/forge-release.js';
import { useDamagedStore } from '../../support/release/published-store.js';
import { differingKeys, snapshotStore, type StoreSnapshot } from '../../support/stores/store-snapshot.js';

const GOLD = manifestPath('gold', 'bitcoin');

const { published, store, verify } = useDamagedStore();

let folder: TemporaryFolder;
let target: string;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  target = path.join(folder.path, 'target');
  expect(await copy()).toMatchObject({ code: 0 });
}, 300_000);
afterAll(() => folder.dispose());

const copy = (): Promise<GeneratorRun> =>
  runInProcess(['copy', '--from', `file:${published().root}`, '--to', `file:${target}`]);
const snapshot = async (): Promise<StoreSnapshot> => snapshotStore(await openStore(`file:${target}`));

/** Asserts that copy exits 8 and leaves every byte of an earlier copy, and that verify and repair exit 8 too. */
async function expectRefused(says: RegExp): Promise<void> {
  const before = await snapshot();
  expect(await copy()).toEqual({ code: 8, stdout: '', stderr: expect.stringMatching(says) });
  expect(differingKeys(before, await snapshot())).toEqual([]);
  expect(await verify()).toMatchObject({ code: 8 });
  expect(await runInProcess(['repair', '--store', `file:${published().root}`])).toMatchObject({ code: 8 });
}

describe('a source is refused with exit 8 by copy, verify and repair when its release has', () => {
  it.each<[string, (manifest: Manifest) => Partial<Manifest>, RegExp]>([
    [
      'without a date that the others list',
      ({ dates }) => ({ dates: dates.slice(1) }),
      /2025-01-01 is absent/,
    ],
    [
      'with a schema that no day file has',
      ({ dates }) => ({ dates: dates.map((entry) => ({ ...entry, schema: 'evil/1' })) }),
      /has the wrong schema evil\/1/,
    ],
  ])('a manifest %s', async (_what, change, says) => {
    const manifest = await readListed(store(), GOLD, 'manifest');
    await forgeRelease(store(), { [GOLD]: { ...manifest, ...change(manifest) } });
    await expectRefused(says);
  });

  it('no bundle of 90 days', async () => {
    await forgeRelease(store(), {}, ({ bundles, ...record }) => {
      const { [bundlePath('meta', 'bitcoin', '90d')]: _dropped, ...others } = bundles;
      return { ...record, bundles: others };
    });
    await expectRefused(/is not listed in the release/);
  });
});

it('verify exits 8 for a public document that is not an object', async () => {
  await forgeRelease(store(), { [PUBLIC_PATHS.glossary]: null });
  expect(await verify()).toMatchObject({ code: 8 });
});
