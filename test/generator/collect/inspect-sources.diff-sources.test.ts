import { diffSources } from '../../../generator/collect/inspect-sources.js';
import type { Source } from '../../../generator/sources/source.js';
import { createDays } from '../../support/collection/chain-scene.js';
import { createMemorySource } from '../../support/collection/memory-source.js';

it('a comparison of two sources fails if one gives a date without what it could not read', async () => {
  const a = createMemorySource(createDays(2));
  const b: Source = {
    ...createMemorySource(createDays(2), 'other'),
    day: async (chain, date, signal) => ({
      ...(await a.day(chain, date, signal)),
      failures: ['other: fees.json: status 500.'],
    }),
  };
  const span = { first: '2026-07-01', last: '2026-07-02' };
  const { signal } = new AbortController();
  await expect(
    diffSources({ chain: 'base', a, b, span, signal, onDate: () => undefined }),
  ).rejects.toMatchObject({ exit: 'store-unavailable', message: 'other: fees.json: status 500.' });
});
