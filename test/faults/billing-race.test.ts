import { StoreError } from '../../infra/store/object-store.js';
import { readStoredAccount } from '../../gateway/io/update-account.js';
import { GatewayError } from '../../gateway/core/problems.js';
import type { BillingPort } from '../../gateway/io/billing/billing-port.js';
import { ACCOUNT, buy, createScene, deliver, readBoth, step } from '../fixtures/billing-scene.js';
import { createRandom } from '../fixtures/seeded.js';
import { createTurns } from '../fixtures/watched-store.js';

const SEEDS = Math.ceil(Number(process.env['CRD_SEEDS'] ?? '60') / 2);

describe('deliveries at once', () => {
  it('for one account end with what Stripe says last, in whatever order they take their turns', async () => {
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const all = createScene();
      const { store, billing, openDesk } = all;
      const id = await buy(all);
      const random = createRandom(seed);
      const turns = createTurns(random);
      const slow: BillingPort = {
        ...billing,
        async readCustomer(id) {
          await turns.wait();
          const found = await billing.readCustomer(id);
          await turns.wait(); // what was read is older by the time that it is known
          return found;
        },
      };
      const desk = openDesk({ store: turns.join(store), billing: slow });
      const deliveries = billing.events.map((event) => deliver(desk, billing, event));
      const meanwhile = (async () => {
        for (const name of ['upgrade', 'rechain', random() < 0.5 ? 'refund' : 'cancel'] as const) {
          await turns.wait();
          step(all, name, id);
          await deliver(desk, billing, billing.events.at(-1) as (typeof billing.events)[number]);
        }
      })();
      await turns.run([...deliveries, meanwhile]);
      expect((await Promise.allSettled(deliveries)).map(({ status }) => status)).not.toContain('rejected');
      const [had, due] = await readBoth(all);
      expect([seed, had]).toEqual([seed, due]);
      const events = (await readStoredAccount(store, ACCOUNT))?.value.billing?.events ?? [];
      expect([...events].sort()).toEqual(billing.events.map(({ id }) => id).sort());
    }
  });
});

describe('a delivery that is cut off', () => {
  it.each([
    ['Stripe does not answer', new GatewayError('billing-unavailable')],
    ['Stripe breaks', new Error('broken')],
    ['the store does not answer', new StoreError('unavailable', 'down')],
  ])('because %s fails, and writes nothing', async (_why, failure) => {
    const all = createScene();
    await buy(all);
    const before = await readStoredAccount(all.store, ACCOUNT);
    const billing = { ...all.billing, readCustomer: () => Promise.reject(failure) };
    const [event] = all.billing.events;
    if (event === undefined) throw new Error('something happened');
    await expect(deliver(all.openDesk({ billing }), all.billing, event)).rejects.toBe(failure);
    expect(await readStoredAccount(all.store, ACCOUNT)).toEqual(before);
  });

  it('because Stripe hangs is given up within five seconds, and comes again', async () => {
    const all = createScene();
    await buy(all);
    const billing = { ...all.billing, readCustomer: () => new Promise<never>(() => undefined) };
    const [event] = all.billing.events;
    if (event === undefined) throw new Error('something happened');
    const beganMs = performance.now();
    await expect(deliver(all.openDesk({ billing }), all.billing, event)).rejects.toMatchObject({
      code: 'billing-unavailable',
    });
    expect(performance.now() - beganMs).toBeLessThan(5_000);
    expect(await deliver(all.desk, all.billing, event)).toBe('taken');
  });
});
