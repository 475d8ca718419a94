import type { BillingEvent } from '../../gateway/core/billing/stripe-events.js';
import { readStoredAccount } from '../../gateway/io/update-account.js';
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
} from '../fixtures/billing-scene.js';
import { createRandom } from '../fixtures/seeded.js';

/** What happens next: a step of the first subscription or of a later one, a purchase, or the customer's end. */
type Move = StepName | `${StepName} ${1 | 2}` | 'buy' | 'sell beside' | 'delete customer';
type Life = {
  readonly moves: readonly Move[];
  /** Of the three events of a purchase, how many are told: so that a life has six at most. */
  readonly told?: number;
};

const LIVES: Readonly<Record<string, Life>> = {
  'is not paid, recovers and is upgraded': { moves: ['buy', 'fail', 'recover', 'upgrade'] },
  'is renewed, upgraded and downgraded': { moves: ['buy', 'renew', 'upgrade', 'downgrade'] },
  'is to end, goes on and is cancelled': { moves: ['buy', 'cancelAtEnd', 'resume', 'cancel'] },
  'changes its chain and is given up': { moves: ['buy', 'rechain', 'fail', 'giveUp'] },
  'is refunded in part and in full': { moves: ['buy', 'refundPart', 'refund'] },
  'is disputed and won': { moves: ['buy', 'dispute', 'win'] },
  'is disputed and lost': { moves: ['buy', 'dispute', 'lose'] },
  'overlaps with another, and is cancelled': {
    moves: ['buy', 'sell beside', 'fail 1', 'cancel', 'recover 1', 'refund 1'],
    told: 1,
  },
  'ends while another begins, which is disputed': {
    moves: ['buy', 'cancelAtEnd', 'sell beside', 'cancel', 'dispute 1', 'win 1'],
    told: 1,
  },
  'goes with its customer': { moves: ['buy', 'upgrade', 'fail', 'delete customer'] },
  'goes with its customer, and another is bought': {
    moves: ['buy', 'delete customer', 'buy', 'fail 1'],
    told: 2,
  },
};
/** Whether each order is put to the test with each of its events doubled, and with each delayed; else with one of them. */
const ALL = Number(process.env['CRD_SEEDS'] ?? '0') > 1_000;
const LONG_MS = 600_000;
const tally = { lives: 0, orders: 0, arrivals: 0, deliveries: 0, duplicates: 0 };

/** The delivery of the n-th event, once it has happened, and `ahead` moves more. */
type Delivery = { readonly nth: number; readonly ahead: number };
type Happened = BillingEvent & { readonly move: number };

/** Makes the next move of a life; resolves the events of it that are told. */
async function makeMove(all: Scene, { moves, told = 3 }: Life, at: number): Promise<Happened[]> {
  const { billing } = all;
  const before = billing.events.length;
  const [what, which = '0'] = (moves[at] ?? '').split(/ (?=\d)/) as [Move, string?];
  if (what === 'buy') await buy(all);
  else if (what === 'sell beside') await sellBeside(all);
  else if (what === 'delete customer') billing.deleteCustomer(await customerOf(all));
  else expect(step(all, what as StepName, billing.subscriptions()[Number(which)]?.id ?? '')).toBe(true);
  return billing.events.slice(before, before + told).map((event) => ({ ...event, move: at }));
}

/** Runs a life whose events arrive like this, each after what it is about, and judges after each. */
async function live(life: Life, arrivals: readonly Delivery[]): Promise<void> {
  const all = createScene();
  const reader = await createReader(all);
  expect((await readStoredAccount(all.store, ACCOUNT))?.value.billing).toBe(undefined); // nothing is left of the last order
  const told: Happened[] = [];
  let made = 0;
  const advance = async (): Promise<void> => void told.push(...(await makeMove(all, life, made++)));
  for (const { nth, ahead } of arrivals) {
    while (told[nth] === undefined) await advance();
    for (let more = 0; more < ahead && made < life.moves.length; more += 1) await advance();
    await arrive(all, told[nth]);
    expect(await reader.judge(nth)).toEqual([]);
    all.scene.nowMs += 1_000;
  }
  while (made < life.moves.length) await advance();
  await all.desk.sync(ACCOUNT);
  const [had, due] = await readBoth(all);
  expect(had).toEqual(due);
  await reader.judge(0);
  all.scene.nowMs += 30_000;
  expect(await reader.judge()).toEqual([]);
  tally.arrivals += 1;
}

/** Delivers an event: what the account may read is right from then on, if it was not delivered before. */
async function arrive(all: Scene, event: Happened): Promise<void> {
  const account = (await readStoredAccount(all.store, ACCOUNT))?.value;
  const isDuplicate = account?.billing?.events.includes(event.id) === true;
  const isGone = event.customer !== null && event.customer !== account?.billing?.customer; // deleted, and another took its place
  const outcome = await deliver(all.desk, all.billing, event);
  expect(outcome).toBe(isGone ? 'customer-unknown' : isDuplicate ? 'duplicate' : 'taken');
  if (outcome === 'taken') {
    const [had, due] = await readBoth(all);
    expect(had).toEqual(due);
  } else {
    expect((await readStoredAccount(all.store, ACCOUNT))?.value).toEqual(account);
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

/** How many events a life tells. */
async function countEvents(life: Life): Promise<number> {
  const all = createScene();
  let count = 0;
  for (const at of life.moves.keys()) count += (await makeMove(all, life, at)).length;
  return count;
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
    'gives what Stripe says after each event, in every order of them',
    async () => {
      for (const order of orders) await live(life, inOrder(order));
    },
    LONG_MS,
  );

  it(
    'gives it with any one of them lost',
    async () => {
      for (const order of orders) {
        await live(life, inOrder(order.slice(1))); // the first of it comes never
      }
    },
    LONG_MS,
  );

  it(
    'gives it with any one of them doubled, far from where it came first',
    async () => {
      for (const [i, order] of orders.entries()) {
        for (const at of order.keys()) {
          if (!ALL && i % order.length !== at) continue;
          const place = at + 2 + Math.floor(random() * (order.length - at - 1));
          const again = order[at] ?? 0;
          await live(life, inOrder([...order.slice(0, place), again, ...order.slice(place)]));
        }
      }
    },
    LONG_MS,
  );

  it(
    'gives it with any one of them delayed until more has happened',
    async () => {
      for (const [i, order] of orders.entries()) {
        for (const at of order.keys()) {
          if (!ALL && (i + 3) % order.length !== at) continue;
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
