import { readLedgers } from '../../../../generator/input/collected-ledgers.js';
import { openInputFolder } from '../../../../generator/input/input-folder.js';
import { readInput } from '../../../../generator/input/read-input.js';
import type { ObjectStore } from '../../../../infra/store/object-store.js';
import { prepareSeries, publishPrepared } from '../../release/publish-series.js';
import { createStoppingStore, StoppedError } from '../../stores/stopping-store.js';
import { runAt, runMs } from './month-run.js';

type Publication = {
  readonly collection: ObjectStore;
  readonly store: ObjectStore;
  readonly hour: number;
  readonly kill?: number;
};

/** Publishes what a collection keeps, as `publish --accept-collected` does, but without lineages: they have laws of their own. */
export async function publishHour({ collection, store, hour, kill }: Publication): Promise<string> {
  const folder = await openInputFolder('s3://bucket/metrics', () => Promise.resolve(collection));
  const { series } = await readInput({ folder, asOfMs: runMs(hour) });
  const pointer = folder.collection?.();
  if (pointer === undefined) throw new Error('no collection');
  const target = kill === undefined ? store : createStoppingStore(store, kill).store;
  const recorded = await readLedgers(folder, pointer);
  try {
    const prepared = await prepareSeries(target, { inputs: series, asOf: runAt(hour), recorded });
    const report = await publishPrepared(target, prepared, runAt(hour));
    return report.outcome === 'refused' ? JSON.stringify(report) : report.outcome;
  } catch (error) {
    if (isStop(error)) return 'killed';
    throw error;
  }
}

function isStop(error: unknown): boolean {
  return error instanceof Error && (error instanceof StoppedError || isStop(error.cause));
}
