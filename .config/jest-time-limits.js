/** Limits the time of tests and hooks. The runner has no limit of its own. */
import { setTimeout as delay } from 'node:timers/promises';

const DEFAULT_MS = 20_000;

/** Returns a function that fails if `fn` takes longer than `ms`. */
function limit(fn, ms = DEFAULT_MS) {
  if (typeof fn !== 'function') return fn;
  return async (...args) => {
    const ended = new AbortController();
    const late = delay(ms, undefined, { signal: ended.signal }).then(() => {
      throw new Error(`took longer than ${ms} ms`);
    });
    try {
      return await Promise.race([fn(...args), late]);
    } finally {
      ended.abort();
      late.catch(() => {});
    }
  };
}

function withLimit(test) {
  const limited = (name, fn, ms) => test(name, limit(fn, ms), ms);
  limited.each = (...table) => {
    const add = test.each(...table);
    return (name, fn, ms) => add(name, limit(fn, ms), ms);
  };
  return limited;
}

for (const name of ['it', 'test']) {
  const test = globalThis[name];
  const { only, skip } = test;
  globalThis[name] = Object.assign(withLimit(test), { only: withLimit(only), skip });
}
for (const name of ['beforeAll', 'beforeEach', 'afterAll', 'afterEach']) {
  const hook = globalThis[name];
  globalThis[name] = (fn, ms) => hook(limit(fn, ms), ms);
}
