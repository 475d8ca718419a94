import { GatewayError } from '../../../gateway/core/problems.js';
import type { Purchase } from '../../../gateway/core/billing/checkout-request.js';
import type { BillingPort } from '../../../gateway/io/billing/billing-port.js';
import { readStoredAccount } from '../../../gateway/io/accounts/update-account.js';
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
} from '../../support/stripe/billing-scene.js';
import { createStoppingStore, StoppedError } from '../../support/stores/stopping-store.js';

const SINGLE: Purchase = { plan: 'single-chain', chain: 'base' };
const RESEARCH: Purchase = { plan: 'research', chain: null };

/** States of an account that buys Research. */
const BEFORE: Readonly<Record<string, (all: Scene) => Promise<unknown>>> = {
  'no customer': () => Promise.resolve(),
  'an open session for Research': ({ service }) => service.openCheckout(ACCOUNT, RESEARCH),
  'an open session for another plan': ({ service }) => service.openCheckout(ACCOUNT, SINGLE),
  async 'an expired session'({ service, billing }) {
    billing.expire((await service.openCheckout(ACCOUNT, RESEARCH)).id);
  },
  async 'an ended subscription'(all) {
    all.billing.change(await buy(all), 'customer.subscription.deleted', { status: 'canceled' });
  },
  async 'a deleted customer'(all) {
    await buyAndDeliver(all);
    all.billing.deleteCustomer(await customerOf(all)); // the event is not delivered
  },
  async 'a deleted customer with an open session'(all) {
    await all.service.openCheckout(ACCOUNT, RESEARCH);
    all.billing.deleteCustomer(await customerOf(all));
  },
};

async function buyAndDeliver(all: Scene): Promise<void> {
  await buy(all);
  for (const event of all.billing.events) await deliver(all.service, all.billing, event);
  expect(await readGrants(all)).toHaveLength(1);
}

/** Returns the sessions that can still be paid. */
async function listOpen({ billing, made }: Scene): Promise<string[]> {
  const open: string[] = [];
  for (const [id, customer] of made.sessions) {
    if (!made.gone.has(customer) && (await billing.readCheckout(id)).state === 'open') open.push(id);
  }
  return open;
}

/** A fault at the n-th call. `calls` returns how many calls there were. */
type Disturbance = {
  readonly service: (
    all: Scene,
    at: number,
  ) => { openCheckout: Scene['service']['openCheckout']; calls: () => number };
  readonly isExpected: (error: unknown) => boolean;
};

const DOWN = new GatewayError('billing-unavailable');
const breakCall =
  (isMade: boolean) =>
  (all: Scene, at: number): ReturnType<Disturbance['service']> => {
    let calls = 0;
    const billing: BillingPort = watchBilling(all.billing, async (run) => {
      calls += 1;
      if (calls !== at) return run();
      if (isMade) await run();
      throw DOWN;
    });
    return { openCheckout: all.openService({ billing }).openCheckout, calls: () => calls };
  };
const stopStore =
  (when: 'before' | 'after') =>
  (all: Scene, at: number): ReturnType<Disturbance['service']> => {
    const { store, count } = createStoppingStore(all.store, at, when);
    return { openCheckout: all.openService({ store }).openCheckout, calls: count };
  };

const DISTURBANCES: Readonly<Record<string, Disturbance>> = {
  'a call to Stripe fails': { service: breakCall(false), isExpected: (error) => error === DOWN },
  'the answer to a call to Stripe is lost': {
    service: breakCall(true),
    isExpected: (error) => error === DOWN,
  },
  'the gateway stops before a store operation': {
    service: stopStore('before'),
    isExpected: (error) => error instanceof StoppedError,
  },
  'the gateway stops after a store operation': {
    service: stopStore('after'),
    isExpected: (error) => error instanceof StoppedError,
  },
};

/** Asserts that the session is the only one, of the only customer, and recorded. */
async function expectOnly(all: Scene, id: string): Promise<void> {
  const { made, store } = all;
  const billing = (await readStoredAccount(store, ACCOUNT))?.value.billing;
  expect(await listOpen(all)).toEqual([id]);
  expect(billing?.checkout.session).toMatchObject({ id, ...RESEARCH });
  expect([...made.customers].filter((each) => !made.gone.has(each))).toEqual([billing?.customer]);
  expect(await readGrants(all)).toEqual([]);
}

const cases = Object.keys(BEFORE).flatMap((has) =>
  Object.keys(DISTURBANCES).map((what) => [has, what] as const),
);

it.each(cases)(
  'with %s, when %s, reports the failure, and the next request returns the only session',
  async (has, what) => {
    const { service: disturb, isExpected } = DISTURBANCES[what] as Disturbance;
    for (let at = 1; ; at += 1) {
      const all = createScene();
      await BEFORE[has]?.(all);
      const disturbed = disturb(all, at);
      const outcome = await disturbed.openCheckout(ACCOUNT, RESEARCH).catch((error: unknown) => error);
      if (disturbed.calls() < at) {
        expect(at).toBeGreaterThan(2); // there were calls to fail
        await expectOnly(all, (outcome as { readonly id: string }).id);
        return;
      }
      expect([at, isExpected(outcome)]).toEqual([at, true]);
      expect((await listOpen(all)).length).toBeLessThanOrEqual(1);
      await expectOnly(all, (await all.service.openCheckout(ACCOUNT, RESEARCH)).id);
    }
  },
);

describe('a session that is paid while another is requested', () => {
  it.each([
    ['the same plan', SINGLE],
    ['another plan', RESEARCH],
  ])('is the only sale, whenever it is paid: %s is requested', async (_what, wanted) => {
    let paid = 0;
    for (let at = 1; ; at += 1) {
      const all = createScene();
      const { id } = await all.service.openCheckout(ACCOUNT, SINGLE);
      let calls = 0;
      const billing = watchBilling(all.billing, async (run) => {
        calls += 1;
        const isOpen = (await all.billing.readCheckout(id)).state === 'open';
        if (calls === at && isOpen) all.billing.complete(id);
        return run();
      });
      const outcome: unknown = await all
        .openService({ billing })
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

it('revokes the access of a deleted customer when the account next asks for a checkout', async () => {
  const all = createScene();
  const reader = await createReader(all);
  await buyAndDeliver(all);
  expect(await Promise.all(FILES.map((file) => reader.reads(file)))).toContain(true);
  all.billing.deleteCustomer(await customerOf(all));
  await all.service.openCheckout(ACCOUNT, RESEARCH);
  expect(await readGrants(all)).toEqual([]);
  all.scene.nowMs += 30_000; // the cached account has expired
  expect(await Promise.all(FILES.map((file) => reader.reads(file)))).not.toContain(true);
});
