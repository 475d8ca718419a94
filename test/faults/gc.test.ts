import type { ObjectStore } from '../../infra/store/object-store.js';
import { COLLECTION_KEY, objectKey, releaseKey } from '../../schemas/paths.js';
import { collectGarbage } from '../../generator/io/collect-garbage.js';
import { LEAST_GRACE_MS } from '../../generator/io/collection-terms.js';
import { SILENT } from '../../generator/io/progress.js';
import { listedFilesOf, readDayFiles, readReleaseChain } from '../../generator/io/reachable-objects.js';
import { readPointer } from '../../generator/io/published-state.js';
import {
  createClockedStore,
  expectSound,
  leaveOrphans,
  publishDaily,
  seriesOf,
} from '../fixtures/clocked-store.js';
import { collect, rollBack } from '../fixtures/operate.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { watchStore } from '../fixtures/watched-store.js';

const META = { contentType: 'application/json', cacheControl: 'no-cache' };

async function keysOf(store: ObjectStore, prefix = ''): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(prefix)) keys.push(key);
  return keys;
}

describe('a collection', () => {
  it('takes what an interrupted run left, once it is older than the grace, and nothing else', async () => {
    const clocked = createClockedStore();
    await publishDaily(clocked, 1);
    const before = await keysOf(clocked.store);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    const orphans = (await keysOf(clocked.store)).length - before.length;
    expect(orphans).toBeGreaterThan(10);
    clocked.clock.nowMs += LEAST_GRACE_MS;
    expect(await collect(clocked.store)).toMatchObject({ collected: { objects: 0 }, young: orphans });
    clocked.clock.nowMs += 1;
    expect(await collect(clocked.store, false)).toMatchObject({
      outcome: 'dry-run',
      collected: { objects: orphans },
    });
    expect(await keysOf(clocked.store, 'objects/')).toHaveLength(
      before.filter((k) => k.startsWith('objects/')).length + orphans,
    );
    expect(await collect(clocked.store)).toMatchObject({
      outcome: 'collected',
      collected: { objects: orphans },
    });
    expect((await keysOf(clocked.store)).filter((key) => key !== COLLECTION_KEY)).toEqual(before);
  });

  it('takes a record that never was committed, and keeps every record of the chain', async () => {
    const clocked = createClockedStore();
    await publishDaily(clocked, 2);
    const key = releaseKey('2022-01-05.000001', 'a'.repeat(64));
    await clocked.store.putIfAbsent(key, Buffer.from('{}'), META);
    clocked.clock.nowMs += LEAST_GRACE_MS + 1;
    const records = (await keysOf(clocked.store, 'releases/')).filter((each) => each !== key);
    expect(await collect(clocked.store)).toMatchObject({ collected: { objects: 0, releases: 1 } });
    expect(await keysOf(clocked.store, 'releases/')).toEqual(records);
  });

  it('keeps all of the last 30 releases and 30 days, and every day file; of older ones it takes what changed since', async () => {
    const clocked = createClockedStore();
    await publishDaily(clocked, 36);
    const { store } = clocked;
    const pointer = await readPointer(store);
    if (pointer === undefined) throw new Error('nothing was published');
    const chain = await readReleaseChain(store, pointer.value);
    const days = [...(await readDayFiles(store, chain)).keys()];
    clocked.clock.nowMs += LEAST_GRACE_MS + 1;
    const { collected } = await collect(store);
    expect(collected.objects).toBeGreaterThan(50);
    for (const digest of days) expect(await store.head(objectKey(digest))).toBeDefined();
    for (const { record } of chain.slice(0, 30)) {
      for (const { sha256 } of listedFilesOf(record))
        expect(await store.head(objectKey(sha256))).toBeDefined();
    }
    await expectSound(store);
    const oldest = chain.at(-1)?.record.revision ?? '';
    const asOf = '2022-03-01T00:00:00Z';
    await expect(rollBack(store, { to: oldest, reason: 'x', asOf })).rejects.toMatchObject({
      exit: 'usage',
      message: expect.stringContaining('no longer kept in full'),
    });
    await rollBack(store, { to: chain[29]?.record.revision ?? '', reason: 'x', asOf });
    await expectSound(store);
  }, 60_000);

  it('leaves keys alone that are none of ours', async () => {
    const clocked = createClockedStore();
    await publishDaily(clocked, 1);
    const strangers = ['objects/sha256/short', 'objects/notes.txt', 'releases/readme', 'notes/a'];
    for (const key of strangers) await clocked.store.putIfAbsent(key, Buffer.from('x'), META);
    clocked.clock.nowMs += 10 * LEAST_GRACE_MS;
    await collect(clocked.store);
    for (const key of strangers) expect(await clocked.store.head(key)).toBeDefined();
  });

  it('refuses a store that does not verify: what looks like garbage may be what is missed', async () => {
    const clocked = createClockedStore();
    await publishDaily(clocked, 2);
    await leaveOrphans(clocked, 5, '2022-01-06T00:00:00Z');
    const [key = ''] = await keysOf(clocked.store, 'objects/');
    await clocked.store.delete(key);
    clocked.clock.nowMs += LEAST_GRACE_MS + 1;
    const before = await keysOf(clocked.store);
    await expect(collect(clocked.store)).rejects.toMatchObject({ exit: 'damaged' });
    expect(await keysOf(clocked.store)).toEqual(before);
  });

  it('stops when a release is published meanwhile', async () => {
    const clocked = createClockedStore();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    clocked.clock.nowMs += LEAST_GRACE_MS + 1;
    let published = false;
    const watched = watchStore(clocked.store, async ({ name, key }, run) => {
      if (name === 'compareAndSwap' && key === COLLECTION_KEY && !published) {
        published = true;
        await publishSeries(clocked.store, { inputs: [seriesOf(5)], asOf: '2022-01-06T00:00:00Z' });
      }
      return run();
    });
    await expect(collect(watched)).rejects.toMatchObject({ exit: 'conflict' });
    await expectSound(clocked.store);
  });

  it('cannot be interrupted into a store that is not sound, and says what it did', async () => {
    const clocked = createClockedStore();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    clocked.clock.nowMs += LEAST_GRACE_MS + 1;
    const interruption = new AbortController();
    const watched = watchStore(clocked.store, async ({ name }, run) => {
      if (name === 'delete') interruption.abort();
      return run();
    });
    const terms = { apply: true, graceMs: LEAST_GRACE_MS, progress: SILENT, clock: () => 0 };
    const { outcome, collected } = await collectGarbage(watched, { ...terms, signal: interruption.signal });
    expect(outcome).toBe('interrupted');
    expect(collected.objects).toBeGreaterThan(0);
    await expectSound(clocked.store);
    expect(await collect(clocked.store)).toMatchObject({ outcome: 'collected' });
  });
});
