import { createMemoryStore } from '../../infra/store/memory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { createStoppableStore } from '../../infra/store/stoppable-store.js';
import { describeObjectStore } from '../contract/object-store.js';
import { META } from '../contract/store-use.js';
import { watchStore } from '../fixtures/watched-store.js';

const BODY = Buffer.from('text');
const NEVER = new AbortController().signal;

describeObjectStore('a stoppable store that is not stopped', () =>
  Promise.resolve({
    store: createStoppableStore(createMemoryStore(Date.now), NEVER),
    dispose: () => Promise.resolve(),
  }),
);

/** Every operation of the port. */
const OPERATIONS: readonly [string, (store: ObjectStore) => Promise<unknown>][] = [
  ['get', (store) => store.get('a')],
  ['head', (store) => store.head('a')],
  ['putIfAbsent', (store) => store.putIfAbsent('b', BODY, META)],
  ['compareAndSwap', (store) => store.compareAndSwap('b', BODY, null, META)],
  ['list', (store) => listAll(store)],
  ['delete', (store) => store.delete('a')],
];

async function listAll(store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list('')) keys.push(key);
  return keys;
}

describe('a stoppable store', () => {
  let abort: AbortController;
  let inner: ObjectStore;
  /** Operations of the inner store that were begun. */
  let begun: string[];
  let answers: boolean;
  let store: ObjectStore;
  beforeEach(async () => {
    abort = new AbortController();
    inner = createMemoryStore(Date.now);
    await inner.putIfAbsent('a', BODY, META);
    begun = [];
    answers = true;
    const watched = watchStore(inner, ({ name }, run) => {
      begun.push(name);
      return answers ? run() : new Promise(() => undefined);
    });
    store = createStoppableStore(watched, abort.signal);
  });

  it('has the address of the store within', () => {
    expect(store.address).toBe(inner.address);
  });

  it.each(OPERATIONS)(
    'ends %s, under way in a store that does not answer, when it is stopped',
    async (_name, ask) => {
      answers = false;
      const asked = ask(store);
      await Promise.resolve();
      abort.abort(new Error('stop now'));
      await expect(asked).rejects.toThrow('stop now');
      expect(begun).toHaveLength(1);
    },
  );

  it.each(OPERATIONS)('refuses %s after that, and does not pass it on', async (_name, ask) => {
    abort.abort(new Error('stop now'));
    await expect(ask(store)).rejects.toThrow('stop now');
    expect(begun).toEqual([]);
    expect(await listAll(inner)).toEqual(['a']);
  });

  it('ends every operation that is under way', async () => {
    answers = false;
    const asked = Array.from({ length: 40 }, () => store.get('a'));
    abort.abort(new Error('stop now'));
    const ended = await Promise.allSettled(asked);
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['rejected']));
  });

  it('ends a listing between two of its objects', async () => {
    await inner.putIfAbsent('b', BODY, META);
    const seen: string[] = [];
    const listing = (async () => {
      for await (const { key } of store.list('')) {
        seen.push(key);
        abort.abort(new Error('stop now'));
      }
    })();
    await expect(listing).rejects.toThrow('stop now');
    expect(seen).toEqual(['a']);
  });

  it('passes on how an operation fails', async () => {
    const broken = { ...inner, get: () => Promise.reject(new TypeError('no key')) };
    await expect(createStoppableStore(broken, NEVER).get('a')).rejects.toThrow(TypeError);
  });

  it('hears of an abort when nothing is under way, and of a late failure, without harm', async () => {
    const failing = createStoppableStore(
      watchStore(inner, async () => {
        await new Promise((resolve) => setImmediate(resolve));
        throw new Error('too late');
      }),
      abort.signal,
    );
    const asked = failing.get('a');
    abort.abort(new Error('stop now'));
    await expect(asked).rejects.toThrow('stop now');
    await new Promise((resolve) => setTimeout(resolve, 5));
  });
});

describe('a long run on a stoppable store', () => {
  it('keeps nothing of what it has read', async () => {
    const store = createStoppableStore(createMemoryStore(Date.now), NEVER);
    await store.putIfAbsent('a', BODY, META);
    const held = await Promise.all(
      Array.from({ length: 20 }, async () => new WeakRef((await store.get('a')) ?? {})),
    );
    await collectGarbage();
    expect(held.filter((each) => each.deref() !== undefined)).toEqual([]);
  });
});

/** Makes the engine collect what nothing holds any more, in a later turn than the one that let go of it. */
async function collectGarbage(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // what the flag exposes
  for (let i = 0; i < 3; i += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
}
