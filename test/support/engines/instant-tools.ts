import type { EngineTools } from '../../../generator/engines/engine.js';

/** Tools that never wait. `slept` has the milliseconds of each sleep; random numbers are all 0.5. */
export function createInstantTools(): EngineTools & { readonly slept: readonly number[] } {
  const slept: number[] = [];
  return {
    slept,
    random: () => 0.5,
    async sleep(ms, signal) {
      signal.throwIfAborted();
      slept.push(ms);
      await new Promise(setImmediate); // so that an abort can arrive
    },
  };
}
