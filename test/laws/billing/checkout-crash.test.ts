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

/** States of an account that buys Research. Sessions are checkout sessions. */
const BEFORE: Readonly<Record<string, (scene: Scene) => Promise<unknown>>> = {
  'no customer': () => Promise.resolve(),
  'an open session for Research': ({ service }) => service.openCheckout(ACCOUNT, RESEARCH),
  'an open session for another plan': ({ service }) => service.openCheckout(ACCOUNT, SINGLE),
  async 'an expired session'({ service, billing }) {
    billing.expire((await service.openCheckout(ACCOUNT, RESEARCH)).id);
  },
  async 'an ended subscription'(scene) {
    scene.billing.change(await buy(scene), 'customer.subscription.deleted', { status: 'canceled' });
  },
  async 'a deleted customer'(scene) {
    await buyAndDeliver(scene);
    scene.billing.deleteCustomer(await customerOf(scene)); // the event is not delivered
  },
  async 'a deleted customer with an open session'(scene) {
    await scene.service.openCheckout(ACCOUNT, RESEARCH);
    scene.billing.deleteCustomer(await customerOf(scene));
  },
};

async function buyAndDeliver(scene: Scene): Promise<void> {
  await buy(scene);
  for (const event of scene.billing.events) await deliver(scene.service, scene.billing, event);
  expect(await readGrants(scene)).toHaveLength(1);
}

/** Returns the sessions that can still be paid. */
async function listOpen({ billing, seen }: Scene): Promise<string[]> {
  const open: string[] = [];
  for (const [id, customer] of seen.sessions) {
    if (!seen.deletedCustomers.has(customer) && (await billing.readCheckout(id)).state === 'open')
      open.push(id);
  }
  return open;
}

/** A fault at the n-th call. `calls` returns how many calls there were. */
type Disturbance = {
  readonly service: (
    scene: Scene,
    at: number,
  ) => { openCheckout: Scene['service']['openCheckout']; calls: () => number };
  readonly isExpected: (error: unknown) => boolean;
};

const DOWN = new GatewayError('billing-unavailable');
const breakCall =
  (isCarriedOut: boolean) =>
  (scene: Scene, at: number): ReturnType<Disturbance['service']> => {
    let calls = 0;
    const billing: BillingPort = watchBilling(scene.billing, async (run) => {
      calls += 1;
      if (calls !== at) return run();
      if (isCarriedOut) await run();
      throw DOWN;
    });
    return { openCheckout: scene.openService({ billing }).openCheckout, calls: () => calls };
  };
function stopStore(scene: Scene, at: number): ReturnType<Disturbance['service']> {
  const { store, count } = createStoppingStore(scene.store, at);
  return { openCheckout: scene.openService({ store }).openCheckout, calls: count };
}

const DISTURBANCES: Readonly<Record<string, Disturbance>> = {
  'a call to Stripe fails': { service: breakCall(false), isExpected: (error) => error === DOWN },
  'the answer to a call to Stripe is lost': {
    service: breakCall(true),
    isExpected: (error) => error === DOWN,
  },
  'the gateway stops after a store operation': {
    service: stopStore,
    isExpected: (error) => error instanceof StoppedError,
  },
};

/** Asserts that the session is the only one, of the only customer, and recorded. */
async function expectOnly(scene: Scene, id: string): Promise<void> {
  const { seen, store } = scene;
  const billing = (await readStoredAccount(store, ACCOUNT))?.value.billing;
  expect(await listOpen(scene)).toEqual([id]);
  expect(billing?.checkout.session).toMatchObject({ id, ...RESEARCH });
  expect([...seen.customers].filter((each) => !seen.deletedCustomers.has(each))).toEqual([billing?.customer]);
  expect(await readGrants(scene)).toEqual([]);
}

const cases = Object.keys(BEFORE).flatMap((has) =>
  Object.keys(DISTURBANCES).map((what) => [has, what] as const),
);

it.each(cases)(
  'with %s, when %s, reports the failure, and the next request returns the only session',
  async (has, what) => {
    const { service: disturb, isExpected } = DISTURBANCES[what] as Disturbance;
    for (let at = 1; ; at += 1) {
      const scene = createScene();
      await BEFORE[has]?.(scene);
      const disturbed = disturb(scene, at);
      const outcome = await disturbed.openCheckout(ACCOUNT, RESEARCH).catch((error: unknown) => error);
      if (disturbed.calls() < at) {
        expect(at).toBeGreaterThan(2); // there were calls to fail
        await expectOnly(scene, (outcome as { readonly id: string }).id);
        return;
      }
      expect([at, isExpected(outcome)]).toEqual([at, true]);
      expect((await listOpen(scene)).length).toBeLessThanOrEqual(1);
      await expectOnly(scene, (await scene.service.openCheckout(ACCOUNT, RESEARCH)).id);
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
      const scene = createScene();
      const { id } = await scene.service.openCheckout(ACCOUNT, SINGLE);
      let calls = 0;
      const billing = watchBilling(scene.billing, async (run) => {
        calls += 1;
        const isOpen = (await scene.billing.readCheckout(id)).state === 'open';
        if (calls === at && isOpen) scene.billing.complete(id);
        return run();
      });
      const outcome: unknown = await scene
        .openService({ billing })
        .openCheckout(ACCOUNT, wanted)
        .catch((error: unknown) => error);
      if (calls < at) break;
      const sold = scene.billing.subscriptions().length;
      const open = await listOpen(scene);
      expect(open).toHaveLength(1 - sold);
      expect(outcome).toMatchObject(sold === 1 ? { code: 'already-subscribed' } : { id: open[0] });
      paid += sold;
    }
    expect(paid).toBeGreaterThan(1);
  });
});

it('revokes the access of a deleted customer when the account next asks for a checkout', async () => {
  const scene = createScene();
  const reader = await createReader(scene);
  await buyAndDeliver(scene);
  expect(await Promise.all(FILES.map((file) => reader.reads(file)))).toContain(true);
  scene.billing.deleteCustomer(await customerOf(scene));
  await scene.service.openCheckout(ACCOUNT, RESEARCH);
  expect(await readGrants(scene)).toEqual([]);
  scene.clock.nowMs += 30_000; // the cached account has expired
  expect(await Promise.all(FILES.map((file) => reader.reads(file)))).not.toContain(true);
});
