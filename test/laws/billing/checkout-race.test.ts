import type { Purchase } from '../../../gateway/core/billing/checkout-request.js';
import { readStoredAccount } from '../../../gateway/io/accounts/update-account.js';
import {
  ACCOUNT,
  buy,
  createScene,
  customerOf,
  watchBilling,
  type Scene,
} from '../../support/stripe/billing-scene.js';
import { createRandom } from '../../support/random/seeded.js';
import { createTurns } from '../../support/stores/turns.js';

const SEEDS = Number(process.env['CRD_SEEDS'] ?? '60');
const SINGLE: Purchase = { plan: 'single-chain', chain: 'base' };
const OTHER: Purchase = { plan: 'single-chain', chain: 'bitcoin' };
const RESEARCH: Purchase = { plan: 'research', chain: null };

/** States of the account before the requests. */
const BEFORE: readonly ((scene: Scene) => Promise<unknown>)[] = [
  () => Promise.resolve(),
  ({ service }) => service.openCheckout(ACCOUNT, SINGLE),
  async ({ service, billing }) => billing.expire((await service.openCheckout(ACCOUNT, SINGLE)).id),
  async (scene) => {
    await buy(scene);
    scene.billing.deleteCustomer(await customerOf(scene));
  },
];

/** Requests all sessions at once, in turns that a seed decides, and returns what each request got. */
async function requestAtOnce(scene: Scene, seed: number, wanted: readonly Purchase[]): Promise<unknown[]> {
  const turns = createTurns(createRandom(seed));
  const billing = watchBilling(scene.billing, async (run) => {
    await turns.wait();
    const answer = await run();
    await turns.wait(); // the answer is outdated when it arrives
    return answer;
  });
  const calls = wanted.map((each) =>
    scene
      .openService({ store: turns.join(scene.store), billing })
      .openCheckout(ACCOUNT, each)
      .catch((error: unknown) => error),
  );
  await turns.run(calls);
  return Promise.all(calls);
}

/** Returns the open checkout sessions, and the recorded one. */
async function readSessions({ store, billing, seen }: Scene): Promise<[open: string[], recorded: string]> {
  const open: string[] = [];
  for (const [id, customer] of seen.sessions) {
    if (!seen.deletedCustomers.has(customer) && (await billing.readCheckout(id)).state === 'open')
      open.push(id);
  }
  return [open, (await readStoredAccount(store, ACCOUNT))?.value.billing?.checkout.session?.id ?? ''];
}

it('returns one session of one customer to concurrent requests for the same plan', async () => {
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const scene = createScene();
    await BEFORE[seed % BEFORE.length]?.(scene);
    const results = await requestAtOnce(scene, seed, Array<Purchase>(2 + (seed % 3)).fill(RESEARCH));
    const [open, recorded] = await readSessions(scene);
    expect([seed, open]).toEqual([seed, [recorded]]);
    for (const each of results) expect([seed, each]).toMatchObject([seed, { id: recorded }]);
    expect(scene.seen.customers.size - scene.seen.deletedCustomers.size).toBe(1);
  }
});

it('leaves at most the recorded session open after concurrent requests for different plans', async () => {
  const tally = { opened: 0, refused: 0, open: 0 };
  for (let seed = 0; seed < SEEDS * 2; seed += 1) {
    const scene = createScene();
    await BEFORE[seed % BEFORE.length]?.(scene);
    const results = await requestAtOnce(
      scene,
      seed,
      [SINGLE, RESEARCH, OTHER, RESEARCH].slice(0, 2 + (seed % 3)),
    );
    const [open, recorded] = await readSessions(scene);
    expect([seed, open]).toEqual([seed, open.length === 0 ? [] : [recorded]]);
    for (const each of results) {
      if (each instanceof Error) expect(each).toMatchObject({ code: 'billing-unavailable' });
      tally[each instanceof Error ? 'refused' : 'opened'] += 1;
    }
    expect(scene.seen.customers.size - scene.seen.deletedCustomers.size).toBe(1);
    tally.open += open.length;
    const again = await scene.service.openCheckout(ACCOUNT, RESEARCH);
    expect([seed, await readSessions(scene)]).toEqual([seed, [[again.id], again.id]]);
  }
  expect(tally.opened).toBeGreaterThan(tally.refused);
  expect(tally.open).toBeGreaterThan(SEEDS / 2);
});
