import fc from 'fast-check';
import type { BillingEvent } from '../../gateway/core/billing/stripe-events.js';
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
} from '../fixtures/billing-scene.js';

const SECOND = 1_000;
const DAY = 86_400_000;
const LIVES = Number(process.env['CRD_SEEDS'] ?? '40');

const name = fc.constantFrom(...(Object.keys(STEPS) as StepName[]));
const nth = fc.nat(50);
const pause = fc.constantFrom(1, 14, 25, 29, 30, 31, 3_600, 86_400, 4 * 86_400, 31 * 86_400, 33 * 86_400);
/** Something that happens at Stripe. */
const happening = fc.oneof(
  { weight: 10, arbitrary: fc.record({ kind: fc.constant('step' as const), name, nth }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constantFrom('buy' as const, 'beside' as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('delete' as const) }) },
);
type Happening = typeof happening extends fc.Arbitrary<infer H> ? H : never;

/** What comes of a happening: a purchase at the gateway is refused to whoever has one. */
async function happen(all: Scene, what: Happening): Promise<void> {
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

/** Delivers an event, and judges what came of it by what was known: it is right at once, or it changed nothing. */
async function deliverAndJudge(all: Scene, event: BillingEvent, known: Set<string>): Promise<void> {
  const [before] = await readBoth(all);
  const customer = await customerOf(all);
  const outcome = await deliver(all.desk, all.billing, event);
  const [had, due] = await readBoth(all);
  const whose = event.customer ?? (await all.billing.readChargeCustomer(event.charge ?? ''));
  const isTold = whose === customer && (event.customer !== null || !all.made.gone.has(whose)); // a charge names no account
  if (isTold) expect(outcome).toBe(known.has(event.id) ? 'duplicate' : 'taken');
  else expect(outcome).toBe('customer-unknown'); // of one that was deleted
  expect(had).toEqual(outcome === 'taken' ? due : before);
  if (outcome === 'taken') known.add(event.id);
}

/** How the events of a life arrive: an order, one of them twice, one never. */
const arrival = fc.record({
  order: fc.array(fc.nat(1_000), { minLength: 24, maxLength: 24 }),
  lost: fc.nat(24),
  twice: fc.nat(24),
});

it('in whatever order events come, one lost and one doubled, each leaves what Stripe says', async () => {
  const tally = { lives: 0, gave: 0, overlapped: 0, deleted: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(happening, fc.nat(20)), { minLength: 1, maxLength: 6 }),
      arrival,
      async (life, { order, lost, twice }) => {
        const all = createScene();
        await buy(all);
        for (const [what, days] of life) {
          all.scene.nowMs += days * DAY;
          await happen(all, what);
        }
        const { desk, billing, made } = all;
        const at = billing.events.map((_, i) => order[i % order.length] ?? 0);
        const kept = [...billing.events.keys()].filter((i) => i !== lost % billing.events.length);
        const again = kept[twice % kept.length] ?? 0; // comes again at a place of its own
        const arrivals = [...kept.map((i) => [i, at[i]]), [again, order[twice % order.length]]];
        arrivals.sort(([, one = 0], [, other = 0]) => one - other);
        const known = new Set<string>();
        for (const [i = 0] of arrivals) await deliverAndJudge(all, billing.events[i] as BillingEvent, known);
        await desk.sync(ACCOUNT);
        const [had, due] = await readBoth(all);
        expect(had).toEqual(due);
        tally.lives += 1;
        tally.gave += Math.min(due.length, 1);
        tally.overlapped += due.length > 1 ? 1 : 0;
        tally.deleted += Math.min(made.gone.size, 1);
      },
    ),
    { numRuns: LIVES * 2, seed: 11 },
  );
  expect(tally.gave).toBeGreaterThan(tally.lives / 10);
  expect(tally.gave).toBeLessThan(tally.lives);
  expect(tally.overlapped).toBeGreaterThan(0);
  expect(tally.deleted).toBeGreaterThan(0);
});

/** What happens, and what is heard of it, in one line of time. */
const move = fc.oneof(
  { weight: 4, arbitrary: happening },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('event' as const), nth }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('sync' as const) }) },
);

it('while things happen between events, a file is given with the first of them, and never later than 30 s after its end', async () => {
  const tally = { asked: 0, given: 0, ended: 0 };
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
            await deliverAndJudge(
              all,
              all.billing.events[what.nth % all.billing.events.length] as BillingEvent,
              known,
            );
          } else if (what.kind === 'sync') {
            await all.desk.sync(ACCOUNT);
            const [had, due] = await readBoth(all);
            expect(had).toEqual(due);
          } else {
            await happen(all, what);
            if (what.kind !== 'buy') expect((await readBoth(all))[0]).toEqual(before); // nothing was heard of it yet
          }
          const asked = which > 2 ? undefined : which; // one alone may be given by what was read before
          expect(await reader.judge(asked)).toEqual([]);
          all.scene.nowMs += seconds * SECOND;
          expect(await reader.judge(asked)).toEqual([]);
          all.scene.nowMs += SECOND;
          tally.asked += 1;
          tally.given += (await readGrants(all)).length > 0 ? 1 : 0;
          tally.ended += (await readGrants(all)).some(({ untilMs }) => untilMs <= all.scene.nowMs) ? 1 : 0;
        }
      },
    ),
    { numRuns: LIVES, seed: 12 },
  );
  expect(tally.given).toBeGreaterThan(tally.asked / 5);
  expect(tally.ended).toBeGreaterThan(10);
});

it('two subscriptions that overlap each keep what they give, whatever happens to the other', async () => {
  const all = createScene();
  const first = await buy(all);
  const second = await sellBeside(all);
  const known = new Set<string>();
  for (const event of [...all.billing.events]) await deliverAndJudge(all, event, known);
  expect(await readBoth(all)).toMatchObject([{ length: 2 }, { length: 2 }]);
  step(all, 'dispute', second);
  await deliverAndJudge(all, all.billing.events.at(-1) as BillingEvent, known);
  expect(await readGrants(all)).toMatchObject([{ plan: 'single-chain', chain: 'base' }]);
  step(all, 'win', second);
  step(all, 'cancel', first);
  await deliverAndJudge(all, all.billing.events.at(-1) as BillingEvent, known);
  expect(await readGrants(all)).toMatchObject([{ plan: 'research', chain: null }]);
});

it('with a customer that was deleted all is over, also by late events of it, and what is bought anew is given', async () => {
  const all = createScene();
  const reader = await createReader(all);
  await buy(all);
  const known = new Set<string>();
  const [first, ...late] = [...all.billing.events] as [BillingEvent, ...BillingEvent[]];
  await deliverAndJudge(all, first, known);
  all.billing.deleteCustomer(await customerOf(all));
  await deliverAndJudge(all, all.billing.events.at(-1) as BillingEvent, known);
  expect(await readGrants(all)).toEqual([]);
  const heard = all.billing.events.length;
  await buy(all);
  expect(all.made.customers.size).toBe(2);
  for (const event of late) await deliverAndJudge(all, event, known);
  expect(await readGrants(all)).toEqual([]);
  await deliverAndJudge(all, all.billing.events[heard] as BillingEvent, known);
  for (const event of late) await deliverAndJudge(all, event, known);
  expect(await readGrants(all)).toMatchObject([{ plan: 'single-chain', chain: 'base' }]);
  expect(await reader.judge()).toEqual([]);
});
