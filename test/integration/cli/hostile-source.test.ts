import path from 'node:path';
import { bundlePath, chainPagePath, manifestPath, PAGE_PATHS, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { Manifest, ReleaseRecord } from '../../../schemas/types.generated.js';
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
  const page = chainPagePath('bitcoin');

  it.each(['/../../x', '/evil', '//x', '/%2e%2e/%2e%2e/x', `${PAGE_PATHS.docs}/index.html`])(
    'a public file with the path %s',
    async (hostile) => {
      await forgeRelease(store(), {}, ({ public: shown, ...record }) => {
        const { [page]: entry, ...others } = shown;
        if (entry === undefined) throw new Error(`no ${page}`);
        return { ...record, public: { ...others, [hostile]: entry } };
      });
      await expectRefused(/names .* which no release can have there/);
    },
  );

  it.each<[string, (manifest: Manifest) => Partial<Manifest>, RegExp]>([
    [
      'without a date that the others list',
      ({ dates }) => ({ dates: dates.slice(1) }),
      /2025-01-01 is absent/,
    ],
    ['with dates in another order', ({ dates }) => ({ dates: [...dates].reverse() }), /dates do not ascend/],
    ['that ends on another date', () => ({ updated_through: '2025-01-31' }), /updated_through is 2025-01-31/],
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

  it.each<[string, (record: ReleaseRecord) => ReleaseRecord, RegExp]>([
    [
      'no bundle of 90 days',
      ({ bundles: { [bundlePath('meta', 'bitcoin', '90d')]: _dropped, ...bundles }, ...record }) => ({
        ...record,
        bundles,
      }),
      /is not listed in the release/,
    ],
    [
      'no list of changes',
      ({ public: { [PUBLIC_PATHS.changes]: _dropped, ...shown }, ...record }) => ({
        ...record,
        public: shown,
      }),
      /does not match the release records|is not listed/,
    ],
    [
      'a sequence that does not follow',
      (record) => ({ ...record, sequence: 3 }),
      /direct predecessor|sequence/,
    ],
    ['no predecessor', (record) => ({ ...record, previous: null }), /but has sequence 2/],
  ])('%s', async (_what, change, says) => {
    await forgeRelease(store(), {}, change);
    await expectRefused(says);
  });
});

it('verify exits 8 for a public document that is not an object', async () => {
  await forgeRelease(store(), { [PUBLIC_PATHS.glossary]: null });
  expect(await verify()).toMatchObject({ code: 8 });
});
