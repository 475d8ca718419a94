import fc from 'fast-check';
import { createFreshValues } from '../../../../gateway/io/timing/fresh-values.js';
import { freshnessByAge } from '../../../../gateway/io/timing/freshness.js';

const AGES = { agingMs: 20, staleMs: 30, expiredMs: 600 };
const RETRY_MS = 5;
const OUTAGE_MS = 9;
const LOAD_MS = 2;

type Step =
  | { readonly kind: 'pass'; readonly ms: number }
  | { readonly kind: 'source'; readonly state: 'up' | 'slow' | 'failing' }
  | { readonly kind: 'peek' }
  | { readonly kind: 'read'; readonly maxAgeMs: number | undefined };

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('pass' as const),
      ms: fc.constantFrom(0, 1, 2, 4, 5, 9, 19, 20, 29, 30, 300, 599, 600, -1, -40, -1_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('source' as const),
      state: fc.constantFrom('up' as const, 'slow' as const, 'failing' as const),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('peek' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('read' as const),
      maxAgeMs: fc.constantFrom(undefined, undefined, 0, 1, 10),
    }),
  },
);

/** Runs the steps and checks every result. A value is the time at which its load started, so it shows its age. */
async function run(steps: readonly Step[], tally: { stale: number }): Promise<void> {
  let nowMs = 1_000_000;
  let state: 'up' | 'slow' | 'failing' = 'up';
  let running = 0;
  let failedMs = -Infinity;
  const values = createFreshValues<number>({
    max: 1,
    async load() {
      const startMs = nowMs;
      const isFailing = state === 'failing';
      running += 1;
      expect(running).toBe(1);
      await settle();
      if (state !== 'up') nowMs += LOAD_MS;
      running -= 1;
      if (isFailing) throw new Error('down');
      return startMs;
    },
    now: () => nowMs,
    freshness: (_value, ageMs) => freshnessByAge(ageMs, AGES),
    retryMs: RETRY_MS,
    outageMs: OUTAGE_MS,
    onSettled: (error) => (failedMs = error === undefined ? -Infinity : nowMs),
  });
  const judge = (value: number): void => {
    const ageMs = nowMs - value;
    expect(ageMs).toBeGreaterThanOrEqual(0);
    expect(ageMs).toBeLessThan(AGES.expiredMs);
    if (ageMs < AGES.staleMs) return;
    tally.stale += 1;
    expect(nowMs - failedMs).toBeLessThan(OUTAGE_MS);
  };
  for (const each of steps) {
    if (each.kind === 'pass') {
      await settle(); // a load has a time limit, so it does not last longer than its value stays fresh
      nowMs += each.ms;
    } else if (each.kind === 'source') state = each.state;
    else if (each.kind === 'peek') {
      const value = values.peek('a');
      if (value !== undefined) judge(value);
    } else {
      const before = nowMs;
      const isIdle = running === 0; // otherwise it joins a load that started earlier
      const value = await values.read('a', each.maxAgeMs).catch(() => undefined);
      if (value !== undefined) judge(value);
      const isUp = state === 'up' && before - failedMs > RETRY_MS;
      if (value !== undefined && each.maxAgeMs !== undefined && isUp && isIdle) {
        expect(before - value).toBeLessThanOrEqual(each.maxAgeMs);
      }
    }
  }
  await settle();
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

it('never returns an expired value, nor a stale one without a recent failure, in any order of events', async () => {
  const tally = { stale: 0 };
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60 }), (steps) => run(steps, tally)),
    { numRuns: 300, seed: 7 },
  );
  expect(tally.stale).toBeGreaterThan(20); // so the rule for stale values was tested
});
