import fc from 'fast-check';
import type { Account } from '../../../../schemas/types.generated.js';
import { createBilling } from '../../../../gateway/core/billing/billing-record.js';
import { createAccount } from '../../../../gateway/core/accounts/account.js';
import type { Grant } from '../../../../gateway/core/access/entitlements.js';
import type { FileRequest } from '../../../../gateway/core/access/file-request.js';
import { createAccounts } from '../../../../gateway/io/accounts/accounts.js';
import { readCurrentAccount } from '../../../../gateway/io/billing/current-account.js';
import { createStripeRefresh, type StripeRefresh } from '../../../../gateway/io/billing/stripe-refresh.js';
import {
  ACCOUNT,
  buy,
  createReader,
  createScene,
  deliver,
  FILES,
  readBoth,
  step,
} from '../../../support/stripe/billing-scene.js';
import { withFakeTimers } from '../../../support/jest/fake-timers.js';

const RUNS = Number(process.env['CRD_SEEDS'] ?? '40');
const SECOND = 1_000;
const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const PATIENCE_MS = 3_000;

const grant = (changes: Partial<Grant>): Grant => ({
  plan: 'research',
  chain: null,
  origin: 'stripe',
  sinceMs: 0,
  untilMs: Date.now(),
  ...changes,
});

/** Result and duration of the following updates. A duration above 0 is not a whole number of seconds, so that no two events coincide. */
type UpdateBehavior = { readonly fails: boolean; readonly tookMs: number };
type Update = UpdateBehavior & { readonly atMs: number };
/** A request takes `PATIENCE_MS`. 2 s later, the pause after a failure ends; `HOUR - 5_000` after that, the hour ends. */
const passing = fc.constantFrom(1, 1_999, 2_000, 2_000, HOUR - 5_000, HOUR);
const move = fc.oneof(
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: passing }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('state' as const),
      state: fc.record({ fails: fc.boolean(), tookMs: fc.constantFrom(0, 20_500) }),
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

/** Runs moves and compares the updates with a model. Returns the number of updates. */
async function runModel(moves: readonly Move[], advance: (ms: number) => Promise<void>): Promise<number> {
  let state: UpdateBehavior = { fails: false, tookMs: 0 };
  let updates = 0;
  let [last, errors] = [undefined as Update | undefined, 0];
  const sync = async (): Promise<Account> => {
    updates += 1;
    const { fails, tookMs } = state;
    if (tookMs > 0) await new Promise((resolve) => setTimeout(resolve, tookMs));
    if (fails) throw new Error('Stripe is down');
    return createAccount(ACCOUNT);
  };
  const stripeRefresh = createStripeRefresh({
    service: { sync },
    now: () => Date.now(),
    onError: () => (errors += 1),
  });
  const endOf = ({ atMs, tookMs }: Update): number => atMs + tookMs;
  for (const each of moves) {
    if (each.kind === 'state') state = each.state;
    if (each.kind === 'pass') await advance(each.ms);
    if (each.kind !== 'ask') continue;
    const nowMs = Date.now();
    const isUnderWay = last !== undefined && endOf(last) > nowMs;
    const restMs = last === undefined ? 0 : last.atMs + (last.fails ? 5_000 : HOUR) - nowMs;
    const isUpdateDue = each.what === 'lapsed';
    const before = updates;
    if (isUpdateDue && !isUnderWay && restMs <= 0) last = { ...state, atMs: nowMs };
    const isOver = last !== undefined && endOf(last) < nowMs + PATIENCE_MS;
    const isUpdated = isUpdateDue && (isUnderWay || last?.atMs === nowMs) && isOver;
    const answers: boolean[] = [];
    const calls = Array.from({ length: each.times }, () =>
      stripeRefresh
        .refreshIfLapsed(ACCOUNT, (GRANTS[each.what] as () => Grant[])())
        .then((hasUpdated) => answers.push(hasUpdated)),
    );
    await advance(PATIENCE_MS);
    await Promise.race([Promise.all(calls), new Promise((resolve) => setImmediate(resolve))]);
    expect(answers).toEqual(Array(each.times).fill(isUpdated)); // all callers, and none waits longer
    expect(updates - before).toBe(last?.atMs === nowMs && isUpdateDue ? 1 : 0);
  }
  await advance(HOUR);
  expect(errors).toBeLessThanOrEqual(updates);
  return updates;
}

it('updates once an hour for all callers and five seconds after a failure, and makes no caller wait over three seconds', () =>
  withFakeTimers(async (advance) => {
    let updates = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(move, { minLength: 5, maxLength: 40 }), async (moves) => {
        updates += await runModel(moves, advance);
      }),
      { numRuns: RUNS, seed: 13 },
    );
    expect(updates).toBeGreaterThan(RUNS);
  }));

describe('while a purchase is pending', () => {
  const openedMs = Date.parse('2026-08-01T00:00:00Z');
  const MINUTE = 60_000;
  const refreshIfPendingOrLapsed = (
    nowMs: number,
    sinceMs: readonly number[],
    status = 'canceled',
  ): Promise<boolean> => {
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
    const billing = { ...createBilling('cus_1', 1), subscriptions, checkout: { attempt: 1, session } };
    const account: Account = { ...createAccount(ACCOUNT), billing };
    const service = { sync: () => Promise.resolve(account) };
    return createStripeRefresh({
      service,
      now: () => nowMs,
      onError: () => undefined,
    }).refreshIfPendingOrLapsed(account, []);
  };

  it.each([
    ['updates just after it was started', 0, [], true],
    ['updates until a minute after it expired', DAY + MINUTE, [], true],
    ['does not update later', DAY + MINUTE + 1, [], false],
    ['updates although an older purchase is recorded', HOUR, [openedMs - MINUTE - SECOND], true],
    ['does not update when its subscription is recorded', HOUR, [openedMs + SECOND], false],
    [
      'does not update when its subscription is recorded and the clock of Stripe is a minute behind',
      HOUR,
      [openedMs - MINUTE],
      false,
    ],
  ])('%s', async (_when, afterMs, since, updates) => {
    expect(await refreshIfPendingOrLapsed(openedMs + afterMs, since)).toBe(updates);
  });

  it('continues while the first payment is incomplete', async () => {
    expect(await refreshIfPendingOrLapsed(openedMs + HOUR, [openedMs + SECOND], 'incomplete')).toBe(true);
    expect(await refreshIfPendingOrLapsed(openedMs + HOUR, [openedMs + SECOND], 'active')).toBe(false);
  });

  it('updates every five seconds at first, and every minute later', async () => {
    const session = { id: 'cs_1', plan: 'research', chain: null, opened_at: '2026-08-01T00:00:00Z' } as const;
    const billing = { ...createBilling('cus_1', 1), checkout: { attempt: 1, session } };
    const account: Account = { ...createAccount(ACCOUNT), billing };
    let [nowMs, updates] = [openedMs, 0];
    const sync = (): Promise<Account> => ((updates += 1), Promise.resolve(account));
    const stripeRefresh = createStripeRefresh({
      service: { sync },
      now: () => nowMs,
      onError: () => undefined,
    });
    for (; nowMs < openedMs + 15 * MINUTE; nowMs += SECOND)
      await stripeRefresh.refreshIfPendingOrLapsed(account, []);
    expect(updates).toBe(180);
    for (; nowMs < openedMs + 30 * MINUTE; nowMs += SECOND)
      await stripeRefresh.refreshIfPendingOrLapsed(account, []);
    expect(updates).toBe(195);
  });

  it('shows it to the buyer within five seconds although all events were lost and the account has another grant', async () => {
    const all = createScene();
    const { clock, store, billing, service, now, random } = all;
    const accounts = createAccounts(store, { now, random, mode: 'test' });
    await accounts.grant(ACCOUNT, {
      plan: 'single-chain',
      chain: 'base',
      until: '2027-01-01T00:00:00Z',
      reason: 'a gift',
    });
    let updates = 0;
    const sync = (id: string): Promise<Account> => ((updates += 1), service.sync(id));
    const stripeRefresh: StripeRefresh = createStripeRefresh({
      service: { sync },
      now,
      onError: () => undefined,
    });
    const { id } = await service.openCheckout(ACCOUNT, { plan: 'research', chain: null });
    const countSubscriptions = async (): Promise<number> => {
      const account = await readCurrentAccount({ accounts, stripeRefresh }, ACCOUNT);
      return Object.keys(account.billing?.subscriptions ?? {}).length;
    };
    for (let second = 0; second < 10; second += 1) {
      expect(await countSubscriptions()).toBe(0);
      clock.nowMs += SECOND;
    }
    expect(updates).toBe(2);
    billing.complete(id);
    clock.nowMs += 4 * SECOND;
    expect(await countSubscriptions()).toBe(1);
    clock.nowMs += HOUR;
    expect([await countSubscriptions(), updates]).toEqual([1, 3]);
  });
});

it('keeps access for a customer whose renewals are paid although all events are lost, and ends it otherwise', async () => {
  for (const isPaid of [true, false]) {
    const all = createScene();
    const { clock, billing, service, now } = all;
    const reader = await createReader(all, createStripeRefresh({ service, now, onError: () => undefined }));
    const id = await buy(all);
    for (const event of billing.events) await deliver(service, billing, event);
    for (let period = 0; period < 6; period += 1) {
      clock.nowMs += (period === 0 ? 30 : 22) * DAY;
      expect(step(all, isPaid ? 'renew' : 'fail', id)).toBe(true);
      clock.nowMs += 8 * DAY; // longer than a grant lasts after its period
      expect(await reader.reads(FILES[0] as FileRequest)).toBe(isPaid);
      const [recorded, expected] = await readBoth(all);
      expect(recorded).toEqual(expected);
    }
  }
});
