import { median, type Check } from '../report.js';
import type { IdleRequests } from './idle-requests.js';

export type Run = 'floor' | 'query' | 'ledger';

/** A measurement of a run. */
export type Sample = { readonly run: Run; readonly ms: number; readonly peakBytes: number };

/** Everything that the bench measures. `bytesRead` is relative to the bytes of the needed columns. */
export type CollectionMeasurements = {
  readonly samples: readonly Sample[];
  readonly bytesRead: number;
  readonly idle: readonly IdleRequests[];
};

/** Compares what was measured with the bounds. */
export function toChecks({ samples, bytesRead, idle }: CollectionMeasurements): Check[] {
  const of = (run: Run): readonly Sample[] => samples.filter((sample) => sample.run === run);
  const ms = (run: Run): number => median(of(run).map((sample) => sample.ms));
  const peakMb = Math.max(...of('query').map(({ peakBytes }) => peakBytes / 1e6));
  return [
    {
      name: 'query of a day, relative to a scan of its columns',
      measured: ms('query') / ms('floor'),
      relation: 'at most',
      bound: 16,
      unit: 'times',
    },
    { name: 'peak memory of the query', measured: peakMb, relation: 'under', bound: 1_400, unit: 'MB' },
    {
      name: 'bytes read of a day, relative to its needed columns',
      measured: bytesRead,
      relation: 'at most',
      bound: 1.1,
      unit: 'times',
    },
    {
      name: 'ledger, CSV and sources.json of 17 years written again',
      measured: ms('ledger'),
      relation: 'under',
      bound: 1_000,
      unit: 'ms',
    },
    ...idle.map(({ chain, source, requests }): Check => ({
      name: `requests to ${source} for ${chain} with nothing new`,
      measured: requests,
      relation: 'at most',
      bound: 2,
      unit: 'requests',
    })),
  ];
}
