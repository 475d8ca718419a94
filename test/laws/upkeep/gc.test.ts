import type { ObjectStore } from '../../../infra/store/object-store.js';
import { GC_KEY, objectKey, releaseKey } from '../../../schemas/paths.js';
import { gcStore } from '../../../generator/upkeep/gc-store.js';
import { MIN_GRACE_MS } from '../../../generator/state/gc-policy.js';
import { SILENT } from '../../../generator/run/progress.js';
import {
  listedFilesOf,
  readDayFiles,
  readPointer,
  readReleases,
} from '../../../generator/state/published-state.js';
import {
  createStoreWithClock,
  expectSound,
  leaveOrphans,
  publishDaily,
  seriesOf,
} from '../../support/stores/store-with-clock.js';
import { runGc, rollBack } from '../../support/release/operate.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { interceptStore } from '../../support/stores/intercept-store.js';

const META = { contentType: 'application/json', cacheControl: 'no-cache' };

async function keysOf(store: ObjectStore, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}

describe('garbage collection', () => {
  it('deletes the orphans of an interrupted run after the grace period, and nothing else', async () => {
    const clocked = createStoreWithClock();
    await publishDaily(clocked, 1);
    const before = await keysOf(clocked.store);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    const orphans = (await keysOf(clocked.store)).length - before.length;
    expect(orphans).toBeGreaterThan(10);
    clocked.clock.nowMs += MIN_GRACE_MS;
    expect(await runGc(clocked.store)).toMatchObject({ garbage: { objects: 0 }, young: orphans });
    clocked.clock.nowMs += 1;
    expect(await runGc(clocked.store, false)).toMatchObject({
      outcome: 'dry-run',
      garbage: { objects: orphans },
    });
    expect(await keysOf(clocked.store, 'objects/')).toHaveLength(
      before.filter((k) => k.startsWith('objects/')).length + orphans,
    );
    expect(await runGc(clocked.store)).toMatchObject({
      outcome: 'deleted',
      garbage: { objects: orphans },
    });
    expect((await keysOf(clocked.store)).filter((key) => key !== GC_KEY)).toEqual(before);
  });

  it('deletes a record that was never committed, and keeps all committed records', async () => {
    const clocked = createStoreWithClock();
    await publishDaily(clocked, 2);
    const key = releaseKey('2022-01-05.000001', 'a'.repeat(64));
    await clocked.store.putIfAbsent(key, Buffer.from('{}'), META);
    clocked.clock.nowMs += MIN_GRACE_MS + 1;
    const records = (await keysOf(clocked.store, 'releases/')).filter((each) => each !== key);
    expect(await runGc(clocked.store)).toMatchObject({ garbage: { objects: 0, releases: 1 } });
    expect(await keysOf(clocked.store, 'releases/')).toEqual(records);
  });

  it('keeps every day file and everything of the last 30 releases and 30 days, and deletes outdated files of older releases', async () => {
    const clocked = createStoreWithClock();
    await publishDaily(clocked, 36);
    const { store } = clocked;
    const pointer = await readPointer(store);
    if (pointer === undefined) throw new Error('nothing was published');
    const releases = await readReleases(store, pointer.value);
    const days = [...(await readDayFiles(store, releases)).keys()];
    clocked.clock.nowMs += MIN_GRACE_MS + 1;
    const { garbage } = await runGc(store);
    expect(garbage.objects).toBeGreaterThan(50);
    for (const digest of days) expect(await store.head(objectKey(digest))).toBeDefined();
    for (const { record } of releases.slice(0, 30)) {
      for (const { sha256 } of listedFilesOf(record))
        expect(await store.head(objectKey(sha256))).toBeDefined();
    }
    await expectSound(store);
    const oldest = releases.at(-1)?.record.revision ?? '';
    const asOf = '2022-03-01T00:00:00Z';
    await expect(rollBack(store, { to: oldest, reason: 'x', asOf })).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining('no longer kept in full'),
    });
    await rollBack(store, { to: releases[29]?.record.revision ?? '', reason: 'x', asOf });
    await expectSound(store);
  }, 300_000);

  it('keeps keys that the generator did not write', async () => {
    const clocked = createStoreWithClock();
    await publishDaily(clocked, 1);
    const foreign = ['objects/sha256/short', 'objects/notes.txt', 'releases/readme', 'notes/a'];
    for (const key of foreign) await clocked.store.putIfAbsent(key, Buffer.from('x'), META);
    clocked.clock.nowMs += 10 * MIN_GRACE_MS;
    await runGc(clocked.store);
    for (const key of foreign) expect(await clocked.store.head(key)).toBeDefined();
  });

  it('refuses a store that does not verify, because apparent garbage may be needed', async () => {
    const clocked = createStoreWithClock();
    await publishDaily(clocked, 2);
    await leaveOrphans(clocked, 5, '2022-01-06T00:00:00Z');
    const [key = ''] = await keysOf(clocked.store, 'objects/');
    await clocked.store.delete(key);
    clocked.clock.nowMs += MIN_GRACE_MS + 1;
    const before = await keysOf(clocked.store);
    await expect(runGc(clocked.store)).rejects.toMatchObject({ exit: 'damaged' });
    expect(await keysOf(clocked.store)).toEqual(before);
  });

  it('stops when a release is published in the meantime', async () => {
    const clocked = createStoreWithClock();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    clocked.clock.nowMs += MIN_GRACE_MS + 1;
    let published = false;
    const watched = interceptStore(clocked.store, async ({ name, key }, run) => {
      if (name === 'compareAndSwap' && key === GC_KEY && !published) {
        published = true;
        await publishSeries(clocked.store, { inputs: [seriesOf(5)], asOf: '2022-01-06T00:00:00Z' });
      }
      return run();
    });
    await expect(runGc(watched)).rejects.toMatchObject({ exit: 'conflict' });
    await expectSound(clocked.store);
  });

  it('leaves a sound store when it is interrupted, and reports what it deleted', async () => {
    const clocked = createStoreWithClock();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    clocked.clock.nowMs += MIN_GRACE_MS + 1;
    const interruption = new AbortController();
    const watched = interceptStore(clocked.store, async ({ name }, run) => {
      if (name === 'delete') interruption.abort();
      return run();
    });
    const options = { apply: true, graceMs: MIN_GRACE_MS, progress: SILENT, clock: () => 0 };
    const { outcome, garbage } = await gcStore(watched, { ...options, signal: interruption.signal });
    expect(outcome).toBe('interrupted');
    expect(garbage.objects).toBeGreaterThan(0);
    await expectSound(clocked.store);
    expect(await runGc(clocked.store)).toMatchObject({ outcome: 'deleted' });
  });
});
