import { createMemoryStore } from '../support/stores/memory-store.js';
import { createTimedStore } from '../../gateway/service.js';
import { createOutageStore } from '../support/stores/outage-store.js';

describe('a timed store', () => {
  it('fails operations that exceed the limit as unavailable, and passes on the others', async () => {
    const outage = createOutageStore(createMemoryStore());
    const store = createTimedStore(outage.store, 50);
    const bytes = new Uint8Array([1]);
    const meta = { contentType: 'text/plain', cacheControl: 'no-cache' };
    expect(await store.putIfAbsent('a', bytes, meta)).toBe('created');
    const etag = (await store.get('a'))?.etag ?? null;
    expect(await store.compareAndSwap('a', bytes, etag, meta)).toMatch(/^"/);
    outage.state = 'hanging';
    for (const operation of [
      store.get('a'),
      store.head('a'),
      store.putIfAbsent('b', bytes, meta),
      store.compareAndSwap('a', bytes, etag, meta),
      store.delete('a'),
    ]) {
      await expect(operation).rejects.toMatchObject({ name: 'StoreError', code: 'unavailable' });
    }
    outage.state = 'up';
    expect((await store.head('a'))?.sizeBytes).toBe(1);
    const listed = [];
    for await (const { key: each } of store.list('')) listed.push(each);
    expect(listed).toEqual(['a']);
  });
});
