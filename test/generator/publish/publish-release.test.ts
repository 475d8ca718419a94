import { publishRelease } from '../../../generator/publish/publish-release.js';
import { SILENT } from '../../../generator/run/progress.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { prepareSeries } from '../../support/release/publish-series.js';

it('writes nothing and reports nothing when there is no release to publish and none was published', async () => {
  const store = createMemoryStore();
  const { start, plan } = await prepareSeries(store, { inputs: [], asOf: '2022-01-04T00:00:00Z' });
  const options = { now: () => 0, progress: SILENT, signal: new AbortController().signal };
  const written = await publishRelease(store, { release: plan.release, start }, options);
  expect(written).toEqual({ objects: 0, bytes: 0 });
  for await (const { key } of store.list('')) throw new Error(`${key} was written`);
});
