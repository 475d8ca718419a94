import fc from 'fast-check';
import type { BillingEvent } from '../../../../gateway/core/billing/stripe-events.js';
import {
  ACCOUNT,
  buy,
  createReader,
  createScene,
  customerOf,
  deliver,
  readBoth,
  readGrants,
  sellBeside,
  step,
  STEPS,
  type Scene,
  type StepName,
} from '../../../support/stripe/billing-scene.js';

const SECOND = 1_000;
const DAY = 86_400_000;
const LIVES = Number(process.env['CRD_SEEDS'] ?? '40');

const name = fc.constantFrom(...(Object.keys(STEPS) as StepName[]));
const nth = fc.nat(50);
const pause = fc.constantFrom(1, 14, 25, 29, 30, 31, 3_600, 86_400, 4 * 86_400, 31 * 86_400, 33 * 86_400);
/** A change at Stripe. */
const change = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('step' as const), name, nth }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('buy' as const, 'beside' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const) }) },
);
type Change = typeof change extends fc.Arbitrary<infer H> ? H : never;

/** Makes a change. A purchase at the gateway is refused if the account has a subscription. */
async function makeChange(all: Scene, what: Change): Promise<void> {
  const { billing, made } = all;
  const ids = billing.subscriptions().map(({ id }) => id);
  if (what.kind === 'step') step(all, what.name, ids[what.nth % ids.length] ?? '');
  if (what.kind === 'buy') await buyOrBeRefused(all);
  const customer = await customerOf(all);
  if (made.gone.has(customer)) return;
  if (what.kind === 'beside') await sellBeside(all);
  if (what.kind === 'delete') billing.deleteCustomer(customer);
}

async function buyOrBeRefused(all: Scene): Promise<void> {
  const owing = all.billing
    .subscriptions()
    .filter(({ customer, status }) => !all.made.gone.has(customer) && status !== 'canceled');
  const outcome = await buy(all).catch((error: unknown) => error);
  if (owing.length === 0) expect(typeof outcome).toBe('string');
  else expect(outcome).toMatchObject({ code: 'already-subscribed' });
}

/** Delivers an event and checks the outcome: the record then matches Stripe, or it is unchanged. */
async function deliverAndCheck(all: Scene, event: BillingEvent, known: Set<string>): Promise<void> {
  const [before] = await readBoth(all);
  const customer = await customerOf(all);
  const outcome = await deliver(all.service, all.billing, event);
  const [recorded, expected] = await readBoth(all);
  const whose = event.customer ?? (await all.billing.readChargeCustomer(event.charge ?? ''));
  const isKnownCustomer = whose === customer && (event.customer !== null || !all.made.gone.has(whose)); // a charge does not name its account
  if (isKnownCustomer) expect(outcome).toBe(known.has(event.id) ? 'duplicate' : 'taken');
  else expect(outcome).toBe('customer-unknown'); // of a deleted customer
  expect(recorded).toEqual(outcome === 'taken' ? expected : before);
  if (outcome === 'taken') known.add(event.id);
}

/** Arrival of events: their order, one that arrives twice, and one that is lost. */
const arrival = fc.record({
  order: fc.array(fc.nat(1_000), { minLength: 24, maxLength: 24 }),
  lost: fc.nat(24),
  twice: fc.nat(24),
});

it('matches Stripe after each event, in any order of events, with one lost and one repeated', async () => {
  const tally = { lives: 0, granted: 0, overlapped: 0, deleted: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(change, fc.nat(20)), { minLength: 1, maxLength: 6 }),
      arrival,
      async (life, { order, lost, twice }) => {
        const all = createScene();
        await buy(all);
        for (const [what, days] of life) {
          all.scene.nowMs += days * DAY;
          await makeChange(all, what);
        }
        const { service, billing, made } = all;
        const at = billing.events.map((_, i) => order[i % order.length] ?? 0);
        const kept = [...billing.events.keys()].filter((i) => i !== lost % billing.events.length);
        const again = kept[twice % kept.length] ?? 0; // arrives again at another place
        const arrivals = [...kept.map((i) => [i, at[i]]), [again, order[twice % order.length]]];
        arrivals.sort(([, one = 0], [, other = 0]) => one - other);
        const known = new Set<string>();
        for (const [i = 0] of arrivals) await deliverAndCheck(all, billing.events[i] as BillingEvent, known);
        await service.sync(ACCOUNT);
        const [recorded, expected] = await readBoth(all);
        expect(recorded).toEqual(expected);
        tally.lives += 1;
        tally.granted += Math.min(expected.length, 1);
        tally.overlapped += expected.length > 1 ? 1 : 0;
        tally.deleted += Math.min(made.gone.size, 1);
      },
    ),
    { numRuns: LIVES * 2, seed: 11 },
  );
  expect(tally.granted).toBeGreaterThan(tally.lives / 10);
  expect(tally.granted).toBeLessThan(tally.lives);
  expect(tally.overlapped).toBeGreaterThan(0);
  expect(tally.deleted).toBeGreaterThan(0);
});

/** Changes at Stripe, deliveries of events, and syncs, in one sequence. */
const move = fc.oneof(
  { weight: 4, arbitrary: change },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('event' as const), nth }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sync' as const) }) },
);

it('serves files from the first event after a purchase, and never later than 30 s after access ends', async () => {
  const tally = { requests: 0, withAccess: 0, ended: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(move, pause, fc.nat(5)), { minLength: 4, maxLength: 16 }),
      async (moves) => {
        const all = createScene();
        const reader = await createReader(all);
        await buy(all);
        const known = new Set<string>();
        for (const [what, seconds, which] of moves) {
          const [before] = await readBoth(all);
          if (what.kind === 'event') {
            await deliverAndCheck(
              all,
              all.billing.events[what.nth % all.billing.events.length] as BillingEvent,
              known,
            );
          } else if (what.kind === 'sync') {
            await all.service.sync(ACCOUNT);
            const [recorded, expected] = await readBoth(all);
            expect(recorded).toEqual(expected);
          } else {
            await makeChange(all, what);
            if (what.kind !== 'buy') expect((await readBoth(all))[0]).toEqual(before); // the gateway does not know of it yet
          }
          const nthFile = which > 2 ? undefined : which; // a request for one file may be answered from the cache
          expect(await reader.findFaults(nthFile)).toEqual([]);
          all.scene.nowMs += seconds * SECOND;
          expect(await reader.findFaults(nthFile)).toEqual([]);
          all.scene.nowMs += SECOND;
          tally.requests += 1;
          tally.withAccess += (await readGrants(all)).length > 0 ? 1 : 0;
          tally.ended += (await readGrants(all)).some(({ untilMs }) => untilMs <= all.scene.nowMs) ? 1 : 0;
        }
      },
    ),
    { numRuns: LIVES, seed: 12 },
  );
  expect(tally.withAccess).toBeGreaterThan(tally.requests / 5);
  expect(tally.ended).toBeGreaterThan(10);
});

it('keeps the access of each of two subscriptions, regardless of what happens to the other', async () => {
  const all = createScene();
  const first = await buy(all);
  const second = await sellBeside(all);
  const known = new Set<string>();
  for (const event of [...all.billing.events]) await deliverAndCheck(all, event, known);
  expect(await readBoth(all)).toMatchObject([{ length: 2 }, { length: 2 }]);
  step(all, 'dispute', second);
  await deliverAndCheck(all, all.billing.events.at(-1) as BillingEvent, known);
  expect(await readGrants(all)).toMatchObject([{ plan: 'single-chain', chain: 'base' }]);
  step(all, 'win', second);
  step(all, 'cancel', first);
  await deliverAndCheck(all, all.billing.events.at(-1) as BillingEvent, known);
  expect(await readGrants(all)).toMatchObject([{ plan: 'research', chain: null }]);
});

it('ends access when the customer is deleted, also with late events, and grants a new purchase', async () => {
  const all = createScene();
  const reader = await createReader(all);
  await buy(all);
  const known = new Set<string>();
  const [first, ...late] = [...all.billing.events] as [BillingEvent, ...BillingEvent[]];
  await deliverAndCheck(all, first, known);
  all.billing.deleteCustomer(await customerOf(all));
  await deliverAndCheck(all, all.billing.events.at(-1) as BillingEvent, known);
  expect(await readGrants(all)).toEqual([]);
  const newEvent = all.billing.events.length;
  await buy(all);
  expect(all.made.customers.size).toBe(2);
  for (const event of late) await deliverAndCheck(all, event, known);
  expect(await readGrants(all)).toEqual([]);
  await deliverAndCheck(all, all.billing.events[newEvent] as BillingEvent, known);
  for (const event of late) await deliverAndCheck(all, event, known);
  expect(await readGrants(all)).toMatchObject([{ plan: 'single-chain', chain: 'base' }]);
  expect(await reader.findFaults()).toEqual([]);
});
