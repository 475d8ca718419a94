import { retryWrite } from '../../../generator/state/retry-write.js';
import { StoreError } from '../../../infra/store/object-store.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';

const store = createMemoryStore();

it('repeats an attempt until it has a result', async () => {
  let attempts = 0;
  const attempt = (): Promise<number | undefined> => {
    attempts += 1;
    return Promise.resolve(attempts === 3 ? 0 : undefined);
  };
  expect([await retryWrite(store, 'key', attempt), attempts]).toEqual([0, 3]);
});

it('gives up after 50 attempts, and names the object and the store', async () => {
  let attempts = 0;
  const attempt = (): Promise<undefined> => {
    attempts += 1;
    return Promise.resolve(undefined);
  };
  const failure = retryWrite(store, 'public/api/v1/status', attempt);
  await expect(failure).rejects.toThrow(StoreError);
  await expect(failure).rejects.toMatchObject({
    code: 'unavailable',
    message: expect.stringMatching(
      /^memory: answered 50 times .* changed public\/api\/v1\/status\. Run again/,
    ),
  });
  expect(attempts).toBe(50);
});
