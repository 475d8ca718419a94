import fc from 'fast-check';
import type { Account } from '../../schemas/types.generated.js';
import { beginBilling } from '../../gateway/core/billing/billing-record.js';
import { createAccount } from '../../gateway/core/account.js';
import type { Grant } from '../../gateway/core/entitlements.js';
import type { FileRequest } from '../../gateway/core/file-request.js';
import { createAccounts } from '../../gateway/io/accounts.js';
import { readCurrentAccount } from '../../gateway/io/billing/current-account.js';
import { createRenewals, type Renewals } from '../../gateway/io/billing/renewals.js';
import {
  ACCOUNT,
  buy,
  createReader,
  createScene,
  deliver,
  FILES,
  readBoth,
  step,
} from '../fixtures/billing-scene.js';
import { withFakeTimers } from '../fixtures/fake-timers.js';

const RUNS = Number(process.env['CRD_SEEDS'] ?? '40');
const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PATIENCE_MS = 3_000;

const grant = (said: Partial<Grant>): Grant => ({
  ...{ plan: 'research', chain: null, origin: 'stripe', sinceMs: 0, untilMs: Date.now() },
  ...said,
});

/** How looks go from now on. A look takes no whole number of seconds, so that no two things are at once. */
type Mood = { readonly fails: boolean; readonly tookMs: number };
type Look = Mood & { readonly atMs: number };
const passing = fc.constantFrom(1, 1_999, 2_000, 2_000, HOUR - 5_000, HOUR);
const move = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: passing }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('mood' as const),
      mood: fc.record({ fails: fc.boolean(), tookMs: fc.constantFrom(0, 20_500) }),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      kind: fc.constant('ask' as const),
      times: fc.constantFrom(1, 3),
      what: fc.constantFrom('lapsed', 'lapsed', 'lapsed', 'lapsed', 'paid', 'manual'),
    }),
  },
);
type Move = typeof move extends fc.Arbitrary<infer M> ? M : never;

const GRANTS: Readonly<Record<string, () => Grant[]>> = {
  lapsed: () => [grant({}), grant({ untilMs: Date.now() + DAY })],
  paid: () => [grant({ untilMs: Date.now() + 1 })],
  manual: () => [grant({ origin: 'manual' })],
};

/** Runs moves beside a model of what is looked at; resolves how often it was looked. */
async function runModel(moves: readonly Move[], advance: (ms: number) => Promise<void>): Promise<number> {
  let mood: Mood = { fails: false, tookMs: 0 };
  let looks = 0;
  let [last, errors] = [undefined as Look | undefined, 0];
  const sync = async (): Promise<Account> => {
    looks += 1;
    const { fails, tookMs } = mood;
    if (tookMs > 0) await new Promise((resolve) => setTimeout(resolve, tookMs));
    if (fails) throw new Error('Stripe is down');
    return createAccount(ACCOUNT);
  };
  const renewals = createRenewals({ desk: { sync }, now: () => Date.now(), onError: () => (errors += 1) });
  const endOf = ({ atMs, tookMs }: Look): number => atMs + tookMs;
  for (const each of moves) {
    if (each.kind === 'mood') mood = each.mood;
    if (each.kind === 'pass') await advance(each.ms);
    if (each.kind !== 'ask') continue;
    const nowMs = Date.now();
    const isUnderWay = last !== undefined && endOf(last) > nowMs;
    const restMs = last === undefined ? 0 : last.atMs + (last.fails ? 5_000 : HOUR) - nowMs;
    const isAsked = each.what === 'lapsed';
    const before = looks;
    if (isAsked && !isUnderWay && restMs <= 0) last = { ...mood, atMs: nowMs };
    const isOver = last !== undefined && endOf(last) < nowMs + PATIENCE_MS;
    const isLooked = isAsked && (isUnderWay || last?.atMs === nowMs) && isOver;
    const answers: boolean[] = [];
    const asking = Array.from({ length: each.times }, () =>
      renewals
        .onLapse(ACCOUNT, (GRANTS[each.what] as () => Grant[])())
        .then((looked) => answers.push(looked)),
    );
    await advance(PATIENCE_MS);
    await Promise.race([Promise.all(asking), new Promise((resolve) => setImmediate(resolve))]);
    expect(answers).toEqual(Array(each.times).fill(isLooked)); // all of them, and none waits for longer
    expect(looks - before).toBe(last?.atMs === nowMs && isAsked ? 1 : 0);
  }
  await advance(HOUR);
  expect(errors).toBeLessThanOrEqual(looks);
  return looks;
}

it('looks once an hour for all who ask, five seconds after a failure again, and lets nobody wait over three seconds', () =>
  withFakeTimers(async (advance) => {
    let looks = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 40 }), async (moves) => {
        looks += await runModel(moves, advance);
      }),
      { numRuns: RUNS, seed: 13 },
    );
    expect(looks).toBeGreaterThan(RUNS);
  }));

describe('while something is being bought', () => {
  const openedMs = Date.parse('2026-08-01T00:00:00Z');
  const MINUTE = 60_000;
  const ask = (nowMs: number, sinceMs: readonly number[], status = 'canceled'): Promise<boolean> => {
    const subscription = { status, outcome: 'inactive', plan: null, chain: null } as const;
    const ends = { until: null, period_end: null, cancel_at: null };
    const subscriptions = Object.fromEntries(
      sinceMs.map((ms, i) => [
        `sub_${i}`,
        { ...subscription, ...ends, since: new Date(ms).toISOString().replace('.000', '') },
      ]),
    );
    const bought = { plan: 'research', chain: null } as const;
    const session = { id: 'cs_1', ...bought, opened_at: '2026-08-01T00:00:00Z' };
    const billing = { ...beginBilling('cus_1'), subscriptions, checkout: { attempt: 1, session } };
    const account: Account = { ...createAccount(ACCOUNT), billing };
    const desk = { sync: () => Promise.resolve(account) };
    return createRenewals({ desk, now: () => nowMs, onError: () => undefined }).onVisit(account, []);
  };

  it.each([
    ['just after it was begun', 0, [], true],
    ['within a day', DAY + MINUTE, [], true],
    ['no longer than a day', DAY + MINUTE + 1, [], false],
    ['also when an older purchase is known', HOUR, [openedMs - MINUTE - SECOND], true],
    ['not when what it led to is known', HOUR, [openedMs + SECOND], false],
    ['not when it is known with the clock of Stripe a little behind', HOUR, [openedMs - MINUTE], false],
  ])('looks %s', async (_when, afterMs, since, looks) => {
    expect(await ask(openedMs + afterMs, since)).toBe(looks);
  });

  it('goes on looking while the first payment is under way', async () => {
    expect(await ask(openedMs + HOUR, [openedMs + SECOND], 'incomplete')).toBe(true);
    expect(await ask(openedMs + HOUR, [openedMs + SECOND], 'active')).toBe(false);
  });

  it('looks every five seconds at first, and every minute later on', async () => {
    const session = { id: 'cs_1', plan: 'research', chain: null, opened_at: '2026-08-01T00:00:00Z' } as const;
    const billing = { ...beginBilling('cus_1'), checkout: { attempt: 1, session } };
    const account: Account = { ...createAccount(ACCOUNT), billing };
    let [nowMs, looks] = [openedMs, 0];
    const sync = (): Promise<Account> => ((looks += 1), Promise.resolve(account));
    const renewals = createRenewals({ desk: { sync }, now: () => nowMs, onError: () => undefined });
    for (; nowMs < openedMs + 15 * MINUTE; nowMs += SECOND) await renewals.onVisit(account, []);
    expect(looks).toBe(180);
    for (; nowMs < openedMs + 30 * MINUTE; nowMs += SECOND) await renewals.onVisit(account, []);
    expect(looks).toBe(195);
  });

  it('all events being lost, whoever waits for it sees it within five seconds, whatever else the account has', async () => {
    const all = createScene();
    const { scene, store, billing, desk, now, random } = all;
    const accounts = createAccounts(store, { now, random, mode: 'test' });
    await accounts.grant(ACCOUNT, {
      plan: 'single-chain',
      chain: 'base',
      until: '2027-01-01T00:00:00Z',
      reason: 'a gift',
    });
    let looks = 0;
    const sync = (id: string): Promise<Account> => ((looks += 1), desk.sync(id));
    const renewals: Renewals = createRenewals({ desk: { sync }, now, onError: () => undefined });
    const { id } = await desk.openCheckout(ACCOUNT, { plan: 'research', chain: null });
    const see = async (): Promise<number> => {
      const account = await readCurrentAccount({ accounts, renewals }, ACCOUNT);
      return Object.keys(account.billing?.subscriptions ?? {}).length;
    };
    for (let second = 0; second < 10; second += 1) {
      expect(await see()).toBe(0);
      scene.nowMs += SECOND;
    }
    expect(looks).toBe(2);
    billing.complete(id);
    scene.nowMs += 4 * SECOND;
    expect(await see()).toBe(1);
    scene.nowMs += HOUR;
    expect([await see(), looks]).toEqual([1, 3]);
  });
});

it('whose renewals are paid reads on although no event of them ever comes; whose are not, does not', async () => {
  for (const isPaid of [true, false]) {
    const all = createScene();
    const { scene, billing, desk, now } = all;
    const reader = await createReader(all, createRenewals({ desk, now, onError: () => undefined }));
    const id = await buy(all);
    for (const event of billing.events) await deliver(desk, billing, event);
    for (let period = 0; period < 6; period += 1) {
      scene.nowMs += (period === 0 ? 30 : 22) * DAY;
      expect(step(all, isPaid ? 'renew' : 'fail', id)).toBe(true);
      scene.nowMs += 8 * DAY; // longer than a grant outlives its period
      expect(await reader.reads(FILES[0] as FileRequest)).toBe(isPaid);
      const [had, due] = await readBoth(all);
      expect(had).toEqual(due);
    }
  }
});
