import { readLedgers } from '../../../../generator/input/collected-ledgers.js';
import { openInputFolder } from '../../../../generator/input/input-folder.js';
import { readInput } from '../../../../generator/input/read-input.js';
import { readArtifactJson } from '../../../../generator/state/stored-json.js';
import type { ObjectStore } from '../../../../infra/store/object-store.js';
import { readCurrent, readManifests } from '../../release/read-release.js';
import { prepareSeries, publishPrepared } from '../../release/publish-series.js';
import { createStoppingStore, StoppedError } from '../../stores/stopping-store.js';
import { runAt, runMs, type Kill } from './month-run.js';
import type { MonthChain } from './month-script.js';

type Publication = {
  readonly collection: ObjectStore;
  readonly store: ObjectStore;
  readonly hour: number;
  readonly kill?: Kill;
};

/** Publishes what a collection keeps, as `publish --accept-collected` does. */
export async function publishHour({ collection, store, hour, kill }: Publication): Promise<string> {
  const folder = await openInputFolder('s3://bucket/metrics', () => Promise.resolve(collection));
  const { series } = await readInput({ folder, asOfMs: runMs(hour) });
  const pointer = folder.collection?.();
  if (pointer === undefined) throw new Error('no collection');
  const target = kill === undefined ? store : createStoppingStore(store, kill.at, kill.when).store;
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

/** Reads the published values of a chain by date; dates without a value are left out. */
export async function readPublished(
  store: ObjectStore,
  chain: MonthChain,
): Promise<Map<string, { [metric: string]: number }>> {
  const manifests = await readManifests(store, await readCurrent(store));
  const published = new Map<string, { [metric: string]: number }>();
  for (const { date, sha256 } of manifests.get(`gold ${chain}`)?.dates ?? []) {
    const { metrics } = await readArtifactJson(store, sha256, 'gold-day');
    const values = Object.entries(metrics).filter(
      (entry): entry is [string, number] => typeof entry[1] === 'number',
    );
    if (values.length > 0) published.set(date, Object.fromEntries(values));
  }
  return published;
}
