import { COLLECTION_KEY, POINTER_KEY } from '../../schemas/paths.js';
import { StoreError } from '../../infra/store/object-store.js';
import { announceCollection } from '../../generator/io/collection-mark.js';
import { BEAT_MS, LEAST_GRACE_MS, SILENCE_MS } from '../../generator/io/collection-terms.js';
import {
  createClockedStore,
  expectSound,
  leaveOrphans,
  publishDaily,
  seriesOf,
} from '../fixtures/clocked-store.js';
import { collect } from '../fixtures/operate.js';
import { prepareSeries, publishSeries } from '../fixtures/publish-series.js';
import { watchStore } from '../fixtures/watched-store.js';

const HOUR_MS = 3_600_000;

describe('a publication beside a collection', () => {
  it('renews an object that is older than half of the least grace, and then relies on it', async () => {
    const clocked = createClockedStore();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    clocked.clock.nowMs += LEAST_GRACE_MS;
    await publishSeries(clocked.store, { inputs: [seriesOf(4)], asOf: '2022-01-05T00:00:00Z' });
    for await (const { key, modifiedAtMs } of clocked.store.list('objects/')) {
      const age = clocked.clock.nowMs - modifiedAtMs;
      expect([key, age === 0 || age === LEAST_GRACE_MS]).toEqual([key, true]);
    }
    clocked.clock.nowMs += LEAST_GRACE_MS;
    expect(await collect(clocked.store)).toMatchObject({ collected: { objects: 0 } });
    await expectSound(clocked.store);
  });

  it.each([
    ['a day behind', '2022-01-04T01:00:00Z'],
    ['a day ahead', '2022-01-06T01:00:00Z'],
  ])('renews by the clock of the store, whatever its own says: %s', async (_name, asOf) => {
    const clocked = createClockedStore();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, asOf);
    clocked.clock.nowMs += LEAST_GRACE_MS / 2 + 2 * HOUR_MS;
    // The publication takes 23 hours, and just before its commit a collector comes along.
    const slow = watchStore(clocked.store, async ({ name, key }, run) => {
      if (name === 'compareAndSwap' && key === POINTER_KEY) {
        clocked.clock.nowMs += LEAST_GRACE_MS / 2 - HOUR_MS;
        expect(await collect(clocked.store)).toMatchObject({ collected: { objects: 0, releases: 0 } });
      }
      return run();
    });
    await publishSeries(slow, { inputs: [seriesOf(4)], asOf });
    await expectSound(clocked.store);
  });

  it('gives way while a collection is at work, and the next run completes', async () => {
    const clocked = createClockedStore();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    clocked.clock.nowMs += LEAST_GRACE_MS;
    const mark = await announceCollection(clocked.store, () => 0);
    const again = { inputs: [seriesOf(4)], asOf: '2022-01-05T00:00:00Z' };
    await expect(publishSeries(clocked.store, again)).rejects.toMatchObject({ exit: 'conflict' });
    await mark.release();
    await publishSeries(clocked.store, again);
    await expectSound(clocked.store);
  });

  it('gives way when a collection began before it and ended while it wrote: a deletion may have been repeated', async () => {
    const clocked = createClockedStore();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    clocked.clock.nowMs += 2 * LEAST_GRACE_MS;
    // The answer to a deletion is lost; it is sent again after a publication has put the object there anew.
    let repeat: (() => Promise<void>) | undefined;
    const again = { inputs: [seriesOf(4)], asOf: '2022-01-05T00:00:00Z' };
    const losing = watchStore(clocked.store, async ({ name, key }, run) => {
      const result = await run();
      if (name === 'delete' && repeat === undefined) {
        repeat = () => clocked.store.delete(key);
        await expect(publishSeries(clocked.store, again)).rejects.toMatchObject({ exit: 'conflict' });
        await repeat();
      }
      return result;
    });
    await collect(losing);
    expect(repeat).toBeDefined();
    await expectSound(clocked.store);
    await publishSeries(clocked.store, again);
    await expectSound(clocked.store);
  });

  it('is refused for an hour after a deletion failed, for it may yet be done', async () => {
    const clocked = createClockedStore();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    clocked.clock.nowMs += 2 * LEAST_GRACE_MS;
    let deletions = 0;
    let underWay = 0;
    const failing = watchStore(clocked.store, async ({ name }, run) => {
      if (name !== 'delete') return run();
      deletions += 1;
      if (deletions === 1) throw new StoreError('unavailable', 'the answer did not come');
      underWay += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      underWay -= 1;
      return run();
    });
    await expect(collect(failing)).rejects.toThrow(
      /^\d+ objects and \d+ records were deleted, .* publications exit 6 for an hour: the answer did not come$/,
    );
    expect([deletions > 1, underWay]).toEqual([true, 0]);
    const again = { inputs: [seriesOf(4)], asOf: '2022-01-05T00:00:00Z' };
    await expect(publishSeries(clocked.store, again)).rejects.toMatchObject({ exit: 'conflict' });
    clocked.clock.nowMs += SILENCE_MS + 1;
    await publishSeries(clocked.store, again);
    await expectSound(clocked.store);
  });

  it('forgets a collector that died after an hour', async () => {
    const clocked = createClockedStore();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    clocked.clock.nowMs += LEAST_GRACE_MS;
    await announceCollection(clocked.store, () => 0);
    clocked.clock.nowMs += SILENCE_MS + 1;
    await publishSeries(clocked.store, { inputs: [seriesOf(4)], asOf: '2022-01-05T00:00:00Z' });
    expect(
      await prepareSeries(clocked.store, { inputs: [seriesOf(4)], asOf: '2022-01-06T00:00:00Z' }),
    ).toBeDefined();
  });
});

describe('the mark of a collection', () => {
  it('lets one collector at a time work', async () => {
    const { store } = createClockedStore();
    const first = await announceCollection(store, () => 0);
    await expect(announceCollection(store, () => 0)).rejects.toMatchObject({ exit: 'conflict' });
    await first.release();
    await announceCollection(store, () => 0);
  });

  it('is of its own collector: that of another is never taken for one that was written before', async () => {
    const { store } = createClockedStore();
    const bodies: string[] = [];
    const noting = watchStore(store, async ({ name }, run) => {
      const result = await run();
      const mark = await store.get(COLLECTION_KEY);
      if (name === 'compareAndSwap') bodies.push(Buffer.from(mark?.bytes ?? []).toString());
      return result;
    });
    for (let i = 0; i < 2; i += 1) {
      const mark = await announceCollection(noting, () => 0);
      await mark.release();
      await store.delete(COLLECTION_KEY);
    }
    expect(new Set(bodies).size).toBe(4); // both began with the first beat, and ended with the second
  });

  it('is renewed while the collector works, and lost when it was silent for long or another took over', async () => {
    const { store, clock } = createClockedStore();
    let elapsedMs = 0;
    const mark = await announceCollection(store, () => elapsedMs);
    const written = (await store.head(COLLECTION_KEY))?.etag;
    elapsedMs += BEAT_MS - 1;
    await mark.beat();
    expect((await store.head(COLLECTION_KEY))?.etag).toBe(written);
    elapsedMs += 1;
    await mark.beat();
    expect((await store.head(COLLECTION_KEY))?.etag).not.toBe(written);
    elapsedMs += SILENCE_MS;
    await expect(mark.beat()).rejects.toMatchObject({ exit: 'conflict' });
    clock.nowMs += SILENCE_MS + HOUR_MS;
    await announceCollection(store, () => 0);
    await expect(mark.release()).rejects.toMatchObject({ exit: 'conflict' });
  });
});
