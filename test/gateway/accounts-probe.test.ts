import { createAccountsProbe } from '../../gateway/io/accounts-probe.js';
import { createStoreTouch } from '../../gateway/io/store-touch.js';
import { damaged } from '../../gateway/io/account-documents.js';
import { createMemoryStore } from '../../infra/store/memory-store.js';
import { STORE_KEY } from '../../schemas/paths.js';
import { withFakeTimers } from '../fixtures/fake-timers.js';
import { watchStore } from '../fixtures/watched-store.js';

const EVERY_MS = 15_000;

it('knows within one poll that a store is down and that it is back, though nobody asks for anything', () =>
  withFakeTimers(async (advance) => {
    let isDown = true;
    const store = watchStore(createMemoryStore(), (_operation, run) =>
      isDown ? Promise.reject(new Error('connection refused')) : run(),
    );
    const errors: unknown[] = [];
    const { isInTouch, note } = createStoreTouch((error) => errors.push(error));
    const probe = createAccountsProbe({ store, everyMs: EVERY_MS, onAnswer: note });
    await probe.start();
    expect([isInTouch(), errors.length]).toEqual([false, 1]);
    isDown = false;
    await advance(EVERY_MS);
    expect(isInTouch()).toBe(true);
    isDown = true;
    await advance(EVERY_MS);
    expect([isInTouch(), errors.length]).toEqual([false, 2]);
    probe.stop();
    await advance(10 * EVERY_MS);
    expect(errors).toHaveLength(2);
  }));

it('tells that a store of releases was given for one of accounts, also when it could not be seen at the start', async () => {
  const store = createMemoryStore();
  const mark = { contentType: 'application/json', cacheControl: 'no-store' };
  await store.putIfAbsent(STORE_KEY, Buffer.from('{}'), mark);
  const errors: unknown[] = [];
  const probe = createAccountsProbe({
    store,
    everyMs: EVERY_MS,
    onAnswer: (error) => errors.push(error),
  });
  await probe.start();
  probe.stop();
  expect(errors.map(String)).toEqual([expect.stringContaining('holds releases')]);
});

it('takes a damaged document for an answer, which is told all the same', () => {
  const errors: unknown[] = [];
  const touch = createStoreTouch((error) => errors.push(error));
  touch.note(new Error('no route'));
  touch.note(damaged('accounts/a.json', 'is not JSON'));
  expect([touch.isInTouch(), errors.length]).toEqual([true, 2]);
});
