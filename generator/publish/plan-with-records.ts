import pMap from 'p-map';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { DayRecord } from '../core/records/day-writers.js';
import type { Plan } from '../core/release/plan-types.js';
import { daySchemaOf } from '../core/verification/check-day.js';
import { readArtifactJson } from '../state/stored-json.js';

const CONCURRENCY = 32;

/**
 * Plans, and reads the published records that the plan turns out to lack, until it lacks none. `plan` receives the records
 * that were read so far, by digest.
 */
export async function planWithRecords<P extends Pick<Plan, 'lacking'>>(
  store: ObjectStore,
  plan: (records: ReadonlyMap<string, DayRecord>) => P | Promise<P>,
  signal?: AbortSignal,
): Promise<P> {
  const records = new Map<string, DayRecord>();
  for (;;) {
    const planned = await plan(records);
    if (planned.lacking.length === 0) return planned;
    await pMap(
      new Map(planned.lacking.map(({ sha256, genre }) => [sha256, genre])),
      async ([sha256, genre]) => {
        signal?.throwIfAborted();
        records.set(sha256, await readArtifactJson(store, sha256, daySchemaOf(genre)));
      },
      { concurrency: CONCURRENCY },
    );
  }
}
