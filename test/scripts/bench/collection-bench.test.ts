import { isPassed } from '../../../scripts/bench/harness.js';
import { toChecks, type CollectionMeasurements } from '../../../scripts/bench/collection-bench.js';

/** Measurements that are just within the bounds. */
const GOOD: CollectionMeasurements = {
  samples: [
    { run: 'floor', ms: 1_000, peakBytes: 3e9 },
    { run: 'query', ms: 16_000, peakBytes: 1.39e9 },
    { run: 'ledger', ms: 999, peakBytes: 3e9 },
  ],
  bytesRead: 1.1,
  idle: [{ chain: 'ethereum', source: 'aws', requests: 2 }],
};

function failing(measured: Partial<CollectionMeasurements>): string[] {
  const checks = toChecks({ ...GOOD, ...measured });
  return checks.filter((check) => !isPassed(check)).map(({ name }) => name);
}

it('passes what is within all bounds', () => {
  expect(failing({})).toEqual([]);
  expect(toChecks(GOOD)).toHaveLength(5);
});

it.each([
  ['query', { ms: 16_001 }, 'query of a day, relative to a scan of its columns'],
  ['query', { peakBytes: 1.4e9 }, 'peak memory of the query'],
  ['ledger', { ms: 1_000 }, 'ledger, CSV and sources.json of 17 years written again'],
])('fails a %s with %j', (run, change, name) => {
  const samples = GOOD.samples.map((sample) => (sample.run === run ? { ...sample, ...change } : sample));
  expect(failing({ samples })).toEqual([name]);
});

it('fails on bytes that no column needs, and on a third request', () => {
  expect(failing({ bytesRead: 1.11 })).toEqual(['bytes read of a day, relative to its needed columns']);
  expect(failing({ idle: [{ chain: 'arbitrum', source: 'growthepie', requests: 3 }] })).toEqual([
    'requests to growthepie for arbitrum with nothing new',
  ]);
});
