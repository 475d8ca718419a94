import fc from 'fast-check';
import type { ApiKey } from '../../gateway/core/api-key.js';
import { GatewayError } from '../../gateway/core/problems.js';
import type { Caller } from '../../gateway/io/account-cache.js';
import { createFakeAccounts, type FakeAccounts, type StoreMood } from '../fixtures/fake-accounts.js';
import { withFakeTimers } from '../fixtures/fake-timers.js';

const FRESH_MS = 30_000;
const LAST_RESORT_MS = 600_000;
/** An answer is waited for so long, and a failed one remembered for so long after it. */
const PATIENCE_MS = 2_000;
const DOWN_MS = 9_000;

type Step =
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'mood'; readonly mood: StoreMood }
  | { readonly kind: 'create'; readonly account: string }
  | { readonly kind: 'grant'; readonly account: string }
  | { readonly kind: 'revoke'; readonly nth: number }
  | { readonly kind: 'call'; readonly nth: number; readonly times: number };

const account = fc.constantFrom('a', 'b');
const nth = fc.nat(5);
const pauses = [
  0, 1, 500, 1_000, 2_000, 5_000, 9_000, 10_000, 19_999, 20_000, 29_999, 30_000, 300_000, 590_000,
];
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('pass'), ms: fc.constantFrom(...pauses) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('mood'),
      mood: fc.constantFrom<StoreMood>('up', 'up', 'slow', 'failing', 'hanging'),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constantFrom('create' as const, 'grant' as const), account }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('revoke'), nth }) },
  {
    weight: 6,
    arbitrary: fc.record({ kind: fc.constant('call'), nth, times: fc.constantFrom(1, 1, 1, 1, 2, 30) }),
  },
);

type Known = ApiKey & { readonly account: string; readonly createdMs: number; revokedMs: number };

/** What is true, against which every answer is held. */
type Truth = {
  readonly fake: FakeAccounts;
  readonly keys: Known[];
  readonly granted: Map<string, number>;
  /** When the store was last anything but up, and when it last failed to answer. */
  troubledMs: number;
  downMs: number;
};

/** How many keys were accepted, and how many of them later than a store that answers allows. */
type Tally = { accepted: number; stale: number };

/** Runs one interleaving, and judges every answer in it. */
async function interleave(
  steps: readonly Step[],
  tally: Tally,
  advance: (ms: number) => Promise<void>,
): Promise<void> {
  const fake = createFakeAccounts(() => Date.now());
  const truth: Truth = { fake, keys: [], granted: new Map(), troubledMs: -Infinity, downMs: -Infinity };
  const pass = async (ms: number): Promise<void> => {
    noteMood(truth);
    await advance(ms);
    noteMood(truth);
  };
  createKey(truth, 'a');
  for (const step of steps) {
    if (step.kind === 'pass') await pass(step.ms);
    else if (step.kind === 'mood') fake.mood = step.mood;
    else if (step.kind === 'create') createKey(truth, step.account);
    else if (step.kind === 'grant') grant(truth, step.account);
    else if (step.kind === 'revoke') revoke(truth, keyAt(truth, step.nth));
    else {
      for (let i = 0; i < step.times; i += 1) {
        if (i > 0) await pass(1_000);
        await call(truth, keyAt(truth, step.nth), pass, tally);
      }
    }
  }
}

function createKey({ fake, keys }: Truth, id: string): void {
  keys.push({ ...fake.createKey(id), account: id, createdMs: Date.now(), revokedMs: Infinity });
}

function grant({ fake, granted }: Truth, id: string): void {
  fake.grant(id);
  if (!granted.has(id)) granted.set(id, Date.now());
}

function revoke({ fake }: Truth, key: Known): void {
  fake.revoke(key.account, key.id);
  key.revokedMs = Math.min(key.revokedMs, Date.now());
}

function keyAt({ keys }: Truth, n: number): Known {
  const key = keys[n % keys.length];
  if (key === undefined) throw new Error('there is always a key');
  return key;
}

function noteMood(truth: Truth): void {
  const { mood } = truth.fake;
  if (mood !== 'up') truth.troubledMs = Date.now();
  if (mood === 'failing' || mood === 'hanging') truth.downMs = Date.now();
}

/** A request as the gateway takes it: known at once or not, and looked at again where nothing was bought. */
async function ask({ fake: { authenticator } }: Truth, text: string): Promise<Caller> {
  const caller = authenticator.peek(text) ?? (await authenticator.authenticate(text));
  return caller.grants.length > 0 ? caller : authenticator.refresh(caller);
}

async function call(
  truth: Truth,
  key: Known,
  pass: (ms: number) => Promise<void>,
  tally: Tally,
): Promise<void> {
  const beganMs = Date.now();
  let outcome: Caller | string | undefined;
  void ask(truth, key.text).then(
    (caller) => (outcome = caller),
    (error: unknown) => (outcome = error instanceof GatewayError ? error.code : String(error)),
  );
  for (let turns = 0; turns < 8 && outcome === undefined; turns += 1) await settle();
  while (outcome === undefined && Date.now() < beganMs + 3 * PATIENCE_MS) {
    await pass(100);
    for (let turns = 0; turns < 4; turns += 1) await settle();
  }
  noteMood(truth);
  if (outcome === undefined) throw new Error('it hangs');
  if (typeof outcome === 'string') judgeRefusal(truth, key, beganMs, outcome);
  else judgeCaller(truth, key, beganMs, outcome, tally);
}

function judgeRefusal({ troubledMs }: Truth, key: Known, beganMs: number, code: string): void {
  const isCalm = beganMs - troubledMs > DOWN_MS;
  expect(isCalm ? ['api-key-invalid'] : ['api-key-invalid', 'store-unavailable']).toContain(code);
  if (isCalm && beganMs - key.createdMs >= 1_000) expect(key.revokedMs).toBeLessThanOrEqual(Date.now());
}

function judgeCaller(truth: Truth, key: Known, beganMs: number, caller: Caller, tally: Tally): void {
  const nowMs = Date.now();
  tally.accepted += 1;
  expect(caller).toMatchObject({ account: key.account, keyId: key.id });
  const lateMs = nowMs - key.revokedMs;
  expect(lateMs).toBeLessThan(LAST_RESORT_MS);
  if (lateMs >= FRESH_MS) {
    tally.stale += 1;
    expect(nowMs - truth.downMs).toBeLessThanOrEqual(DOWN_MS + PATIENCE_MS);
  }
  const grantedMs = truth.granted.get(key.account) ?? Infinity;
  if (caller.grants.length > 0) expect(grantedMs).toBeLessThanOrEqual(nowMs);
  else if (beganMs - truth.troubledMs > DOWN_MS) expect(beganMs - grantedMs).toBeLessThan(1_000);
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it(
  'accepts a key for as long as it may, and knows a grant in time, whatever happens in whatever order',
  () =>
    withFakeTimers(async (advance) => {
      const tally: Tally = { accepted: 0, stale: 0 };
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
          await interleave(steps, tally, advance);
          await advance(PATIENCE_MS);
        }),
        { numRuns: 50, seed: 20 },
      );
      expect(tally.accepted).toBeGreaterThan(200);
      expect(tally.stale).toBeGreaterThan(3); // the law of an outage was put to the test as well
    }),
  60_000,
);
