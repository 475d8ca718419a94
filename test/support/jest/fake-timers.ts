import { install } from '@sinonjs/fake-timers';

/** Runs with fake timers and a fake `Date`, which only `advance` moves, by milliseconds. */
export async function withFakeTimers(
  run: (advance: (ms: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  const clock = install({
    now: Date.now(),
    toFake: ['Date', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'],
  });
  try {
    await run(async (ms) => {
      await clock.tickAsync(ms);
    });
  } finally {
    clock.uninstall();
  }
}
