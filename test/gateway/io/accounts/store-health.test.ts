import { damaged } from '../../../../gateway/io/accounts/account-documents.js';
import { createStoreHealth, type StoreHealth } from '../../../../gateway/io/accounts/store-health.js';

const UNREACHABLE = new Error('no route');

let errors: unknown[];
let health: StoreHealth;
beforeEach(() => {
  errors = [];
  health = createStoreHealth((error) => errors.push(error));
});

const succeed = (): Promise<string> => health.watch(() => Promise.resolve('answer'));
const fail = (error: Error): Promise<unknown> =>
  health.watch(() => Promise.reject(error)).catch((thrown: unknown) => thrown);

/** Begins an operation that waits until the test settles it. */
function begin() {
  let settle: (outcome: Promise<string>) => void = () => undefined;
  const outcome = health
    .watch(() => new Promise<string>((resolve) => (settle = resolve)))
    .catch((error: unknown) => error);
  return { outcome, settle };
}

it('returns or throws the outcome of each operation, and reports each error', async () => {
  expect(await succeed()).toBe('answer');
  expect(await fail(UNREACHABLE)).toBe(UNREACHABLE);
  expect(errors).toEqual([UNREACHABLE]);
});

it('counts a damaged document as an answer', async () => {
  await fail(UNREACHABLE);
  expect(health.isReachable()).toBe(false);
  await fail(damaged('accounts/a.json', 'is not JSON'));
  expect([health.isReachable(), errors.length]).toEqual([true, 2]);
});

it('ignores a time limit that is reached after a damaged document was read', async () => {
  const hanging = begin();
  await fail(damaged('accounts/a.json', 'is not JSON'));
  hanging.settle(Promise.reject(new Error('no answer in time')));
  await hanging.outcome;
  expect(health.isReachable()).toBe(true);
});

it('ignores a time limit that is reached after the outage has ended', async () => {
  const hanging = begin();
  await fail(UNREACHABLE);
  await succeed();
  hanging.settle(Promise.reject(new Error('no answer in time')));
  await hanging.outcome;
  expect([health.isReachable(), errors.length]).toEqual([true, 2]);
  await fail(UNREACHABLE);
  expect(health.isReachable()).toBe(false);
});

it('a slow answer ends an outage that began while it was awaited', async () => {
  const slow = begin();
  await fail(UNREACHABLE);
  slow.settle(Promise.resolve('late'));
  expect(await slow.outcome).toBe('late');
  expect(health.isReachable()).toBe(true);
});
