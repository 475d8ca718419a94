import fc from 'fast-check';
import { createPacedLook, type PacedLook } from '../../gateway/io/paced-look.js';
import { withFakeTimers } from '../fixtures/fake-timers.js';

const PAUSE_MS = 1_000;

type Look = { readonly beganMs: number; endedMs: number };

/** A paced look that takes so long each time, and the looks that were made. */
function createScene(takesMs: () => number): { readonly paced: PacedLook; readonly looks: Look[] } {
  const looks: Look[] = [];
  const paced = createPacedLook({
    pauseMs: PAUSE_MS,
    now: () => Date.now(),
    async look() {
      const look = { beganMs: Date.now(), endedMs: Infinity };
      looks.push(look);
      await new Promise((resolve) => setTimeout(resolve, takesMs()));
      look.endedMs = Date.now();
    },
  });
  return { paced, looks };
}

/** When something was asked for, and when it was had. */
type Asked = { readonly kind: 'now' | 'next'; readonly atMs: number; hadMs: number };

function ask(paced: PacedLook, kind: 'now' | 'next', asked: Asked[]): void {
  const one = { kind, atMs: Date.now(), hadMs: Infinity };
  asked.push(one);
  void paced[kind]().then(() => (one.hadMs = Date.now()));
}

it('is made one at a time; who asks for `next` gets a look that began later, a pause after the one before', () =>
  withFakeTimers(async (advance) => {
    const step = fc.record({
      kind: fc.constantFrom('now', 'next', 'next', 'wait'),
      ms: fc.constantFrom(0, 1, 100, 400, 999, 1_000, 3_000),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 30 }),
        fc.constantFrom(0, 50, 700, 1_500),
        async (steps, takesMs) => {
          const { paced, looks } = createScene(() => takesMs);
          const asked: Asked[] = [];
          for (const { kind, ms } of steps) {
            if (kind === 'now' || kind === 'next') ask(paced, kind, asked);
            await advance(ms);
          }
          await advance(20_000);
          looks.slice(1).forEach((look, i) => {
            expect(look.beganMs).toBeGreaterThanOrEqual(looks[i]?.endedMs ?? 0);
          });
          for (const { kind, atMs, hadMs } of asked) {
            const served = looks.some(({ beganMs, endedMs }) =>
              kind === 'now' ? endedMs <= hadMs && endedMs >= atMs : endedMs <= hadMs && beganMs >= atMs,
            );
            expect([kind, served]).toEqual([kind, true]);
          }
          const isPolled = asked.some(({ kind }) => kind === 'now');
          if (!isPolled) {
            looks.slice(1).forEach((look, i) => {
              expect(look.beganMs - (looks[i]?.beganMs ?? 0)).toBeGreaterThanOrEqual(PAUSE_MS);
            });
          }
        },
      ),
      { numRuns: 150 },
    );
  }));

it('is shared by all who wait', () =>
  withFakeTimers(async (advance) => {
    const { paced, looks } = createScene(() => 10);
    const asked: Asked[] = [];
    for (let i = 0; i < 100; i += 1) ask(paced, 'next', asked);
    await advance(50);
    for (let i = 0; i < 100; i += 1) ask(paced, 'next', asked);
    await advance(5_000);
    expect(looks).toHaveLength(2);
    expect(asked.every(({ hadMs }) => hadMs < Infinity)).toBe(true);
  }));

it('that others begin again and again serves those who wait, and does not make them wait anew', () =>
  withFakeTimers(async (advance) => {
    const { paced } = createScene(() => 10);
    const asked: Asked[] = [];
    for (let i = 0; i < 20; i += 1) {
      void paced.now();
      await advance(500);
      ask(paced, 'next', asked);
      await advance(400);
    }
    await advance(2_000);
    for (const { atMs, hadMs } of asked) expect(hadMs - atMs).toBeLessThanOrEqual(510);
  }));

it('keeps its distance from a look that began while somebody waited', () =>
  withFakeTimers(async (advance) => {
    const { paced, looks } = createScene(() => 300);
    const beganMs = Date.now();
    void paced.now();
    await advance(500);
    void paced.next();
    await advance(400);
    void paced.now();
    await advance(50);
    const asked: Asked[] = [];
    ask(paced, 'next', asked); // after the look that is under way began
    await advance(5_000);
    expect(looks.map((look) => look.beganMs - beganMs)).toEqual([0, 900, 1_900]);
    expect(asked[0]?.hadMs).toBe(beganMs + 2_200);
  }));

it('is waited for no longer than a pause when the clock was set back', () =>
  withFakeTimers(async (advance) => {
    let backMs = 0;
    let looks = 0;
    const look = (): Promise<void> => {
      looks += 1;
      return Promise.resolve();
    };
    const paced = createPacedLook({ look, pauseMs: PAUSE_MS, now: () => Date.now() - backMs });
    await paced.now();
    backMs = 3_600_000;
    void paced.next();
    await advance(PAUSE_MS);
    expect(looks).toBe(2);
  }));
