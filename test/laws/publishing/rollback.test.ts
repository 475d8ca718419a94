import { createMemoryStore } from '../../support/stores/memory-store.js';
import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';
import {
  calendarPath,
  objectKey,
  publicKey,
  PUBLIC_PATHS,
  regimesPath,
  summaryPath,
} from '../../../schemas/paths.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import { readArtifactJson } from '../../../generator/state/stored-json.js';
import { rollBack, setHold } from '../../support/release/operate.js';
import { readCurrent, readManifests, versionAt } from '../../support/release/read-release.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { beginSeries, editSeries, randomSeries } from '../../support/release/random-series.js';
import { createRandom } from '../../support/random/seeded.js';
import { interceptStore } from '../../support/stores/intercept-store.js';
import { expectSound } from '../../support/stores/store-with-clock.js';

const series = (days: number): InputSeries => randomSeries({ chain: 'arbitrum', seed: 1, days });
const base = randomSeries({ chain: 'base', seed: 2, days: 3 });
/** An input of ten dates with a wrong value. */
const wrong = editSeries(series(10), 'tx_count', series(10).dates[4] ?? '', 7);
const at = (minute: number): string =>
  new Date(Date.UTC(2022, 1, 1, 0, minute)).toISOString().replace('.000', '');
const acceptance = { reason: 'upstream said so' };

/** Returns a store with two releases: nine dates, then ten with a wrong value. */
async function publishWrongValue(): Promise<{ store: ObjectStore; good: ReleaseRecord; bad: ReleaseRecord }> {
  const store = createMemoryStore();
  await publishSeries(store, { inputs: [series(9)], asOf: at(1) });
  const good = await readCurrent(store);
  await publishSeries(store, { inputs: [wrong], asOf: at(2), acceptance });
  return { store, good, bad: await readCurrent(store) };
}

/** Returns what the manifests of a release say about each date: a digest or `withdrawn`. */
async function readVersions(store: ObjectStore, record: ReleaseRecord): Promise<Map<string, string>> {
  const versions = new Map<string, string>();
  for (const [name, { dates }] of await readManifests(store, record)) {
    for (const entry of dates) {
      versions.set(`${name} ${entry.date}`, entry.status === 'withdrawn' ? 'withdrawn' : entry.sha256);
    }
  }
  return versions;
}

describe('a rollback', () => {
  it('restores the bytes of the older release, and withdraws the dates that it lacks', async () => {
    const { store, good } = await publishWrongValue();
    const record = await rollBack(store, { to: good.revision, reason: 'a bad day', asOf: at(3) });
    const before = await readVersions(store, good);
    for (const [name, version] of await readVersions(store, record))
      expect(version).toBe(before.get(name) ?? 'withdrawn');
    expect(record.chains).toEqual(good.chains);
    await expectSound(store);
  });

  it('is a new release that names its reason, its target and its changes', async () => {
    const { store, good, bad } = await publishWrongValue();
    const { sequence, previous, hold, changes } = await rollBack(store, {
      to: good.revision,
      reason: 'a bad day',
      asOf: at(3),
    });
    expect({ sequence, hold }).toEqual({ sequence: 3, hold: 'a bad day' });
    expect(previous?.revision).toBe(bad.revision);
    expect(changes).toMatchObject({ reason: 'a bad day', rollback: good.revision });
    expect(changes.chains.arbitrum).toMatchObject({
      new: null,
      withdrawn: { days: 1, first_date: series(10).dates[9] },
      restated: { first_date: series(10).dates[4] },
    });
  });

  it('restores calendar and bundles of the older release, except members that name the release', async () => {
    const { store, good } = await publishWrongValue();
    const record = await rollBack(store, { to: good.revision, reason: 'a bad day', asOf: at(3) });
    const path = calendarPath('arbitrum');
    expect(record.public[path]?.sha256).toBe(good.public[path]?.sha256);
    for (const [bundle, { sha256 }] of Object.entries(record.bundles)) {
      const restored = await readArtifactJson(store, sha256, 'bundle');
      const older = await readArtifactJson(store, good.bundles[bundle]?.sha256 ?? '', 'bundle');
      expect(restored).toEqual({ ...older, published_revision: record.revision });
    }
  });

  it('restores the statistics of the labels, except for the release that they name', async () => {
    const { store, good, bad } = await publishWrongValue();
    const record = await rollBack(store, { to: good.revision, reason: 'a bad day', asOf: at(3) });
    const path = regimesPath('arbitrum');
    const [older, newer, restored] = await Promise.all(
      [good, bad, record].map(({ public: files }) =>
        readArtifactJson(store, files[path]?.sha256 ?? '', 'regimes'),
      ),
    );
    expect(newer).toMatchObject({ updated_through: series(10).dates[9] });
    expect(restored).toEqual({ ...older, published_revision: record.revision });
  });

  it('restores the status of dates whose metrics did not change', async () => {
    const store = createMemoryStore();
    const long = randomSeries({ chain: 'arbitrum', seed: 3, days: 130 });
    const later = (minute: number): string => at(130 * 24 * 60 + minute);
    await publishSeries(store, { inputs: [beginSeries(long, long.dates[40] ?? '')], asOf: later(1) });
    const { revision } = await readCurrent(store);
    await publishSeries(store, { inputs: [long], asOf: later(2), acceptance });
    await rollBack(store, { to: revision, reason: 'too few days', asOf: later(3) });
    await expectSound(store);
  });

  it('keeps every version of every date readable', async () => {
    const { store, good, bad } = await publishWrongValue();
    const back = await rollBack(store, { to: good.revision, reason: 'a bad day', asOf: at(3) });
    const forward = await rollBack(store, { to: bad.revision, reason: 'it was right', asOf: at(4) });
    const again = await rollBack(store, { to: back.revision, reason: 'no', asOf: at(5) });
    await expectHistory(store, [good, bad, back, forward, again]);
    await expectSound(store);
  });

  it('removes a chain that the older release lacks, with its public copies', async () => {
    const store = createMemoryStore();
    await publishSeries(store, { inputs: [series(9)], asOf: at(1) });
    const { revision } = await readCurrent(store);
    await publishSeries(store, { inputs: [series(9), base], asOf: at(2) });
    const key = publicKey(summaryPath('base'));
    expect(await store.head(key)).toBeDefined();
    const record = await rollBack(store, { to: revision, reason: 'not yet', asOf: at(3) });
    expect([record.chains.base, await store.head(key)]).toEqual([undefined, undefined]);
    const status = await readArtifactJson(store, record.public[PUBLIC_PATHS.status]?.sha256 ?? '', 'status');
    expect(Object.keys(status.chains)).toEqual(['arbitrum']);
    await expectSound(store);
    await setHold(store, null, at(4));
    await expect(publishSeries(store, { inputs: [series(9), base], asOf: at(5) })).resolves.toMatchObject({
      chains: { base: { outcome: 'refused', restated: 3 } },
    });
    await publishSeries(store, { inputs: [series(9), base], asOf: at(6), acceptance });
    expect(await store.head(key)).toBeDefined();
    await expectSound(store);
  });

  it('sets a hold; after unhold, withdrawn dates need an accepted restatement', async () => {
    const { store, good } = await publishWrongValue();
    await rollBack(store, { to: good.revision, reason: 'a bad day', asOf: at(3) });
    const publish = (minute: number) => publishSeries(store, { inputs: [series(10)], asOf: at(minute) });
    await expect(publish(4)).rejects.toMatchObject({
      exit: 'held',
      message: expect.stringContaining('a bad day'),
    });
    await setHold(store, null, at(5));
    await expect(publish(6)).resolves.toMatchObject({
      chains: { arbitrum: { outcome: 'refused', restated: 1 } },
    });
    await publishSeries(store, { inputs: [series(10)], asOf: at(7), acceptance });
    await expectSound(store);
    const restated = await publishSeries(store, { inputs: [wrong], asOf: at(8) });
    expect(restated.chains.arbitrum).toMatchObject({ outcome: 'refused' });
  });

  it('finds the input of the older release unchanged after unhold', async () => {
    const { store, good } = await publishWrongValue();
    await rollBack(store, { to: good.revision, reason: 'a bad day', asOf: at(3) });
    await setHold(store, null, at(4));
    const report = await publishSeries(store, { inputs: [series(9)], asOf: at(5) });
    expect(report.outcome).toBe('unchanged');
  });

  it('reports an unavailable store and damage as different errors', async () => {
    const { store, good } = await publishWrongValue();
    const current = await readCurrent(store);
    const listed = new Set(Object.values(current.manifests).map(({ sha256 }) => objectKey(sha256)));
    const old = Object.values(good.manifests).map(({ sha256 }) => objectKey(sha256));
    const [key = ''] = old.filter((each) => !listed.has(each));
    const roll = (from: ObjectStore) => rollBack(from, { to: good.revision, reason: 'x', asOf: at(3) });
    const silent = interceptStore(store, (operation, run) =>
      operation.key === key ? Promise.reject(new StoreError('unavailable', 'no answer')) : run(),
    );
    await expect(roll(silent)).rejects.toThrow(/^no answer$/);
    await store.delete(key);
    await expect(roll(store)).rejects.toMatchObject({ exit: 'damaged', fault: { key } });
  });

  it.each(['2022-02-01.000009', '2020-01-01.000001'])('refuses the unknown revision %s', async (to) => {
    const { store } = await publishWrongValue();
    const rolling = rollBack(store, { to, reason: 'x', asOf: at(3) });
    await expect(rolling).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining('2022-02-01.000001'),
    });
  });

  it('refuses the current release', async () => {
    const { store, bad } = await publishWrongValue();
    await expect(rollBack(store, { to: bad.revision, reason: 'x', asOf: at(3) })).rejects.toMatchObject({
      exit: 'usage',
    });
  });

  it('is dated like the current release if the as-of is before it', async () => {
    const { store, good, bad } = await publishWrongValue();
    const record = await rollBack(store, { to: good.revision, reason: 'x', asOf: at(1) });
    expect([record.sequence, record.published_at]).toEqual([3, bad.published_at]);
    expect(record.revision > bad.revision).toBe(true);
    await expectSound(store);
  });
});

describe('hold and unhold', () => {
  it('publish a release that changes only the hold', async () => {
    const { store, bad } = await publishWrongValue();
    const held = await setHold(store, 'under review', at(3));
    expect([held.hold, held.sequence]).toEqual(['under review', 3]);
    expect([held.bundles, held.manifests, held.chains]).toEqual([bad.bundles, bad.manifests, bad.chains]);
    await expectSound(store);
    const free = await setHold(store, null, at(4));
    expect([free.hold, free.sequence]).toEqual([null, 4]);
  });

  it('change nothing when the hold is the same', async () => {
    const { store } = await publishWrongValue();
    expect((await setHold(store, null, at(3))).sequence).toBe(2);
    await setHold(store, 'under review', at(3));
    expect((await setHold(store, 'under review', at(4))).sequence).toBe(3);
    expect((await setHold(store, 'for another reason', at(5))).sequence).toBe(4);
  });
});

it('keeps the version of every revision through any sequence of publications and rollbacks', async () => {
  for (let seed = 1; seed <= 12; seed += 1) {
    const random = createRandom(seed);
    const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T; // never empty
    const store = createMemoryStore();
    const records: ReleaseRecord[] = [];
    for (let step = 1; step <= 8; step += 1) {
      const asOf = at(step);
      if (records.length > 1 && random() < 0.4) {
        const { revision } = pick(records.slice(0, -1));
        records.push(await rollBack(store, { to: revision, reason: `seed ${seed}`, asOf }));
        records.push(await setHold(store, null, asOf));
        continue;
      }
      const days = 8 + Math.floor(random() * 4);
      const value = Math.floor(random() * 3) + 1;
      const edited = editSeries(series(days), 'tx_count', pick(series(8).dates), value);
      const inputs = random() < 0.5 ? [edited, base] : [edited];
      await publishSeries(store, { inputs, asOf, acceptance });
      const current = await readCurrent(store);
      if (current.revision !== records.at(-1)?.revision) records.push(current);
    }
    await expectSound(store);
    await expectHistory(store, records);
  }
}, 120_000);

/** Asserts that each listed date has, as of each release, the version that the release had. */
async function expectHistory(store: ObjectStore, records: readonly ReleaseRecord[]): Promise<void> {
  const manifests = await readManifests(store, await readCurrent(store));
  for (const record of records) {
    const versions = await readVersions(store, record);
    for (const [name, { dates }] of manifests) {
      for (const entry of dates) {
        const expected = versions.get(`${name} ${entry.date}`);
        expect(versionAt(entry, record.revision)).toBe(expected);
      }
    }
  }
}
