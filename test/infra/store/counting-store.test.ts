import {
  createByteCounts,
  createCountingStore,
  createRequestCounts,
} from '../../../infra/store/counting-store.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { describeObjectStore } from '../../contract/object-store.js';
import { META } from '../../contract/store-use.js';

const BODY = Buffer.from('text');

describeObjectStore('a counting store', () =>
  Promise.resolve({
    store: createCountingStore(createMemoryStore(Date.now), createRequestCounts()),
    dispose: () => Promise.resolve(),
  }),
);

describe('a counting store', () => {
  let counts: ReturnType<typeof createRequestCounts>;
  let bytes: ReturnType<typeof createByteCounts>;
  let store: ObjectStore;
  beforeEach(() => {
    counts = createRequestCounts();
    bytes = createByteCounts();
    store = createCountingStore(createMemoryStore(Date.now), counts, bytes);
  });

  it('counts the operations of each kind', async () => {
    await store.get('a');
    await store.get('a');
    await store.head('a');
    await store.putIfAbsent('a', BODY, META);
    await store.compareAndSwap('b', BODY, null, META);
    await store.compareAndSwap('b', BODY, null, META);
    for await (const { key } of store.list('')) expect(['a', 'b']).toContain(key);
    await store.delete('a');
    expect(counts).toEqual({ get: 2, head: 1, put: 3, list: 1, delete: 1 });
  });

  it('counts the bytes of bodies read and sent, and none for a missing object', async () => {
    await store.get('a');
    await store.putIfAbsent('a', BODY, META);
    await store.head('a');
    await store.get('a');
    expect(bytes).toEqual({ read: 4, sent: 4 });
  });

  it('counts the body of a write that changes nothing', async () => {
    await store.putIfAbsent('a', BODY, META);
    expect(await store.putIfAbsent('a', BODY, META)).toBe('exists');
    expect(await store.compareAndSwap('a', BODY, null, META)).toBe('conflict');
    expect(bytes).toEqual({ read: 0, sent: 12 });
  });

  it('counts an operation that fails', async () => {
    const broken = { ...store, get: () => Promise.reject(new TypeError('no key')) };
    await expect(createCountingStore(broken, counts, bytes).get('a')).rejects.toThrow(TypeError);
    expect([counts.get, bytes.read]).toEqual([1, 0]);
  });

  it('counts the operations of several stores together', async () => {
    const other = createCountingStore(createMemoryStore(Date.now), counts, bytes);
    await store.putIfAbsent('a', BODY, META);
    await other.putIfAbsent('a', BODY, META);
    expect([counts.put, bytes.sent]).toEqual([2, 8]);
  });
});
