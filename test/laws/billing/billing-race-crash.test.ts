import { StoreError, type ObjectStore } from '../../../infra/store/object-store.js';
import type { Account } from '../../../schemas/types.generated.js';
import type { BillingEvent } from '../../../gateway/core/billing/stripe-events.js';
import { readStoredAccount } from '../../../gateway/io/accounts/update-account.js';
import {
  ACCOUNT,
  buy,
  createScene,
  customerOf,
  deliver,
  readBoth,
  sellBeside,
  step,
  type Scene,
  type StepName,
} from '../../support/stripe/billing-scene.js';
import { interceptStore } from '../../support/stores/intercept-store.js';
import { createStoppingStore } from '../../support/stores/stopping-store.js';

/** A scene after a change at Stripe, and the event of that change. */
type Happened = { readonly scene: Scene; readonly event: BillingEvent };

const lastOf = (scene: Scene): Happened => ({ scene, event: scene.billing.events.at(-1) as BillingEvent });

/** Creates a scene with a subscription whose events were all delivered, except that of its last step. */
const afterStep = (name: StepName) => async (): Promise<Happened> => {
  const scene = createScene();
  const id = await buy(scene);
  for (const event of scene.billing.events) await deliver(scene.service, scene.billing, event);
  expect(step(scene, name, id)).toBe(true);
  return lastOf(scene);
};

const EVENTS: Readonly<Record<string, () => Promise<Happened>>> = {
  async 'the first event of a purchase'() {
    const scene = createScene();
    await buy(scene);
    return { scene, event: scene.billing.events[0] as BillingEvent };
  },
  'a cancellation': afterStep('cancel'),
  'a cancellation at the end of the period': afterStep('cancelAtEnd'),
  'a refund': afterStep('refund'),
  'an upgrade': afterStep('upgrade'),
  'an unpaid renewal': afterStep('fail'),
  'a dispute': afterStep('dispute'),
  async 'a purchase beside another'() {
    const { scene } = await afterStep('upgrade')();
    await sellBeside(scene);
    return lastOf(scene);
  },
  async 'a deleted customer'() {
    const { scene } = await afterStep('upgrade')();
    scene.billing.deleteCustomer(await customerOf(scene));
    return lastOf(scene);
  },
};

/** Interruptions of the n-th store operation, before or after it was carried out. */
const CUTS: Readonly<
  Record<string, (store: ObjectStore, at: number) => { store: ObjectStore; count: () => number }>
> = {
  'the gateway stops after': createStoppingStore,
  'the store fails before': (store, at) => createFailingStore(store, at, false),
  'the store fails after': (store, at) => createFailingStore(store, at, true),
};

/** Creates a store of which one operation fails, before or after it was carried out. */
function createFailingStore(
  store: ObjectStore,
  at: number,
  isCarriedOut: boolean,
): ReturnType<(typeof CUTS)[string]> {
  let count = 0;
  const failing = interceptStore(store, async (_operation, run) => {
    count += 1;
    if (count !== at) return run();
    if (isCarriedOut) await run();
    throw new StoreError('unavailable', 'down');
  });
  return { store: failing, count: () => count };
}

const readAccount = async ({ store }: Scene): Promise<Account | undefined> =>
  (await readStoredAccount(store, ACCOUNT))?.value;

const cases = Object.keys(EVENTS).flatMap((what) => Object.keys(CUTS).map((cut) => [what, cut] as const));

it.each(cases)(
  'handles %s completely or not at all, and once when it is delivered again: %s any operation',
  async (what, cut) => {
    const happen = EVENTS[what] as () => Promise<Happened>;
    const undisturbed = await happen();
    const before = await readAccount(undisturbed.scene);
    await deliver(undisturbed.scene.service, undisturbed.scene.billing, undisturbed.event);
    const after = await readAccount(undisturbed.scene);
    expect(after).not.toEqual(before);
    for (let at = 1; ; at += 1) {
      const { scene, event } = await happen();
      expect(await readAccount(scene)).toEqual(before);
      const cutting = CUTS[cut]?.(scene.store, at);
      const failed = await deliver(scene.openService(cutting), scene.billing, event).then(
        () => false,
        () => true,
      );
      const isDone = (await readAccount(scene))?.billing?.events.includes(event.id) === true;
      expect(await readAccount(scene)).toEqual(isDone ? after : before);
      if (!failed) expect(isDone).toBe(true);
      expect(await deliver(scene.service, scene.billing, event)).toBe(isDone ? 'duplicate' : 'taken');
      expect(await readAccount(scene)).toEqual(after);
      const [recorded, expected] = await readBoth(scene);
      expect(recorded).toEqual(expected);
      if ((cutting?.count() ?? 0) < at) {
        expect(at).toBeGreaterThan(3); // at least two reads and a write
        return;
      }
    }
  },
);

const ways = Object.keys(CUTS).flatMap((cut) =>
  ['an event', 'a reconciliation'].map((by) => [by, cut] as const),
);

it.each(ways)('raises the alert of a dispute at least once, by %s: %s any operation', async (by, cut) => {
  for (let at = 1; ; at += 1) {
    const { scene, event } = await (EVENTS['a dispute'] as () => Promise<Happened>)();
    const cutting = CUTS[cut]?.(scene.store, at);
    const look = (service: Scene['service']): Promise<unknown> =>
      by === 'an event' ? deliver(service, scene.billing, event) : service.sync(ACCOUNT);
    await look(scene.openService(cutting)).catch(() => undefined);
    await look(scene.service);
    expect(scene.alerts.filter(({ what }) => what === 'disputed')).not.toEqual([]);
    if ((cutting?.count() ?? 0) < at) return;
  }
});
