import { createMemoryStore } from '../../support/stores/memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { createStoppableStore } from '../../../infra/store/stoppable-store.js';
import { describeObjectStore } from '../../contract/object-store.js';
import { META } from '../../contract/store-use.js';
import { interceptStore } from '../../support/stores/intercept-store.js';

const BODY = Buffer.from('text');
const NEVER = new AbortController().signal;

describeObjectStore('a stoppable store that is not stopped', () =>
  Promise.resolve({
    store: createStoppableStore(createMemoryStore(Date.now), NEVER),
    dispose: () => Promise.resolve(),
  }),
);

/** All operations of a store. */
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
  /** Operations of the inner store that were started. */
  let started: string[];
  let answers: boolean;
  let store: ObjectStore;
  beforeEach(async () => {
    abort = new AbortController();
    inner = createMemoryStore(Date.now);
    await inner.putIfAbsent('a', BODY, META);
    started = [];
    answers = true;
    const watched = interceptStore(inner, ({ name }, run) => {
      started.push(name);
      return answers ? run() : new Promise(() => undefined);
    });
    store = createStoppableStore(watched, abort.signal);
  });

  it('has the address of the inner store', () => {
    expect(store.address).toBe(inner.address);
  });

  it.each(OPERATIONS)(
    'rejects a running %s of a store that does not answer when it is stopped',
    async (_name, call) => {
      answers = false;
      const asked = call(store);
      await Promise.resolve();
      abort.abort(new Error('stop now'));
      await expect(asked).rejects.toThrow('stop now');
      expect(started).toHaveLength(1);
    },
  );

  it.each(OPERATIONS)('rejects a later %s without a call to the inner store', async (_name, call) => {
    abort.abort(new Error('stop now'));
    await expect(call(store)).rejects.toThrow('stop now');
    expect(started).toEqual([]);
    expect(await listAll(inner)).toEqual(['a']);
  });

  it('rejects all running operations', async () => {
    answers = false;
    const asked = Array.from({ length: 40 }, () => store.get('a'));
    abort.abort(new Error('stop now'));
    const ended = await Promise.allSettled(asked);
    expect(new Set(ended.map(({ status }) => status))).toEqual(new Set(['rejected']));
  });

  it('rejects a listing between two objects', async () => {
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

  it('passes on the failure of an operation', async () => {
    const broken = { ...inner, get: () => Promise.reject(new TypeError('no key')) };
    await expect(createStoppableStore(broken, NEVER).get('a')).rejects.toThrow(TypeError);
  });

  it('ignores a failure after it was stopped', async () => {
    const failing = createStoppableStore(
      interceptStore(inner, async () => {
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
  it('does not keep in memory the objects that were read', async () => {
    const store = createStoppableStore(createMemoryStore(Date.now), NEVER);
    await store.putIfAbsent('a', BODY, META);
    const references = await Promise.all(
      Array.from({ length: 20 }, async () => new WeakRef((await store.get('a')) ?? {})),
    );
    await collectGarbage();
    expect(references.filter((each) => each.deref() !== undefined)).toEqual([]);
  });
});

/** Runs the engine's garbage collection in a later turn of the event loop, when no reference is left. */
async function collectGarbage(): Promise<void> {
  const { setFlagsFromString } = await import('node:v8');
  const { runInNewContext } = await import('node:vm');
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void; // exposed by the flag
  for (let i = 0; i < 3; i += 1) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
}
