import { jest } from '@jest/globals';

/** Runs with fake timers and a fake `Date`, which only `advance` moves, by milliseconds. */
export async function withFakeTimers(
  run: (advance: (ms: number) => Promise<void>) => Promise<void>,
): Promise<void> {
  jest.useFakeTimers({ doNotFake: ['performance', 'nextTick', 'queueMicrotask', 'setImmediate'] });
  try {
    await run((ms) => jest.advanceTimersByTimeAsync(ms));
  } finally {
    jest.useRealTimers();
  }
}
