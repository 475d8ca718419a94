import { createDirectoryStore } from '../../../infra/store/directory/directory-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { createMemoryCopies, type MemoryCopies } from '../stores/memory-copies.js';
import { keepStore } from './kept-store.js';

let copies: Promise<MemoryCopies> | undefined;

/** Returns a new store in memory with one release of base: three days from 2022-01-01, as of 2022-01-04. */
export async function openSmallRelease(): Promise<ObjectStore> {
  copies ??= readSmallRelease();
  return (await copies).create();
}

async function readSmallRelease(): Promise<MemoryCopies> {
  const root = await keepStore({
    name: 'small',
    sources: ['generator', 'infra/store', 'schemas', 'templates', 'test/support/release'],
    async publish(folder) {
      // Imported here, because most suites find the release published and need no generator.
      const { publishSeries } = await import('./publish-series.js');
      const { randomSeries } = await import('./random-series.js');
      const inputs = [randomSeries({ chain: 'base', seed: 7, days: 3 })];
      await publishSeries(createDirectoryStore(folder), { inputs, asOf: '2022-01-04' });
    },
  });
  return createMemoryCopies(createDirectoryStore(root));
}
