import { createMemoryStore } from '../../infra/store/memory-store.js';
import { createTimedStore } from '../../gateway/io/timed-store.js';
import { createMoodyStore } from '../fixtures/moody-store.js';

describe('a timed store', () => {
  it('fails what takes too long, as a store that cannot be reached, and passes on the rest', async () => {
    const moody = createMoodyStore(createMemoryStore());
    const store = createTimedStore(moody.store, 50);
    const bytes = new Uint8Array([1]);
    const meta = { contentType: 'text/plain', cacheControl: 'no-cache' };
    expect(await store.putIfAbsent('a', bytes, meta)).toBe('created');
    const etag = (await store.get('a'))?.etag ?? null;
    expect(await store.compareAndSwap('a', bytes, etag, meta)).toMatch(/^"/);
    moody.mood = 'hanging';
    for (const asked of [
      store.get('a'),
      store.head('a'),
      store.putIfAbsent('b', bytes, meta),
      store.compareAndSwap('a', bytes, etag, meta),
      store.delete('a'),
    ]) {
      await expect(asked).rejects.toMatchObject({ name: 'StoreError', code: 'unavailable' });
    }
    moody.mood = 'up';
    expect((await store.head('a'))?.sizeBytes).toBe(1);
    const listed = [];
    for await (const { key: each } of store.list('')) listed.push(each);
    expect(listed).toEqual(['a']);
  });
});
