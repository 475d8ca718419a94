import { GatewayError } from '../../gateway/core/problems.js';
import type { Purchase } from '../../gateway/core/billing/checkout-request.js';
import type { BillingPort } from '../../gateway/io/billing/billing-port.js';
import { readStoredAccount } from '../../gateway/io/update-account.js';
import {
  ACCOUNT,
  buy,
  createReader,
  createScene,
  customerOf,
  deliver,
  FILES,
  readGrants,
  watchBilling,
  type Scene,
} from '../fixtures/billing-scene.js';
import { createStoppingStore, StoppedError } from '../fixtures/watched-store.js';

const SINGLE: Purchase = { plan: 'single-chain', chain: 'base' };
const RESEARCH: Purchase = { plan: 'research', chain: null };

/** What the account has when it asks for Research. */
const BEFORE: Readonly<Record<string, (all: Scene) => Promise<unknown>>> = {
  'no customer': () => Promise.resolve(),
  'an open session for the same': ({ desk }) => desk.openCheckout(ACCOUNT, RESEARCH),
  'an open session for something else': ({ desk }) => desk.openCheckout(ACCOUNT, SINGLE),
  async 'a session that has expired'({ desk, billing }) {
    billing.expire((await desk.openCheckout(ACCOUNT, RESEARCH)).id);
  },
  async 'a subscription that is over'(all) {
    all.billing.change(await buy(all), 'customer.subscription.deleted', { status: 'canceled' });
  },
  async 'a customer that was deleted'(all) {
    await buyAndHear(all);
    all.billing.deleteCustomer(await customerOf(all)); // and nobody heard of it
  },
  async 'a customer that was deleted with its session open'(all) {
    await all.desk.openCheckout(ACCOUNT, RESEARCH);
    all.billing.deleteCustomer(await customerOf(all));
  },
};

async function buyAndHear(all: Scene): Promise<void> {
  await buy(all);
  for (const event of all.billing.events) await deliver(all.desk, all.billing, event);
  expect(await readGrants(all)).toHaveLength(1);
}

/** The sessions in which something can be bought by now. */
async function listOpen({ billing, made }: Scene): Promise<string[]> {
  const open: string[] = [];
  for (const [id, customer] of made.sessions) {
    if (!made.gone.has(customer) && (await billing.readCheckout(id)).state === 'open') open.push(id);
  }
  return open;
}

/** Something that goes wrong at the n-th call; `hasHappened` says whether there were so many. */
type Disturbance = {
  readonly desk: (
    all: Scene,
    at: number,
  ) => { openCheckout: Scene['desk']['openCheckout']; calls: () => number };
  readonly isTold: (error: unknown) => boolean;
};

const DOWN = new GatewayError('billing-unavailable');
const breakCall =
  (isMade: boolean) =>
  (all: Scene, at: number): ReturnType<Disturbance['desk']> => {
    let calls = 0;
    const billing: BillingPort = watchBilling(all.billing, async (run) => {
      calls += 1;
      if (calls !== at) return run();
      if (isMade) await run();
      throw DOWN;
    });
    return { openCheckout: all.openDesk({ billing }).openCheckout, calls: () => calls };
  };
const stopStore =
  (when: 'before' | 'after') =>
  (all: Scene, at: number): ReturnType<Disturbance['desk']> => {
    const { store, count } = createStoppingStore(all.store, at, when);
    return { openCheckout: all.openDesk({ store }).openCheckout, calls: count };
  };

const DISTURBANCES: Readonly<Record<string, Disturbance>> = {
  'a call to Stripe fails': { desk: breakCall(false), isTold: (error) => error === DOWN },
  'the answer of a call to Stripe is lost': { desk: breakCall(true), isTold: (error) => error === DOWN },
  'it stops before an operation of the store': {
    desk: stopStore('before'),
    isTold: (error) => error instanceof StoppedError,
  },
  'it stops after an operation of the store': {
    desk: stopStore('after'),
    isTold: (error) => error instanceof StoppedError,
  },
};

/** What must be true when a session was given in the end: it is the only one, of the only customer, and recorded. */
async function judge(all: Scene, id: string): Promise<void> {
  const { made, store } = all;
  const billing = (await readStoredAccount(store, ACCOUNT))?.value.billing; // its schema is judged
  expect(await listOpen(all)).toEqual([id]);
  expect(billing?.checkout.session).toMatchObject({ id, ...RESEARCH });
  expect([...made.customers].filter((each) => !made.gone.has(each))).toEqual([billing?.customer]);
  expect(await readGrants(all)).toEqual([]);
}

const cases = Object.keys(BEFORE).flatMap((has) =>
  Object.keys(DISTURBANCES).map((what) => [has, what] as const),
);

it.each(cases)('with %s, when %s, it is told, and asking again gives one session', async (has, what) => {
  const { desk: disturb, isTold } = DISTURBANCES[what] as Disturbance;
  for (let at = 1; ; at += 1) {
    const all = createScene();
    await BEFORE[has]?.(all);
    const disturbed = disturb(all, at);
    const outcome = await disturbed.openCheckout(ACCOUNT, RESEARCH).catch((error: unknown) => error);
    if (disturbed.calls() < at) {
      expect(at).toBeGreaterThan(2); // there were calls to break
      await judge(all, (outcome as { readonly id: string }).id);
      return;
    }
    expect([at, isTold(outcome)]).toEqual([at, true]);
    expect((await listOpen(all)).length).toBeLessThanOrEqual(1);
    await judge(all, (await all.desk.openCheckout(ACCOUNT, RESEARCH)).id);
  }
});

describe('a session that is paid in while another is asked for', () => {
  it.each([
    ['the same', SINGLE],
    ['something else', RESEARCH],
  ])('is all that is sold, whenever it is paid: asked for %s', async (_what, wanted) => {
    let paid = 0;
    for (let at = 1; ; at += 1) {
      const all = createScene();
      const { id } = await all.desk.openCheckout(ACCOUNT, SINGLE);
      let calls = 0;
      const billing = watchBilling(all.billing, async (run) => {
        calls += 1;
        const isOpen = (await all.billing.readCheckout(id)).state === 'open';
        if (calls === at && isOpen) all.billing.complete(id);
        return run();
      });
      const outcome: unknown = await all
        .openDesk({ billing })
        .openCheckout(ACCOUNT, wanted)
        .catch((error: unknown) => error);
      if (calls < at) break;
      const sold = all.billing.subscriptions().length;
      const open = await listOpen(all);
      expect(open).toHaveLength(1 - sold);
      expect(outcome).toMatchObject(sold === 1 ? { code: 'already-subscribed' } : { id: open[0] });
      paid += sold;
    }
    expect(paid).toBeGreaterThan(1);
  });
});

it('a customer that was deleted takes all along as soon as something is asked for', async () => {
  const all = createScene();
  const reader = await createReader(all);
  await buyAndHear(all);
  expect(await Promise.all(FILES.map((file) => reader.reads(file)))).toContain(true);
  all.billing.deleteCustomer(await customerOf(all));
  await all.desk.openCheckout(ACCOUNT, RESEARCH);
  expect(await readGrants(all)).toEqual([]);
  all.scene.nowMs += 30_000;
  expect(await Promise.all(FILES.map((file) => reader.reads(file)))).not.toContain(true);
});
