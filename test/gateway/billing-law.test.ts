import fc from 'fast-check';
import { grantsOf } from '../../gateway/core/account.js';
import type { BillingEvent } from '../../gateway/core/billing/stripe-events.js';
import { isActive } from '../../gateway/core/entitlements.js';
import { readStoredAccount } from '../../gateway/io/update-account.js';
import {
  ACCOUNT,
  buy,
  createScene,
  deliver,
  lifeOf,
  readBoth,
  STEPS,
  type Scene,
  type StepName,
} from '../fixtures/billing-scene.js';

const DAY = 86_400_000;
const LIVES = Number(process.env['CRD_SEEDS'] ?? '40');

const step = fc.constantFrom(...(Object.keys(STEPS) as StepName[]));
/** How the events of a life arrive: an order, some of them twice, some never. */
const arrival = fc.record({
  order: fc.array(fc.nat(1_000), { minLength: 12, maxLength: 12 }),
  lost: fc.nat(12),
  twice: fc.nat(12),
});

it('in whatever order events come, one lost and one doubled, the last one leaves what Stripe says', async () => {
  const tally = { lives: 0, events: 0, gave: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(fc.nat(1), step, fc.nat(20)), { minLength: 1, maxLength: 6 }),
      arrival,
      async (steps, { order, lost, twice }) => {
        const all = createScene();
        const { scene, billing, desk } = all;
        const ids = [await buy(all)];
        billing.change(ids[0] ?? '', 'customer.subscription.updated', {});
        for (const [which, name, days] of steps) {
          scene.nowMs += days * DAY;
          STEPS[name](lifeOf(billing, ids[which % ids.length] ?? ''));
        }
        const events = billing.events.map((event, i) => ({ event, at: order[i % order.length] ?? 0 }));
        const kept = events.filter((_, i) => i !== lost % events.length);
        const doubled = [...kept, ...kept.slice(twice % kept.length, (twice % kept.length) + 1)];
        for (const { event } of doubled.sort((one, other) => one.at - other.at)) {
          await deliver(desk, billing, event);
          const [had, due] = await readBoth(all); // what is read is always the final state: every event makes it right
          expect(had).toEqual(due);
          tally.events += 1;
        }
        tally.lives += 1;
        tally.gave += (await readBoth(all))[1].length > 0 ? 1 : 0;
      },
    ),
    { numRuns: LIVES * 2 },
  );
  expect(tally.gave).toBeGreaterThan(tally.lives / 10);
  expect(tally.gave).toBeLessThan(tally.lives);
});

it('while things happen between events, nobody reads beyond the end of a grant, and an event makes it right', async () => {
  const move = fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('step' as const), name: step, which: fc.nat(1) }) },
    { weight: 4, arbitrary: fc.record({ kind: fc.constant('event' as const), nth: fc.nat(50) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('sync' as const) }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), days: fc.nat(40) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(move, { minLength: 3, maxLength: 14 }), async (moves) => {
      const all = createScene();
      const { scene, store, billing, desk } = all;
      const ids = [await buy(all)];
      for (const each of moves) {
        if (each.kind === 'wait') scene.nowMs += each.days * DAY;
        if (each.kind === 'step') STEPS[each.name](lifeOf(billing, ids[each.which % ids.length] ?? ''));
        if (each.kind === 'sync') await desk.sync(ACCOUNT);
        if (each.kind === 'event') {
          const event = billing.events[each.nth % billing.events.length];
          if (event !== undefined) await deliver(desk, billing, event);
        }
        const isFresh = each.kind === 'sync';
        const [had, due] = await readBoth(all);
        if (isFresh) expect(had).toEqual(due);
        const account = (await readStoredAccount(store, ACCOUNT))?.value;
        for (const grant of account === undefined ? [] : grantsOf(account)) {
          expect(isActive(grant, grant.untilMs)).toBe(false); // it ends by itself, whatever comes
          expect(grant.untilMs).toBeLessThan(scene.nowMs + 400 * DAY);
        }
      }
      await desk.sync(ACCOUNT);
      const [had, due] = await readBoth(all);
      expect(had).toEqual(due);
    }),
    { numRuns: LIVES },
  );
});

it('two subscriptions of one account that overlap each keep what they give, whatever happens to the other', async () => {
  const all = createScene();
  const { billing, desk } = all;
  const first = await buy(all);
  billing.change(first, 'customer.subscription.deleted', { status: 'canceled' });
  const second = await buy(all);
  billing.change(first, 'customer.subscription.updated', { status: 'active' }); // bought in another way meanwhile
  for (const event of billing.events) await deliver(desk, billing, event);
  billing.change(second, 'customer.subscription.deleted', { status: 'canceled' });
  await deliver(desk, billing, billing.events.at(-1) as BillingEvent);
  const [had, due] = await readBoth(all);
  expect([had, had.length]).toEqual([due, 1]);
});

it('all orders of the six events of a life end alike', async () => {
  const permute = <T>(items: readonly T[]): T[][] =>
    items.length < 2
      ? [[...items]]
      : items.flatMap((item, i) => permute(items.filter((_, at) => at !== i)).map((rest) => [item, ...rest]));
  const all = createScene();
  const { billing } = all;
  const life = lifeOf(billing, await buy(all));
  STEPS.fail(life);
  STEPS.recover(life);
  STEPS.upgrade(life);
  const events = billing.events.slice(0, 6);
  expect(events).toHaveLength(6);
  const before = (await all.store.get(await onlyKey(all)))?.bytes ?? new Uint8Array();
  for (const order of permute(events)) {
    const found = await all.store.get(await onlyKey(all));
    await all.store.compareAndSwap(await onlyKey(all), before, found?.etag ?? null, META);
    for (const event of order) await deliver(all.desk, billing, event);
    const [had, due] = await readBoth(all);
    expect(had).toEqual(due);
  }
});

const META = { contentType: 'application/json', cacheControl: 'no-store' };

async function onlyKey({ store }: Scene): Promise<string> {
  for await (const { key } of store.list('accounts/')) return key;
  throw new Error('there is an account');
}
