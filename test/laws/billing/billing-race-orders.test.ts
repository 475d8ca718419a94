import type { BillingEvent } from '../../../gateway/core/billing/stripe-events.js';
import { readStoredAccount } from '../../../gateway/io/accounts/update-account.js';
import {
  ACCOUNT,
  buy,
  createReader,
  createScene,
  customerOf,
  deliver,
  readBoth,
  sellBeside,
  step,
  type Scene,
  type StepName,
} from '../../support/stripe/billing-scene.js';
import { expectSame } from '../../support/jest/expect-same.js';
import { createRandom } from '../../support/random/seeded.js';

/** A change of a subscription (the first one unless numbered), a purchase, or the deletion of the customer. */
type Move = StepName | `${StepName} ${1 | 2}` | 'buy' | 'sell beside' | 'delete customer';
/** What happens to the subscriptions of an account. */
type Life = {
  readonly moves: readonly Move[];
  /** Number of delivered events of a purchase, of three. Limits a life to six events, so that every order can be tested. */
  readonly delivered?: number;
};

const LIVES: Readonly<Record<string, Life>> = {
  'is not paid, recovers and is upgraded': { moves: ['buy', 'fail', 'recover', 'upgrade'] },
  'is renewed, upgraded and downgraded': { moves: ['buy', 'renew', 'upgrade', 'downgrade'] },
  'is cancelled at the end, resumed and cancelled': { moves: ['buy', 'cancelAtEnd', 'resume', 'cancel'] },
  'changes its chain and remains unpaid': { moves: ['buy', 'rechain', 'fail', 'giveUp'] },
  'is refunded in part and in full': { moves: ['buy', 'refundPart', 'refund'] },
  'is disputed and won': { moves: ['buy', 'dispute', 'win'] },
  'is disputed and lost': { moves: ['buy', 'dispute', 'lose'] },
  'overlaps with another, and is cancelled': {
    moves: ['buy', 'sell beside', 'fail 1', 'cancel', 'recover 1', 'refund 1'],
    delivered: 1,
  },
  'ends while another begins, which is disputed': {
    moves: ['buy', 'cancelAtEnd', 'sell beside', 'cancel', 'dispute 1', 'win 1'],
    delivered: 1,
  },
  'ends with its customer': { moves: ['buy', 'upgrade', 'fail', 'delete customer'] },
  'ends with its customer, and another is bought': {
    moves: ['buy', 'delete customer', 'buy', 'fail 1'],
    delivered: 2,
  },
};
/** True: each order is tested with each of its events repeated and delayed. False: two of seven orders, with one event. The others only without their last event. */
const ALL_ORDERS = Number(process.env['CRD_SEEDS'] ?? '0') > 1_000;
const LONG_MS = 600_000;
const tally = { lives: 0, orders: 0, arrivals: 0, deliveries: 0, duplicates: 0 };

/** The delivery of the n-th event, `ahead` moves after it happened. */
type Delivery = { readonly nth: number; readonly ahead: number };
type Happened = BillingEvent & { readonly move: number };

/** Makes the next move of a life and returns its events that are delivered. */
async function makeMove(scene: Scene, { moves, delivered = 3 }: Life, at: number): Promise<Happened[]> {
  const { billing } = scene;
  const before = billing.events.length;
  const [what, which = '0'] = (moves[at] ?? '').split(/ (?=\d)/) as [Move, string?];
  if (what === 'buy') await buy(scene);
  else if (what === 'sell beside') await sellBeside(scene);
  else if (what === 'delete customer') billing.deleteCustomer(await customerOf(scene));
  else expectSame(step(scene, what as StepName, billing.subscriptions()[Number(which)]?.id ?? ''), true);
  return billing.events.slice(before, before + delivered).map((event) => ({ ...event, move: at }));
}

/** Makes the moves of a life, delivers its events in this order, and checks access after each delivery. */
async function live(life: Life, arrivals: readonly Delivery[]): Promise<void> {
  const scene = createScene();
  const reader = await createReader(scene);
  expectSame((await readStoredAccount(scene.store, ACCOUNT))?.value.billing, undefined); // nothing is left of the previous order
  const happened: Happened[] = [];
  let moveCount = 0;
  const advance = async (): Promise<void> =>
    void happened.push(...(await makeMove(scene, life, moveCount++)));
  for (const { nth, ahead } of arrivals) {
    while (happened[nth] === undefined) await advance();
    for (let more = 0; more < ahead && moveCount < life.moves.length; more += 1) await advance();
    await arrive(scene, happened[nth]);
    expectSame(await reader.findFaults(nth), []);
    scene.clock.nowMs += 1_000;
  }
  while (moveCount < life.moves.length) await advance();
  await scene.service.sync(ACCOUNT);
  const [recorded, expected] = await readBoth(scene);
  expectSame(recorded, expected);
  await reader.findFaults(0); // notes the final grants: access that they end may be served for 30 s from now on
  scene.clock.nowMs += 30_000;
  expectSame(await reader.findFaults(), []);
  tally.arrivals += 1;
}

/** Delivers an event. If it is the first delivery, the account then has the access that Stripe's state grants. */
async function arrive(scene: Scene, event: Happened): Promise<void> {
  const account = (await readStoredAccount(scene.store, ACCOUNT))?.value;
  const isDuplicate = account?.billing?.events.includes(event.id) === true;
  const isGone = event.customer !== null && event.customer !== account?.billing?.customer; // deleted, and replaced by another customer
  const outcome = await deliver(scene.service, scene.billing, event);
  expectSame(outcome, isGone ? 'customer-unknown' : isDuplicate ? 'duplicate' : 'taken');
  if (outcome === 'taken') {
    const [recorded, expected] = await readBoth(scene);
    expectSame(recorded, expected);
  } else {
    expectSame((await readStoredAccount(scene.store, ACCOUNT))?.value, account);
  }
  tally.deliveries += 1;
  tally.duplicates += isDuplicate ? 1 : 0;
}

function permute(items: readonly number[]): number[][] {
  if (items.length < 2) return [[...items]];
  return items.flatMap((item) =>
    permute(items.filter((each) => each !== item)).map((rest) => [item, ...rest]),
  );
}

/** Returns the number of delivered events of a life. */
async function countEvents(life: Life): Promise<number> {
  const scene = createScene();
  let count = 0;
  for (const at of life.moves.keys()) count += (await makeMove(scene, life, at)).length;
  return count;
}

/** Returns the orders of a test with their numbers: all, or two of each seven. */
function drawOrders(orders: readonly number[][]): [number, number[]][] {
  return [...orders.entries()].filter(([i]) => ALL_ORDERS || i % 7 < 2);
}

const inOrder = (order: readonly number[]): Delivery[] => order.map((nth) => ({ nth, ahead: 0 }));

afterAll(() => {
  const { lives, orders, arrivals, deliveries, duplicates } = tally;
  process.stdout.write(
    `billing: ${lives} lives, ${orders} orders, ${arrivals} arrivals, ${deliveries} deliveries, ${duplicates} of them repeated\n`,
  );
});

describe.each(Object.entries(LIVES))('a subscription that %s', (_what, life) => {
  let orders: number[][] = [];
  let random = createRandom(0);
  beforeAll(async () => {
    const events = await countEvents(life);
    expect(events).toBeGreaterThanOrEqual(5);
    expect(events).toBeLessThanOrEqual(6);
    orders = permute([...Array(events).keys()]);
    tally.lives += 1;
    tally.orders += orders.length;
    random = createRandom(life.moves.length);
  });

  it(
    'matches Stripe after each event, in every order',
    async () => {
      for (const order of orders) await live(life, inOrder(order));
    },
    LONG_MS,
  );

  it(
    'does so when any one event is lost',
    async () => {
      for (const [, order] of drawOrders(orders)) await live(life, inOrder(order.slice(1)));
    },
    LONG_MS,
  );

  it(
    'does so when any one event is repeated later',
    async () => {
      for (const [i, order] of drawOrders(orders)) {
        for (const at of order.keys()) {
          if (!ALL_ORDERS && i % order.length !== at) continue;
          const place = at + 2 + Math.floor(random() * (order.length - at - 1));
          const again = order[at] ?? 0;
          await live(life, inOrder([...order.slice(0, place), again, ...order.slice(place)]));
        }
      }
    },
    LONG_MS,
  );

  it(
    'does so when any one event is delayed until more has happened',
    async () => {
      for (const [i, order] of drawOrders(orders)) {
        for (const at of order.keys()) {
          if (!ALL_ORDERS && (i + 3) % order.length !== at) continue;
          const ahead = 1 + Math.floor(random() * 2);
          await live(
            life,
            inOrder(order).map((each, n) => (n === at ? { ...each, ahead } : each)),
          );
        }
      }
    },
    LONG_MS,
  );
});
