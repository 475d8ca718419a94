import type { ObjectStore } from '../../../infra/store/object-store.js';
import { bundlePath, manifestPath, objectKey, PUBLIC_PATHS, releaseKey } from '../../../schemas/paths.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import { SILENT } from '../../../generator/run/progress.js';
import { readArtifactJson } from '../../../generator/state/stored-json.js';
import { readPointer } from '../../../generator/state/published-state.js';
import { repairStore } from '../../../generator/upkeep/repair/repair-store.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { rollBack, setHold } from '../../support/release/operate.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { editSeries, randomSeries } from '../../support/release/random-series.js';
import { readCurrent, readManifests } from '../../support/release/read-release.js';
import { differingKeys, snapshotStore } from '../../support/stores/store-snapshot.js';
import { expectSound } from '../../support/stores/store-with-clock.js';

const arbitrum = (days: number): InputSeries => randomSeries({ chain: 'arbitrum', seed: 1, days });
const base = (days: number): InputSeries => randomSeries({ chain: 'base', seed: 2, days });
const at = (minute: number): string =>
  new Date(Date.UTC(2022, 1, 1, 0, minute)).toISOString().replace('.000', '');
const { signal } = new AbortController();
const inputs = [arbitrum(10), base(10)];

/** Returns a store with two releases: nine dates of two chains, then ten. */
async function publishTwice(): Promise<{ store: ObjectStore; good: ReleaseRecord; bad: ReleaseRecord }> {
  const store = createMemoryStore();
  await publishSeries(store, { inputs: [arbitrum(9), base(9)], asOf: at(1) });
  const good = await readCurrent(store);
  await publishSeries(store, { inputs, asOf: at(2) });
  return { store, good, bad: await readCurrent(store) };
}

/** Returns the entries of a section of a record that belong to a chain. */
function entriesOf(section: Readonly<Record<string, unknown>>, chain: string): unknown {
  return Object.entries(section).filter(([path]) => path.includes(`/${chain}`));
}

const rollBackArbitrum = (store: ObjectStore, { revision }: ReleaseRecord): Promise<ReleaseRecord> =>
  rollBack(store, { to: revision, reason: 'a bad day of arbitrum', chains: ['arbitrum'], asOf: at(3) });

describe('a rollback of one chain', () => {
  it('leaves the files of the other chain as they are, and holds only its chain', async () => {
    const { store, good, bad } = await publishTwice();
    const record = await rollBackArbitrum(store, good);
    expect([record.hold, record.holds]).toEqual([null, { arbitrum: 'a bad day of arbitrum' }]);
    expect(record.chains).toEqual({ arbitrum: good.chains.arbitrum, base: bad.chains.base });
    for (const section of ['public', 'bundles', 'manifests'] as const)
      expect(entriesOf(record[section], 'base')).toEqual(entriesOf(bad[section], 'base'));
    expect(Object.keys(record.changes.chains)).toEqual(['arbitrum']);
    await expectSound(store);
  });

  it('writes its reason only into the manifests of its chain', async () => {
    const { store, good } = await publishTwice();
    for (const [name, manifest] of await readManifests(store, await rollBackArbitrum(store, good))) {
      const isConcerned = manifest.chain === 'arbitrum';
      expect({ name, told: JSON.stringify(manifest).includes('a bad day of arbitrum') }).toEqual({
        name,
        told: isConcerned,
      });
    }
  });

  it('shows the hold in the public status', async () => {
    const { store, good } = await publishTwice();
    const { public: files } = await rollBackArbitrum(store, good);
    const status = await readArtifactJson(store, files[PUBLIC_PATHS.status]?.sha256 ?? '', 'status');
    expect(status).toMatchObject({ hold: null, holds: { arbitrum: 'a bad day of arbitrum' } });
  });

  it('refuses a chain that the store does not have', async () => {
    const { store, good } = await publishTwice();
    const choice = { to: good.revision, reason: 'x', chains: ['bitcoin'], asOf: at(3) } as const;
    await expect(rollBack(store, choice)).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining('has no days of bitcoin'),
    });
  });

  it('to before its first release is undone by the digest of the plan, which is refused with any other input', async () => {
    const store = createMemoryStore();
    await publishSeries(store, { inputs: [base(9)], asOf: at(1) });
    const { revision } = await readCurrent(store);
    await publishSeries(store, { inputs: [base(9), arbitrum(9)], asOf: at(2) });
    await rollBack(store, { to: revision, reason: 'not yet', chains: ['arbitrum'], asOf: at(3) });
    await setHold(store, null, at(4), ['arbitrum']);
    const publish = (series: InputSeries, planDigest?: string) =>
      publishSeries(store, {
        inputs: [base(9), series],
        asOf: at(5),
        ...(planDigest === undefined ? {} : { acceptance: { reason: 'it was right', planDigest } }),
      });
    const { plan_digest: digest } = await publish(arbitrum(9));
    expect(digest).toMatch(/^[0-9a-f]{64}$/);
    const edited = editSeries(arbitrum(9), 'tx_count', arbitrum(9).dates[4] ?? '', 7);
    expect((await publish(edited, digest ?? '')).chains.arbitrum).toMatchObject({
      outcome: 'refused',
      refusal: { kind: 'plan-mismatch' },
    });
    expect((await publish(arbitrum(9), digest ?? '')).chains.arbitrum).toMatchObject({
      outcome: 'published',
      restated: 9,
    });
    await expectSound(store);
  });

  it('can be repaired: its lost files, and its lost record', async () => {
    const { store, good } = await publishTwice();
    const record = await rollBackArbitrum(store, good);
    const { value: pointer } = (await readPointer(store)) ?? {};
    await setHold(store, null, at(4), ['arbitrum']);
    const before = await snapshotStore(store);
    const lost = [
      record.bundles[bundlePath('meta', 'arbitrum', '7d')]?.sha256,
      record.manifests[manifestPath('gold', 'arbitrum')]?.sha256,
      record.public[PUBLIC_PATHS.status]?.sha256,
    ].map((sha256) => objectKey(sha256 ?? ''));
    for (const key of [...lost, releaseKey(record.revision, pointer?.sha256 ?? '')]) await store.delete(key);
    expect((await repairStore(store, { inputs, progress: SILENT, signal })).faults).toEqual([]);
    expect(differingKeys(before, await snapshotStore(store))).toEqual([]);
  });
});

describe('a chain on hold', () => {
  it('keeps its state while the others publish, and continues after unhold', async () => {
    const { store, bad } = await publishTwice();
    await setHold(store, 'under review', at(3), ['arbitrum']);
    const later = [arbitrum(11), base(11)];
    const report = await publishSeries(store, { inputs: later, asOf: at(4) });
    expect(report.chains).toMatchObject({
      arbitrum: { outcome: 'held', hold: 'under review', new: 0 },
      base: { outcome: 'published', new: 1 },
    });
    const held = await readCurrent(store);
    expect([held.holds, held.chains.arbitrum]).toEqual([{ arbitrum: 'under review' }, bad.chains.arbitrum]);
    expect(entriesOf(held.bundles, 'arbitrum')).toEqual(entriesOf(bad.bundles, 'arbitrum'));
    await expectSound(store);

    const free = await setHold(store, null, at(5), ['arbitrum']);
    expect(free).not.toHaveProperty('holds');
    const { chains } = await publishSeries(store, { inputs: later, asOf: at(6) });
    expect(chains).toMatchObject({ arbitrum: { outcome: 'published', new: 1 } });
    await expectSound(store);
  });

  it('leaves no trace in the record of a hold of the whole store', async () => {
    const { store } = await publishTwice();
    expect(await setHold(store, 'under review', at(3))).not.toHaveProperty('holds');
  });
});
