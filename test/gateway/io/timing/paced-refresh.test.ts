import fc from 'fast-check';
import { createPacedRefresh, type PacedRefresh } from '../../../../gateway/io/timing/paced-refresh.js';
import { withFakeTimers } from '../../../support/jest/fake-timers.js';

const PAUSE_MS = 1_000;

type Run = { readonly startedMs: number; endedMs: number };

/** Creates a paced refresh whose runs take `runMs`, and the list of its runs. */
function createScene(runMs: number): { readonly paced: PacedRefresh; readonly runs: Run[] } {
  const runs: Run[] = [];
  const paced = createPacedRefresh({
    pauseMs: PAUSE_MS,
    now: () => Date.now(),
    async refresh() {
      const run = { startedMs: Date.now(), endedMs: Infinity };
      runs.push(run);
      await new Promise((resolve) => setTimeout(resolve, runMs));
      run.endedMs = Date.now();
    },
  });
  return { paced, runs };
}

type Call = { readonly method: 'refreshNow' | 'refreshNext'; readonly calledMs: number; resolvedMs: number };

function call(paced: PacedRefresh, method: 'refreshNow' | 'refreshNext', calls: Call[]): void {
  const one = { method, calledMs: Date.now(), resolvedMs: Infinity };
  calls.push(one);
  void paced[method]().then(() => (one.resolvedMs = Date.now()));
}

it('runs one at a time; `refreshNext` waits for a run that starts after the call; without `refreshNow`, starts are at least a pause apart', () =>
  withFakeTimers(async (advance) => {
    const step = fc.record({
      method: fc.constantFrom('refreshNow', 'refreshNext', 'refreshNext', 'none'),
      ms: fc.constantFrom(0, 1, 100, 400, 999, 1_000, 3_000),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 5, maxLength: 30 }),
        fc.constantFrom(0, 50, 700, 1_500),
        async (steps, runMs) => {
          const { paced, runs } = createScene(runMs);
          const calls: Call[] = [];
          for (const { method, ms } of steps) {
            if (method === 'refreshNow' || method === 'refreshNext') call(paced, method, calls);
            await advance(ms);
          }
          await advance(20_000);
          runs.slice(1).forEach((run, i) => {
            expect(run.startedMs).toBeGreaterThanOrEqual(runs[i]?.endedMs ?? 0);
          });
          for (const { method, calledMs, resolvedMs } of calls) {
            const isServed = runs.some(({ startedMs, endedMs }) =>
              method === 'refreshNow'
                ? endedMs <= resolvedMs && endedMs >= calledMs
                : endedMs <= resolvedMs && startedMs >= calledMs,
            );
            expect([method, isServed]).toEqual([method, true]);
          }
          if (calls.some(({ method }) => method === 'refreshNow')) return;
          runs.slice(1).forEach((run, i) => {
            expect(run.startedMs - (runs[i]?.startedMs ?? 0)).toBeGreaterThanOrEqual(PAUSE_MS);
          });
        },
      ),
      { numRuns: 150 },
    );
  }));

it('shares a run between all callers that wait for it', () =>
  withFakeTimers(async (advance) => {
    const { paced, runs } = createScene(10);
    const calls: Call[] = [];
    for (let i = 0; i < 100; i += 1) call(paced, 'refreshNext', calls);
    await advance(50);
    for (let i = 0; i < 100; i += 1) call(paced, 'refreshNext', calls);
    await advance(5_000);
    expect(runs).toHaveLength(2);
    expect(calls.every(({ resolvedMs }) => resolvedMs < Infinity)).toBe(true);
  }));

it('serves callers of `refreshNext` by a run that `refreshNow` starts earlier', () =>
  withFakeTimers(async (advance) => {
    const { paced } = createScene(10);
    const calls: Call[] = [];
    for (let i = 0; i < 20; i += 1) {
      void paced.refreshNow();
      await advance(500);
      call(paced, 'refreshNext', calls);
      await advance(400);
    }
    await advance(2_000);
    for (const { calledMs, resolvedMs } of calls) expect(resolvedMs - calledMs).toBeLessThanOrEqual(510);
  }));

it('keeps the pause after a run that `refreshNow` started while a caller waited', () =>
  withFakeTimers(async (advance) => {
    const { paced, runs } = createScene(300);
    const startMs = Date.now();
    void paced.refreshNow();
    await advance(500);
    void paced.refreshNext();
    await advance(400);
    void paced.refreshNow();
    await advance(50);
    const calls: Call[] = [];
    call(paced, 'refreshNext', calls); // after the start of the current run
    await advance(5_000);
    expect(runs.map(({ startedMs }) => startedMs - startMs)).toEqual([0, 900, 1_900]);
    expect(calls[0]?.resolvedMs).toBe(startMs + 2_200);
  }));

it('waits no longer than a pause when the clock is set back', () =>
  withFakeTimers(async (advance) => {
    let backMs = 0;
    let runs = 0;
    const refresh = (): Promise<void> => {
      runs += 1;
      return Promise.resolve();
    };
    const paced = createPacedRefresh({ refresh, pauseMs: PAUSE_MS, now: () => Date.now() - backMs });
    await paced.refreshNow();
    backMs = 3_600_000;
    void paced.refreshNext();
    await advance(PAUSE_MS);
    expect(runs).toBe(2);
  }));
