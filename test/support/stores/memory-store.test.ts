import { createMemoryStore } from './memory-store.js';
import { describeObjectStore } from '../../contract/object-store.js';

describeObjectStore('a memory store', () =>
  Promise.resolve({ store: createMemoryStore(Date.now), dispose: () => Promise.resolve() }),
);

it('dates a write by the clock that it was created with', async () => {
  let nowMs = 1_000;
  const store = createMemoryStore(() => nowMs);
  const meta = { contentType: 'text/plain', cacheControl: 'no-cache' };
  await store.putIfAbsent('object', Buffer.from('text'), meta);
  nowMs = 5_000;
  const etag = (await store.head('object'))?.etag ?? null;
  expect((await store.head('object'))?.modifiedAtMs).toBe(1_000);
  await store.compareAndSwap('object', Buffer.from('text'), etag, meta);
  expect((await store.head('object'))?.modifiedAtMs).toBe(5_000);
});
