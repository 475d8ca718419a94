import {
  bundlePath,
  calendarPath,
  chartDataPath,
  regimesPath,
  dayPath,
  manifestPath,
  PUBLIC_PATHS,
} from '../../../schemas/paths.js';
import type { Manifest } from '../../../schemas/types.generated.js';
import { keyOfPath, readListed } from '../../support/release/edit-store.js';
import { forgeRelease } from '../../support/release/forge-release.js';
import { useDamagedStore } from '../../support/release/published-store.js';

const GOLD = manifestPath('gold', 'bitcoin');
const META = manifestPath('meta', 'bitcoin');
const DERIVED = manifestPath('derived', 'bitcoin');

const { store, verify, expectFault } = useDamagedStore();

/** Forges a manifest of bitcoin and everything that links to it. */
async function forgeManifest(path: string, change: (manifest: Manifest) => unknown): Promise<void> {
  await forgeRelease(store(), { [path]: change(await readListed(store(), path, 'manifest')) });
}

describe('verify finds a manifest with matching digests when', () => {
  it.each<[string, string, (manifest: Manifest) => unknown, RegExp]>([
    [
      'it lacks a date that the others list',
      DERIVED,
      (m) => ({ ...m, dates: m.dates.slice(1) }),
      /2025-01-01 is absent, but \w+ in meta/,
    ],
    [
      'it lists a date with another status',
      GOLD,
      (m) => withFirst(m, { status: 'missing' }),
      /2025-01-01 is missing, but degraded in meta/,
    ],
    [
      'its updated_through differs',
      META,
      (m) => ({ ...m, updated_through: '2025-01-31' }),
      /updated_through is 2025-01-31/,
    ],
    [
      'its dates are not in ascending order',
      GOLD,
      (m) => ({ ...m, dates: [...m.dates].reverse() }),
      /dates do not ascend/,
    ],
    [
      'it lists a date twice',
      GOLD,
      (m) => ({ ...m, dates: [...m.dates.slice(0, 1), ...m.dates] }),
      /dates do not ascend at 2025-01-01/,
    ],
    [
      'it is of another chain',
      GOLD,
      (m) => ({ ...m, chain: 'arbitrum' }),
      /is the manifest of gold arbitrum/,
    ],
    [
      'it is of another genre',
      META,
      (m) => ({ ...m, genre: 'derived' }),
      /is the manifest of derived bitcoin/,
    ],
    [
      'a date has the path of another',
      GOLD,
      (m) => withFirst(m, { path: dayPath('gold', 'bitcoin', '2025-01-02') }),
      /has the wrong path/,
    ],
    [
      'a date names an unknown revision',
      GOLD,
      (m) => withFirst(m, { revision: '2025-01-01.000007' }),
      /unknown revision/,
    ],
    ['a date has another size', GOLD, (m) => withFirst(m, { bytes: 7 }), /more than the 7 bytes listed/],
    [
      'a date names the file of another',
      GOLD,
      (m) => withFirst(m, { sha256: m.dates[1]?.sha256, bytes: m.dates[1]?.bytes }),
      /date is 2025-01-02, but 2025-01-01 in the manifest/,
    ],
    [
      'a revision was published with other dates',
      META,
      (m) => withRevisions(m, '2025-02-20'),
      /updated_through is 2025-0[12]-[0-9]{2}, but 2025-02-20 in the manifest/,
    ],
    ['it violates its schema', GOLD, (m) => ({ ...m, dates: null }), /violates schema manifest/],
    ['it is not a manifest', GOLD, () => ({}), /violates schema manifest/],
  ])('%s', async (_what, path, change, message) => {
    await forgeManifest(path, change);
    const { code, stderr } = await verify();
    expect({ code, stderr }).toEqual({ code: 8, stderr: expect.stringMatching(message) });
  });
});

describe('verify finds a release with matching digests when', () => {
  it('a bundle has days that do not match the manifest', async () => {
    const path = bundlePath('gold', 'bitcoin', '7d');
    const bundle = await readListed(store(), path, 'bundle');
    await forgeRelease(store(), { [path]: { ...bundle, days: [...bundle.days].reverse() } });
    await expectFault(await verify(), path, /differs from the day file of/);
  });

  it('a bundle ends before the manifest does', async () => {
    const path = bundlePath('meta', 'bitcoin', '30d');
    const bundle = await readListed(store(), path, 'bundle');
    await forgeRelease(store(), { [path]: { ...bundle, days: bundle.days.slice(0, -1) } });
    await expectFault(await verify(), path, /contains 29 days, not the last 30/);
  });

  it('the release lacks a bundle', async () => {
    const path = bundlePath('meta', 'bitcoin', '90d');
    await forgeRelease(store(), {}, ({ bundles: { [path]: _dropped, ...bundles }, ...record }) => ({
      ...record,
      bundles,
    }));
    expect(await verify()).toMatchObject({ code: 8, stderr: expect.stringContaining(path) });
  });

  it('the release lacks a manifest', async () => {
    await forgeRelease(store(), {}, ({ manifests: { [GOLD]: _dropped, ...manifests }, ...record }) => ({
      ...record,
      manifests,
    }));
    expect(await verify()).toMatchObject({ code: 8, stderr: expect.stringContaining(GOLD) });
  });

  it('the calendar has another label than the meta records', async () => {
    const path = calendarPath('bitcoin');
    const text = (await store().read(await keyOfPath(store(), path))).toString();
    await forgeRelease(store(), { [path]: text.replace(',indeterminate,', ',congested,') });
    await expectFault(await verify(), path, /does not match the meta records/);
  });

  it('the data of the chart has another day than the meta records', async () => {
    const path = chartDataPath('bitcoin');
    const chart = await readListed(store(), path, 'chart');
    await forgeRelease(store(), { [path]: { ...chart, first_date: '2024-12-31' } });
    await expectFault(await verify(), path, /does not match the meta records/);
  });

  it('the statistics of the labels count other days than the records', async () => {
    const path = regimesPath('bitcoin');
    const regimes = await readListed(store(), path, 'regimes');
    await forgeRelease(store(), { [path]: { ...regimes, first_date: '2024-12-31' } });
    await expectFault(await verify(), path, /does not match the records/);
  });

  it('the list of public files has the digest of another file', async () => {
    const path = PUBLIC_PATHS.release;
    const list = await readListed(store(), path, 'release');
    const files = list.files.map((file, i) => (i === 0 ? { ...file, sha256: 'f'.repeat(64) } : file));
    await forgeRelease(store(), { [path]: { ...list, files } });
    await expectFault(await verify('--deep'), path);
  });

  it('its sequence does not follow its predecessor', async () => {
    await forgeRelease(store(), {}, (record) => ({ ...record, sequence: 3 }));
    expect(await verify()).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(/is not the direct predecessor/),
    });
  });

  it('its record names no predecessor', async () => {
    await forgeRelease(store(), {}, (record) => ({ ...record, previous: null }));
    expect(await verify()).toMatchObject({
      code: 8,
      stderr: expect.stringMatching(/first release of the chain, but has sequence 2/),
    });
  });
});

function withFirst(manifest: Manifest, change: object): unknown {
  return {
    ...manifest,
    dates: manifest.dates.map((entry, i) => (i === 0 ? { ...entry, ...change } : entry)),
  };
}

function withRevisions(manifest: Manifest, updatedThrough: string): unknown {
  const revisions = Object.entries(manifest.revisions).map(([revision, options]) => [
    revision,
    { ...options, updated_through: updatedThrough },
  ]);
  return { ...manifest, revisions: Object.fromEntries(revisions) };
}
