import fc from 'fast-check';
import type { ApiKey } from '../../../../gateway/core/access/api-key.js';
import { GatewayError } from '../../../../gateway/core/problems.js';
import type { Caller } from '../../../../gateway/io/accounts/account-cache.js';
import {
  createFakeAccounts,
  type FakeAccounts,
  type StoreState,
} from '../../../support/gateway/fake-accounts.js';
import { withFakeTimers } from '../../../support/jest/fake-timers.js';

const STALE_MS = 30_000;
const EXPIRED_MS = 600_000;
/** The time limit of a read, and how long its failure counts as an outage. */
const READ_LIMIT_MS = 2_000;
const OUTAGE_MS = 9_000;

type Step =
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'state'; readonly state: StoreState }
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
      kind: fc.constant('state'),
      state: fc.constantFrom<StoreState>('up', 'up', 'slow', 'failing', 'hanging'),
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

/** The true state, which every outcome is compared with. */
type Truth = {
  readonly fake: FakeAccounts;
  readonly keys: Known[];
  readonly granted: Map<string, number>;
  /** The last time at which the store was slow, failing or hanging, and the last at which it was failing or hanging. */
  notUpMs: number;
  downMs: number;
};

/** The number of accepted keys, and of those that only an outage allows. */
type Tally = { accepted: number; stale: number };

/** Runs one interleaving, and checks every outcome. */
async function interleave(
  steps: readonly Step[],
  tally: Tally,
  advance: (ms: number) => Promise<void>,
): Promise<void> {
  const fake = createFakeAccounts(() => Date.now());
  const truth: Truth = { fake, keys: [], granted: new Map(), notUpMs: -Infinity, downMs: -Infinity };
  const pass = async (ms: number): Promise<void> => {
    recordState(truth);
    await advance(ms);
    recordState(truth);
  };
  createKey(truth, 'a');
  for (const step of steps) {
    if (step.kind === 'pass') await pass(step.ms);
    else if (step.kind === 'state') fake.state = step.state;
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
  if (key === undefined) throw new Error('no keys');
  return key;
}

function recordState(truth: Truth): void {
  const { state } = truth.fake;
  if (state !== 'up') truth.notUpMs = Date.now();
  if (state === 'failing' || state === 'hanging') truth.downMs = Date.now();
}

/** Authenticates like the gateway: without waiting if possible, and with a refresh if there are no grants. */
async function authenticate({ fake: { authenticator } }: Truth, text: string): Promise<Caller> {
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
  void authenticate(truth, key.text).then(
    (caller) => (outcome = caller),
    (error: unknown) => (outcome = error instanceof GatewayError ? error.code : String(error)),
  );
  for (let turns = 0; turns < 8 && outcome === undefined; turns += 1) await settle();
  while (outcome === undefined && Date.now() < beganMs + 3 * READ_LIMIT_MS) {
    await pass(100);
    for (let turns = 0; turns < 4; turns += 1) await settle();
  }
  recordState(truth);
  if (outcome === undefined) throw new Error('the request hangs');
  if (typeof outcome === 'string') checkRefusal(truth, key, beganMs, outcome);
  else checkCaller(truth, key, beganMs, outcome, tally);
}

function checkRefusal({ notUpMs }: Truth, key: Known, beganMs: number, code: string): void {
  const isCalm = beganMs - notUpMs > OUTAGE_MS;
  expect(isCalm ? ['api-key-invalid'] : ['api-key-invalid', 'store-unavailable']).toContain(code);
  if (isCalm && beganMs - key.createdMs >= 1_000) expect(key.revokedMs).toBeLessThanOrEqual(Date.now());
}

function checkCaller(truth: Truth, key: Known, beganMs: number, caller: Caller, tally: Tally): void {
  const nowMs = Date.now();
  tally.accepted += 1;
  expect(caller).toMatchObject({ account: key.account, keyId: key.id });
  const lateMs = nowMs - key.revokedMs;
  expect(lateMs).toBeLessThan(EXPIRED_MS);
  if (lateMs >= STALE_MS) {
    tally.stale += 1;
    expect(nowMs - truth.downMs).toBeLessThanOrEqual(OUTAGE_MS + READ_LIMIT_MS);
  }
  const grantedMs = truth.granted.get(key.account) ?? Infinity;
  if (caller.grants.length > 0) expect(grantedMs).toBeLessThanOrEqual(nowMs);
  else if (beganMs - truth.notUpMs > OUTAGE_MS) expect(beganMs - grantedMs).toBeLessThan(1_000);
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it(
  'accepts a revoked key no longer than allowed, and notices a grant in time, in any order of events',
  () =>
    withFakeTimers(async (advance) => {
      const tally: Tally = { accepted: 0, stale: 0 };
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), async (steps) => {
          await interleave(steps, tally, advance);
          await advance(READ_LIMIT_MS);
        }),
        { numRuns: 50, seed: 20 },
      );
      expect(tally.accepted).toBeGreaterThan(200);
      expect(tally.stale).toBeGreaterThan(3); // so the rule for outages was tested
    }),
  60_000,
);
