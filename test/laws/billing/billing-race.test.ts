import { readStoredAccount } from '../../../gateway/io/accounts/update-account.js';
import { GatewayError } from '../../../gateway/core/problems.js';
import type { BillingPort } from '../../../gateway/io/billing/billing-port.js';
import { ACCOUNT, buy, createScene, deliver, readBoth, step } from '../../support/stripe/billing-scene.js';
import { createRandom } from '../../support/random/seeded.js';
import { createTurns } from '../../support/stores/turns.js';

const SEEDS = Math.ceil(Number(process.env['CRD_SEEDS'] ?? '60') / 2);

describe('concurrent deliveries', () => {
  it('for one account end with the latest state of Stripe, in any order of operations', async () => {
    for (let seed = 0; seed < SEEDS; seed += 1) {
      const scene = createScene();
      const { store, billing, openService } = scene;
      const id = await buy(scene);
      const random = createRandom(seed);
      const turns = createTurns(random);
      const slow: BillingPort = {
        ...billing,
        async readCustomer(id) {
          await turns.wait();
          const found = await billing.readCustomer(id);
          await turns.wait(); // the answer is outdated when it arrives
          return found;
        },
      };
      const service = openService({ store: turns.join(store), billing: slow });
      const deliveries = billing.events.map((event) => deliver(service, billing, event));
      const meanwhile = (async () => {
        for (const name of ['upgrade', 'rechain', random() < 0.5 ? 'refund' : 'cancel'] as const) {
          await turns.wait();
          step(scene, name, id);
          await deliver(service, billing, billing.events.at(-1) as (typeof billing.events)[number]);
        }
      })();
      await turns.run([...deliveries, meanwhile]);
      expect((await Promise.allSettled(deliveries)).map(({ status }) => status)).not.toContain('rejected');
      const [recorded, expected] = await readBoth(scene);
      expect([seed, recorded]).toEqual([seed, expected]);
      const events = (await readStoredAccount(store, ACCOUNT))?.value.billing?.events ?? [];
      expect([...events].sort()).toEqual(billing.events.map(({ id }) => id).sort());
    }
  });
});

describe('a delivery that fails', () => {
  it.each([
    ['Stripe does not answer', new GatewayError('billing-unavailable')],
    ['Stripe answers with an error', new Error('broken')],
  ])('because %s writes nothing', async (_why, failure) => {
    const scene = createScene();
    await buy(scene);
    const before = await readStoredAccount(scene.store, ACCOUNT);
    const billing = { ...scene.billing, readCustomer: () => Promise.reject(failure) };
    const [event] = scene.billing.events;
    if (event === undefined) throw new Error('no event');
    await expect(deliver(scene.openService({ billing }), scene.billing, event)).rejects.toBe(failure);
    expect(await readStoredAccount(scene.store, ACCOUNT)).toEqual(before);
  });

  it('because Stripe hangs ends within five seconds, and succeeds when it is repeated', async () => {
    const scene = createScene();
    await buy(scene);
    const billing = { ...scene.billing, readCustomer: () => new Promise<never>(() => undefined) };
    const [event] = scene.billing.events;
    if (event === undefined) throw new Error('no event');
    const beganMs = performance.now();
    await expect(deliver(scene.openService({ billing }), scene.billing, event)).rejects.toMatchObject({
      code: 'billing-unavailable',
    });
    expect(performance.now() - beganMs).toBeLessThan(5_000);
    expect(await deliver(scene.service, scene.billing, event)).toBe('taken');
  });
});
