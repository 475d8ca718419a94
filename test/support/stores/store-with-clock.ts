import { createMemoryStore } from './memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { addDays } from '../../../schemas/dates.js';
import { RELEASES_PREFIX } from '../../../schemas/paths.js';
import type { InputSeries } from '../../../generator/core/input/input-series.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { publishSeries } from '../release/publish-series.js';
import { randomSeries } from '../release/random-series.js';
import { interceptStore } from './intercept-store.js';
import { StoppedError } from './stopping-store.js';

/** The first instant of the clock. */
const FIRST_AS_OF = '2022-01-04T00:00:00Z';

/** A store with a clock that the test moves. */
export type StoreWithClock = { readonly store: ObjectStore; readonly clock: { nowMs: number } };

/** Creates an empty store. */
export function createStoreWithClock(): StoreWithClock {
  const clock = { nowMs: Date.parse(FIRST_AS_OF) };
  return { clock, store: createMemoryStore(() => clock.nowMs) };
}

/** Returns a simulated history with this number of dates. */
export function seriesOf(days: number): InputSeries {
  return randomSeries({ chain: 'arbitrum', seed: 1, days });
}

/** Publishes once a day for this number of days: three dates first, then one more each day. */
export async function publishDaily({ store, clock }: StoreWithClock, days: number): Promise<void> {
  for (let day = 0; day < days; day += 1) {
    const asOf = `${addDays(FIRST_AS_OF.slice(0, 10), day)}T00:00:00Z`;
    clock.nowMs = Date.parse(asOf);
    await publishSeries(store, { inputs: [seriesOf(3 + day)], asOf });
  }
}

/** Publishes, but stops before the record is written, which leaves orphaned artifacts. */
export async function leaveOrphans({ store }: StoreWithClock, days: number, asOf: string): Promise<void> {
  let stopped = false;
  const stopping = interceptStore(store, async ({ name, key }, run) => {
    stopped ||= name === 'putIfAbsent' && key.startsWith(RELEASES_PREFIX);
    if (stopped) throw new StoppedError();
    return run();
  });
  const publishing = publishSeries(stopping, { inputs: [seriesOf(days)], asOf });
  await expect(publishing).rejects.toBeInstanceOf(StoppedError);
}

/** Asserts that the releases in the store verify. */
export async function expectSound(store: ObjectStore): Promise<void> {
  expect((await verifyStore(store, { deep: true })).faults).toEqual([]);
}
