import { readCollectedInput } from '../../../generator/input/collected-ledgers.js';
import { commitCollection, readCollection } from '../../../generator/collect/collection-store.js';
import { toLineage } from '../../../generator/core/collection/ledger.js';
import type { PublishReport } from '../../../generator/core/release/publish-report.js';
import { openInputFolder } from '../../../generator/input/input-folder.js';
import { readInput } from '../../../generator/input/read-input.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { parseInstant } from '../../../schemas/dates.js';
import type { ChainState, LedgerLine } from '../../../schemas/types.generated.js';
import { prepareSeries, publishPrepared } from './publish-series.js';

/** A value that a collection accepts. One with a reason revises the date. */
export type Accepted = { readonly date: string; readonly txCount: number; readonly reason?: string };

/** Commits accepted values of base to a collection, with their lineages, and the state of the chain if it changed. */
export async function collectValues(
  collection: ObjectStore,
  accepted: readonly Accepted[],
  state?: ChainState,
): Promise<void> {
  const found = accepted.map(({ date, txCount, reason = null }) => {
    const values = { tx_count: String(txCount) };
    const evidence = { kind: 'responses', responses: [] } as const;
    const lineage = toLineage('files', { chain: 'base', date, values, counts: {}, evidence }, []);
    const line: LedgerLine = {
      chain: 'base',
      date,
      values,
      source: 'files',
      rule: reason === null ? 'day' : 'revision',
      reason,
      lineage: lineage.sha256,
      accepted_at: '2025-01-10T06:15:00Z',
    };
    return { lineage, line };
  });
  const change = {
    lines: new Map([['base', found.map(({ line }) => line)]] as const),
    lineages: found.map(({ lineage }) => lineage),
    states: new Map(state === undefined ? [] : [['base', state] as const]),
  };
  await commitCollection(collection, await readCollection(collection), change, {
    asOfMs: Date.parse('2025-01-10T06:15:00Z'),
    sources: { files: { name: 'files', licence: 'CC0' } },
  });
}

/** Publishes a collection like `publish --accept-collected`. */
export async function publishCollection(
  store: ObjectStore,
  collection: ObjectStore,
  asOf: string,
): Promise<PublishReport> {
  const folder = await openInputFolder('s3://bucket/metrics', () => Promise.resolve(collection));
  const { series: inputs } = await readInput({ folder, asOfMs: parseInstant(asOf) ?? NaN });
  const collected = await readCollectedInput(folder, { acceptCollected: true });
  return publishPrepared(store, await prepareSeries(store, { inputs, asOf, ...collected }), asOf);
}
