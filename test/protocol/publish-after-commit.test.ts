import { createMemoryStore } from '../../infra/store/memory-store.js';
import { StoreError } from '../../infra/store/object-store.js';
import { PUBLIC_PREFIX } from '../../schemas/paths.js';
import { verifyStore } from '../../generator/io/verify-store.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';
import { watchStore } from '../fixtures/watched-store.js';

it('a failure after the commit is told as one, and the next run refreshes the public copies', async () => {
  const memory = createMemoryStore();
  const terms = {
    inputs: [randomSeries({ chain: 'arbitrum', seed: 1, days: 3 })],
    asOf: '2022-02-01T00:00:00Z',
  };
  const failing = watchStore(memory, async ({ name, key }, run) => {
    if (name === 'compareAndSwap' && key.startsWith(PUBLIC_PREFIX))
      throw new StoreError('unavailable', 'no answer');
    return run();
  });
  await expect(publishSeries(failing, terms)).rejects.toMatchObject({
    code: 'unavailable',
    message:
      '2022-02-01.000001 is published, but some public copies lag; the next run refreshes them: no answer',
  });
  expect((await publishSeries(memory, terms)).outcome).toBe('unchanged');
  expect((await verifyStore(memory, { deep: false })).faults).toEqual([]);
});
