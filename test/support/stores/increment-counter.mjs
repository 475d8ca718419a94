// Increments a counter in a directory store many times, and retries after each conflict.
// Arguments: root, key, count. Prints a line after the first increment.
import { createDirectoryStore } from '../../../infra/store/directory/directory-store.ts';

const [root, key, count] = process.argv.slice(2);
const store = createDirectoryStore(root);
const meta = { contentType: 'text/plain', cacheControl: 'no-cache' };

for (let done = 0; done < Number(count);) {
  const found = await store.get(key);
  const next = Number(found ? Buffer.from(found.bytes).toString() : 0) + 1;
  const result = await store.compareAndSwap(key, Buffer.from(String(next)), found?.etag ?? null, meta);
  if (result === 'conflict') continue;
  if (done === 0) process.stdout.write('started\n');
  done += 1;
}
