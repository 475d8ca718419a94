import { StoreError, type ObjectStore } from '../../infra/store/object-store.js';
import type { Account } from '../../schemas/types.generated.js';
import type { BillingEvent } from '../../gateway/core/billing/stripe-events.js';
import { readStoredAccount } from '../../gateway/io/update-account.js';
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
} from '../fixtures/billing-scene.js';
import { createStoppingStore, watchStore } from '../fixtures/watched-store.js';

/** A scene in which something has just happened, and the event that says so. */
type Told = { readonly all: Scene; readonly event: BillingEvent };

const lastOf = (all: Scene): Told => ({ all, event: all.billing.events.at(-1) as BillingEvent });

/** A scene with a subscription of which all was heard but its last step. */
const afterStep = (name: StepName) => async (): Promise<Told> => {
  const all = createScene();
  const id = await buy(all);
  for (const event of all.billing.events) await deliver(all.desk, all.billing, event);
  expect(step(all, name, id)).toBe(true);
  return lastOf(all);
};

const EVENTS: Readonly<Record<string, () => Promise<Told>>> = {
  async 'the first of a purchase'() {
    const all = createScene();
    await buy(all);
    return { all, event: all.billing.events[0] as BillingEvent };
  },
  'a cancellation': afterStep('cancel'),
  'a cancellation at the end': afterStep('cancelAtEnd'),
  'a refund': afterStep('refund'),
  'an upgrade': afterStep('upgrade'),
  'a renewal that was not paid': afterStep('fail'),
  'a dispute': afterStep('dispute'),
  async 'a purchase beside another'() {
    const { all } = await afterStep('upgrade')();
    await sellBeside(all);
    return lastOf(all);
  },
  async 'a deleted customer'() {
    const { all } = await afterStep('upgrade')();
    all.billing.deleteCustomer(await customerOf(all));
    return lastOf(all);
  },
};

/** How an operation of the store is cut off: the n-th one, and whether it was made. */
const CUTS: Readonly<
  Record<string, (store: ObjectStore, at: number) => { store: ObjectStore; count: () => number }>
> = {
  'it stops before': (store, at) => createStoppingStore(store, at, 'before'),
  'it stops after': (store, at) => createStoppingStore(store, at, 'after'),
  'the store fails before': (store, at) => createFailingStore(store, at, false),
  'the store fails after': (store, at) => createFailingStore(store, at, true),
};

/** A store of which one operation fails, made or not. */
function createFailingStore(
  store: ObjectStore,
  at: number,
  isMade: boolean,
): ReturnType<(typeof CUTS)[string]> {
  let count = 0;
  const failing = watchStore(store, async (_operation, run) => {
    count += 1;
    if (count !== at) return run();
    if (isMade) await run();
    throw new StoreError('unavailable', 'down');
  });
  return { store: failing, count: () => count };
}

const readAccount = async ({ store }: Scene): Promise<Account | undefined> =>
  (await readStoredAccount(store, ACCOUNT))?.value;

const cases = Object.keys(EVENTS).flatMap((what) => Object.keys(CUTS).map((cut) => [what, cut] as const));

it.each(cases)(
  '%s, when %s any operation, is dealt with as a whole or not, and ends alike',
  async (what, cut) => {
    const tell = EVENTS[what] as () => Promise<Told>;
    const undisturbed = await tell();
    const before = await readAccount(undisturbed.all);
    await deliver(undisturbed.all.desk, undisturbed.all.billing, undisturbed.event);
    const after = await readAccount(undisturbed.all);
    expect(after).not.toEqual(before);
    for (let at = 1; ; at += 1) {
      const { all, event } = await tell();
      expect(await readAccount(all)).toEqual(before);
      const cutting = CUTS[cut]?.(all.store, at);
      const failed = await deliver(all.openDesk(cutting), all.billing, event).then(
        () => false,
        () => true,
      );
      const isDone = (await readAccount(all))?.billing?.events.includes(event.id) === true;
      expect(await readAccount(all)).toEqual(isDone ? after : before);
      if (!failed) expect(isDone).toBe(true);
      expect(await deliver(all.desk, all.billing, event)).toBe(isDone ? 'duplicate' : 'taken');
      expect(await readAccount(all)).toEqual(after);
      const [had, due] = await readBoth(all);
      expect(had).toEqual(due);
      if ((cutting?.count() ?? 0) < at) {
        expect(at).toBeGreaterThan(3); // it did read twice and write
        return;
      }
    }
  },
);

const ways = Object.keys(CUTS).flatMap((cut) =>
  ['an event', 'a reconciliation'].map((by) => [by, cut] as const),
);

it.each(ways)(
  'what somebody must look at is told at least once by %s, when %s any operation',
  async (by, cut) => {
    for (let at = 1; ; at += 1) {
      const { all, event } = await (EVENTS['a dispute'] as () => Promise<Told>)();
      const cutting = CUTS[cut]?.(all.store, at);
      const look = (desk: Scene['desk']): Promise<unknown> =>
        by === 'an event' ? deliver(desk, all.billing, event) : desk.sync(ACCOUNT);
      await look(all.openDesk(cutting)).catch(() => undefined);
      await look(all.desk);
      expect(all.alerts.filter(({ what }) => what === 'disputed')).not.toEqual([]);
      if ((cutting?.count() ?? 0) < at) return;
    }
  },
);
