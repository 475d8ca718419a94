import { GC_KEY, POINTER_KEY } from '../../../schemas/paths.js';
import { StoreError } from '../../../infra/store/object-store.js';
import { acquireGcLease } from '../../../generator/state/gc-lease.js';
import {
  HEARTBEAT_INTERVAL_MS,
  MIN_GRACE_MS,
  HEARTBEAT_TIMEOUT_MS,
} from '../../../generator/state/gc-policy.js';
import {
  createStoreWithClock,
  expectSound,
  leaveOrphans,
  publishDaily,
  seriesOf,
} from '../../support/stores/store-with-clock.js';
import { runGc } from '../../support/release/operate.js';
import { prepareSeries, publishSeries } from '../../support/release/publish-series.js';
import { interceptStore } from '../../support/stores/intercept-store.js';

const HOUR_MS = 3_600_000;

describe('a publication during garbage collection', () => {
  it('renews an object that is older than half the minimum grace period before it relies on it', async () => {
    const clocked = createStoreWithClock();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    clocked.clock.nowMs += MIN_GRACE_MS;
    await publishSeries(clocked.store, { inputs: [seriesOf(4)], asOf: '2022-01-05T00:00:00Z' });
    for await (const { key, modifiedAtMs } of clocked.store.list('objects/')) {
      const age = clocked.clock.nowMs - modifiedAtMs;
      expect([key, age === 0 || age === MIN_GRACE_MS]).toEqual([key, true]);
    }
    clocked.clock.nowMs += MIN_GRACE_MS;
    expect(await runGc(clocked.store)).toMatchObject({ garbage: { objects: 0 } });
    await expectSound(clocked.store);
  });

  it.each([
    ['a day behind', '2022-01-04T01:00:00Z'],
    ['a day ahead', '2022-01-06T01:00:00Z'],
  ])('renews by the clock of the store when its own clock is %s', async (_name, asOf) => {
    const clocked = createStoreWithClock();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, asOf);
    clocked.clock.nowMs += MIN_GRACE_MS / 2 + 2 * HOUR_MS;
    // The publication takes 23 hours, and garbage collection starts just before its commit.
    const slow = interceptStore(clocked.store, async ({ name, key }, run) => {
      if (name === 'compareAndSwap' && key === POINTER_KEY) {
        clocked.clock.nowMs += MIN_GRACE_MS / 2 - HOUR_MS;
        expect(await runGc(clocked.store)).toMatchObject({ garbage: { objects: 0, releases: 0 } });
      }
      return run();
    });
    await publishSeries(slow, { inputs: [seriesOf(4)], asOf });
    await expectSound(clocked.store);
  });

  it('ends with a conflict during garbage collection, and the next run completes', async () => {
    const clocked = createStoreWithClock();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    clocked.clock.nowMs += MIN_GRACE_MS;
    const lease = await acquireGcLease(clocked.store, () => 0);
    const again = { inputs: [seriesOf(4)], asOf: '2022-01-05T00:00:00Z' };
    await expect(publishSeries(clocked.store, again)).rejects.toMatchObject({ exit: 'conflict' });
    await lease.end();
    await publishSeries(clocked.store, again);
    await expectSound(clocked.store);
  });

  it('ends with a conflict when garbage collection ended while it wrote, because a deletion may be repeated', async () => {
    const clocked = createStoreWithClock();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    clocked.clock.nowMs += 2 * MIN_GRACE_MS;
    // The answer to a deletion is lost. The deletion is sent again after a publication has written the object again.
    let repeat: (() => Promise<void>) | undefined;
    const again = { inputs: [seriesOf(4)], asOf: '2022-01-05T00:00:00Z' };
    const losing = interceptStore(clocked.store, async ({ name, key }, run) => {
      const result = await run();
      if (name === 'delete' && repeat === undefined) {
        repeat = () => clocked.store.delete(key);
        await expect(publishSeries(clocked.store, again)).rejects.toMatchObject({ exit: 'conflict' });
        await repeat();
      }
      return result;
    });
    await runGc(losing);
    expect(repeat).toBeDefined();
    await expectSound(clocked.store);
    await publishSeries(clocked.store, again);
    await expectSound(clocked.store);
  });

  it('is refused for an hour after a deletion failed, because it may still happen', async () => {
    const clocked = createStoreWithClock();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    clocked.clock.nowMs += 2 * MIN_GRACE_MS;
    let deletions = 0;
    let underWay = 0;
    const failing = interceptStore(clocked.store, async ({ name }, run) => {
      if (name !== 'delete') return run();
      deletions += 1;
      if (deletions === 1) throw new StoreError('unavailable', 'the answer did not come');
      underWay += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
      underWay -= 1;
      return run();
    });
    await expect(runGc(failing)).rejects.toThrow(
      /^\d+ objects and \d+ records were deleted, .* Publishing exits 6 for an hour; then run gc again: the answer did not come$/,
    );
    expect([deletions > 1, underWay]).toEqual([true, 0]);
    const again = { inputs: [seriesOf(4)], asOf: '2022-01-05T00:00:00Z' };
    await expect(publishSeries(clocked.store, again)).rejects.toMatchObject({ exit: 'conflict' });
    clocked.clock.nowMs += HEARTBEAT_TIMEOUT_MS + 1;
    await publishSeries(clocked.store, again);
    await expectSound(clocked.store);
  });

  it('ignores a dead garbage collection after an hour', async () => {
    const clocked = createStoreWithClock();
    await publishDaily(clocked, 1);
    await leaveOrphans(clocked, 4, '2022-01-05T00:00:00Z');
    clocked.clock.nowMs += MIN_GRACE_MS;
    await acquireGcLease(clocked.store, () => 0);
    clocked.clock.nowMs += HEARTBEAT_TIMEOUT_MS + 1;
    await publishSeries(clocked.store, { inputs: [seriesOf(4)], asOf: '2022-01-05T00:00:00Z' });
    expect(
      await prepareSeries(clocked.store, { inputs: [seriesOf(4)], asOf: '2022-01-06T00:00:00Z' }),
    ).toBeDefined();
  });
});

describe('the lease of garbage collection', () => {
  it('has one owner at a time', async () => {
    const { store } = createStoreWithClock();
    const first = await acquireGcLease(store, () => 0);
    await expect(acquireGcLease(store, () => 0)).rejects.toMatchObject({ exit: 'conflict' });
    await first.end();
    await acquireGcLease(store, () => 0);
  });

  it('is unique for each garbage collection', async () => {
    const { store } = createStoreWithClock();
    const bodies: string[] = [];
    const recording = interceptStore(store, async ({ name }, run) => {
      const result = await run();
      const lease = await store.get(GC_KEY);
      if (name === 'compareAndSwap') bodies.push(Buffer.from(lease?.bytes ?? []).toString());
      return result;
    });
    for (let i = 0; i < 2; i += 1) {
      const lease = await acquireGcLease(recording, () => 0);
      await lease.end();
      await store.delete(GC_KEY);
    }
    expect(new Set(bodies).size).toBe(4); // each wrote a first and a last heartbeat
  });

  it('is renewed by heartbeats, and lost after a long silence or when another takes over', async () => {
    const { store, clock } = createStoreWithClock();
    let elapsedMs = 0;
    const lease = await acquireGcLease(store, () => elapsedMs);
    const written = (await store.head(GC_KEY))?.etag;
    elapsedMs += HEARTBEAT_INTERVAL_MS - 1;
    await lease.renew();
    expect((await store.head(GC_KEY))?.etag).toBe(written);
    elapsedMs += 1;
    await lease.renew();
    expect((await store.head(GC_KEY))?.etag).not.toBe(written);
    elapsedMs += HEARTBEAT_TIMEOUT_MS;
    await expect(lease.renew()).rejects.toMatchObject({ exit: 'conflict' });
    clock.nowMs += HEARTBEAT_TIMEOUT_MS + HOUR_MS;
    await acquireGcLease(store, () => 0);
    await expect(lease.end()).rejects.toMatchObject({ exit: 'conflict' });
  });
});
