import type { Purchase } from '../../gateway/core/billing/checkout-request.js';
import { readStoredAccount } from '../../gateway/io/update-account.js';
import {
  ACCOUNT,
  buy,
  createScene,
  customerOf,
  watchBilling,
  type Scene,
} from '../fixtures/billing-scene.js';
import { createRandom } from '../fixtures/seeded.js';
import { createTurns } from '../fixtures/watched-store.js';

const SEEDS = Number(process.env['CRD_SEEDS'] ?? '60');
const SINGLE: Purchase = { plan: 'single-chain', chain: 'base' };
const OTHER: Purchase = { plan: 'single-chain', chain: 'bitcoin' };
const RESEARCH: Purchase = { plan: 'research', chain: null };

/** What the account has before. */
const BEFORE: readonly ((all: Scene) => Promise<unknown>)[] = [
  () => Promise.resolve(),
  ({ desk }) => desk.openCheckout(ACCOUNT, SINGLE),
  async ({ desk, billing }) => billing.expire((await desk.openCheckout(ACCOUNT, SINGLE)).id),
  async (all) => {
    await buy(all);
    all.billing.deleteCustomer(await customerOf(all));
  },
];

/** Asks for all of these at once, in turns that a seed decides; resolves what each was given. */
async function askAtOnce(all: Scene, seed: number, wanted: readonly Purchase[]): Promise<unknown[]> {
  const turns = createTurns(createRandom(seed));
  const billing = watchBilling(all.billing, async (run) => {
    await turns.wait();
    const answer = await run();
    await turns.wait(); // what was answered is older by the time that it is known
    return answer;
  });
  const calls = wanted.map((each) =>
    all
      .openDesk({ store: turns.join(all.store), billing })
      .openCheckout(ACCOUNT, each)
      .catch((error: unknown) => error),
  );
  await turns.run(calls);
  return Promise.all(calls);
}

/** The sessions that are open, and the one that is recorded. */
async function readSessions({ store, billing, made }: Scene): Promise<[open: string[], recorded: string]> {
  const open: string[] = [];
  for (const [id, customer] of made.sessions) {
    if (!made.gone.has(customer) && (await billing.readCheckout(id)).state === 'open') open.push(id);
  }
  return [open, (await readStoredAccount(store, ACCOUNT))?.value.billing?.checkout.session?.id ?? ''];
}

it('clicked many times at once, gives one session of one customer', async () => {
  for (let seed = 0; seed < SEEDS; seed += 1) {
    const all = createScene();
    await BEFORE[seed % BEFORE.length]?.(all);
    const given = await askAtOnce(all, seed, Array<Purchase>(2 + (seed % 3)).fill(RESEARCH));
    const [open, recorded] = await readSessions(all);
    expect([seed, open]).toEqual([seed, [recorded]]);
    for (const each of given) expect([seed, each]).toMatchObject([seed, { id: recorded }]);
    expect(all.made.customers.size - all.made.gone.size).toBe(1);
  }
});

it('asked for different things at once, leaves no more than the one that is recorded', async () => {
  const tally = { given: 0, refused: 0, open: 0 };
  for (let seed = 0; seed < SEEDS * 2; seed += 1) {
    const all = createScene();
    await BEFORE[seed % BEFORE.length]?.(all);
    const given = await askAtOnce(all, seed, [SINGLE, RESEARCH, OTHER, RESEARCH].slice(0, 2 + (seed % 3)));
    const [open, recorded] = await readSessions(all);
    expect([seed, open]).toEqual([seed, open.length === 0 ? [] : [recorded]]);
    for (const each of given) {
      if (each instanceof Error) expect(each).toMatchObject({ code: 'billing-unavailable' });
      tally[each instanceof Error ? 'refused' : 'given'] += 1;
    }
    expect(all.made.customers.size - all.made.gone.size).toBe(1);
    tally.open += open.length;
    const again = await all.desk.openCheckout(ACCOUNT, RESEARCH);
    expect([seed, await readSessions(all)]).toEqual([seed, [[again.id], again.id]]);
  }
  expect(tally.given).toBeGreaterThan(tally.refused);
  expect(tally.open).toBeGreaterThan(SEEDS / 2);
});
