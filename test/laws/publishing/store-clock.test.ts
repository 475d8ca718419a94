import { createMemoryStore } from '../../support/stores/memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { toInstant } from '../../../schemas/dates.js';
import { preparePlan, type PreparedPlan } from '../../../generator/publish/prepare-plan.js';
import { SILENT } from '../../../generator/run/progress.js';
import { setHold } from '../../support/release/operate.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';

const AS_OF = '2022-01-04T00:02:00Z';
const asOfMs = Date.parse(AS_OF);
const MINUTE_MS = 60_000;
const base = randomSeries({ chain: 'base', seed: 2, days: 3 });
const arbitrum = randomSeries({ chain: 'arbitrum', seed: 1, days: 2 });

/** Returns a store in memory whose own clock shows `nowMs`. */
const storeAt = (nowMs: number): ObjectStore => ({ ...createMemoryStore(), now: () => nowMs });

/** Plans as of `AS_OF`, on a machine whose clock shows `nowMs`. */
function plan(store: ObjectStore, nowMs = asOfMs): Promise<PreparedPlan> {
  return preparePlan({
    store,
    input: { series: [base, arbitrum], faults: [], invalid: [] },
    asOfMs,
    now: () => nowMs,
    existing: false,
    full: false,
    allOrNothing: false,
    requireAll: false,
    progress: SILENT,
  });
}

describe('a store with a clock of its own', () => {
  it('refuses an as-of more than five minutes ahead of it, whatever the machine says', async () => {
    await expect(plan(storeAt(asOfMs - 5 * MINUTE_MS - 1_000))).rejects.toMatchObject({
      exit: 'usage',
      message: `--as-of ${AS_OF} is ahead of the clock of memory:, 2022-01-03T23:56:59Z. Use an earlier instant, or set this machine's clock.`,
    });
    const { plan: planned } = await plan(storeAt(asOfMs), asOfMs - 86_400_000);
    expect(planned.release?.record.published_at).toBe(AS_OF);
  });

  it('refuses a newest date that has not ended by it, and publishes the other chains', async () => {
    const { input, plan: planned } = await plan(storeAt(asOfMs - 3 * MINUTE_MS));
    expect(input.invalid).toEqual(['base']);
    expect(input.faults).toEqual([
      expect.objectContaining({
        chain: 'base',
        message: 'date 2022-01-03 has not ended by the clock of memory:, 2022-01-03T23:59:00Z',
      }),
    ]);
    expect(Object.keys(planned.release?.record.chains ?? {})).toEqual(['arbitrum']);
  });

  it('dates a hold if the machine is ahead of it', async () => {
    const store = storeAt(asOfMs);
    await publishSeries(store, { inputs: [base], asOf: AS_OF });
    const { published_at: publishedAt } = await setHold(store, 'under review', '2022-01-06T00:00:00Z');
    expect(publishedAt).toBe(AS_OF);
  });
});

it('a store without a clock refuses a newest date that has not ended by the clock of the machine', async () => {
  const { input } = await plan(createMemoryStore(), asOfMs - 3 * MINUTE_MS);
  expect(input.faults.map(({ message }) => message)).toEqual([
    `date 2022-01-03 has not ended by this machine's clock, ${toInstant(asOfMs - 3 * MINUTE_MS)}`,
  ]);
  expect((await plan(createMemoryStore())).input.faults).toEqual([]);
});
