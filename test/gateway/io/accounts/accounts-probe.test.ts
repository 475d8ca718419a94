import { createAccountsProbe } from '../../../../gateway/io/accounts/accounts-probe.js';
import { createStoreHealth } from '../../../../gateway/io/accounts/store-health.js';
import { createMemoryStore } from '../../../support/stores/memory-store.js';
import { STORE_KEY } from '../../../../schemas/paths.js';
import { withFakeTimers } from '../../../support/jest/fake-timers.js';
import { interceptStore } from '../../../support/stores/intercept-store.js';

const EVERY_MS = 15_000;

it('notices within one check that a store is down or back, without any request', () =>
  withFakeTimers(async (advance) => {
    let isDown = true;
    const store = interceptStore(createMemoryStore(), (_operation, run) =>
      isDown ? Promise.reject(new Error('connection refused')) : run(),
    );
    const errors: unknown[] = [];
    const { isReachable, watch } = createStoreHealth((error) => errors.push(error));
    const probe = createAccountsProbe({ store, everyMs: EVERY_MS, watch });
    await probe.start();
    expect([isReachable(), errors.length]).toEqual([false, 1]);
    isDown = false;
    await advance(EVERY_MS);
    expect(isReachable()).toBe(true);
    isDown = true;
    await advance(EVERY_MS);
    expect([isReachable(), errors.length]).toEqual([false, 2]);
    probe.stop();
    await advance(10 * EVERY_MS);
    expect(errors).toHaveLength(2);
  }));

it('reports a store of releases that is used for accounts', async () => {
  const store = createMemoryStore();
  const meta = { contentType: 'application/json', cacheControl: 'no-store' };
  await store.putIfAbsent(STORE_KEY, Buffer.from('{}'), meta);
  const errors: unknown[] = [];
  const probe = createAccountsProbe({
    store,
    everyMs: EVERY_MS,
    watch: createStoreHealth((error) => errors.push(error)).watch,
  });
  await probe.start();
  probe.stop();
  expect(errors.map(String)).toEqual([expect.stringContaining('contains releases')]);
});
