import { createMemoryStore } from '../../support/stores/memory-store.js';
import { StoreError } from '../../../infra/store/object-store.js';
import { PUBLIC_PREFIX } from '../../../schemas/paths.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { interceptStore } from '../../support/stores/intercept-store.js';

it('reports a failure after the commit as such, and the next run refreshes the public copies', async () => {
  const memory = createMemoryStore();
  const options = {
    inputs: [randomSeries({ chain: 'arbitrum', seed: 1, days: 3 })],
    asOf: '2022-02-01T00:00:00Z',
  };
  const failing = interceptStore(memory, async ({ name, key }, run) => {
    if (name === 'compareAndSwap' && key.startsWith(PUBLIC_PREFIX))
      throw new StoreError('unavailable', 'no answer');
    return run();
  });
  await expect(publishSeries(failing, options)).rejects.toMatchObject({
    code: 'unavailable',
    message:
      '2022-02-01.000001 is published, but its public copies were not refreshed; the next run tries again: no answer',
  });
  expect((await publishSeries(memory, options)).outcome).toBe('unchanged');
  expect((await verifyStore(memory, { deep: false })).faults).toEqual([]);
});
