import { readPointer } from '../../../../generator/state/published-state.js';
import { readArtifactJson } from '../../../../generator/state/stored-json.js';
import type { ObjectStore } from '../../../../infra/store/object-store.js';
import { readCurrent, readManifests } from '../../release/read-release.js';
import { MONTH_CHAINS, type MonthChain } from './month-script.js';

/** A value that a release shows first or changes; null if it is missing again. */
export type PublishedChange = {
  /** The instant of the release. */
  readonly at: string;
  readonly chain: MonthChain;
  readonly date: string;
  readonly metric: string;
  readonly value: number | null;
};

type Values = { readonly [metric: string]: number };

/** A reader of releases, who writes down what each of them changes. */
export type ReleaseReader = {
  /** Reads the current release. Returns its changes; none if it was read before. */
  readonly read: () => Promise<PublishedChange[]>;
  /** Everything that was written down. */
  readonly log: readonly PublishedChange[];
};

/** Creates a reader of a store. */
export function createReleaseReader(store: ObjectStore): ReleaseReader {
  const log: PublishedChange[] = [];
  const known = new Map<string, { readonly sha256: string; readonly values: Values }>();
  let revision: string | undefined;
  return {
    log,
    async read() {
      const pointer = await readPointer(store);
      if (pointer === undefined || pointer.value.revision === revision) return [];
      const record = await readCurrent(store);
      ({ revision } = record);
      const manifests = await readManifests(store, record);
      const changes: PublishedChange[] = [];
      for (const chain of MONTH_CHAINS) {
        for (const { date, sha256 } of manifests.get(`gold ${chain}`)?.dates ?? []) {
          const before = known.get(`${chain} ${date}`);
          if (before?.sha256 === sha256) continue;
          const values = await readValues(store, sha256);
          known.set(`${chain} ${date}`, { sha256, values });
          changes.push(...compareValues({ at: record.published_at, chain, date }, before?.values, values));
        }
      }
      log.push(...changes);
      return changes;
    },
  };
}

/** Reads from the current release alone what its manifests say was published when. */
export async function readPublishedHistory(store: ObjectStore): Promise<PublishedChange[]> {
  const manifests = await readManifests(store, await readCurrent(store));
  const changes: PublishedChange[] = [];
  for (const chain of MONTH_CHAINS) {
    const { dates = [], revisions = {} } = manifests.get(`gold ${chain}`) ?? {};
    for (const { date, superseded, ...current } of dates) {
      let before: Values | undefined;
      for (const { sha256, in_force_from: from } of [...superseded, current]) {
        const at = revisions[from]?.published_at ?? `unknown ${from}`;
        const values = await readValues(store, sha256);
        changes.push(...compareValues({ at, chain, date }, before, values));
        before = values;
      }
    }
  }
  return changes;
}

/** Reads the values of a published day. Metrics without a value are left out. */
async function readValues(store: ObjectStore, sha256: string): Promise<Values> {
  const { metrics } = await readArtifactJson(store, sha256, 'gold-day');
  return Object.fromEntries(
    Object.entries(metrics).filter((entry): entry is [string, number] => typeof entry[1] === 'number'),
  );
}

/** Returns the values of a date that differ. */
export function compareValues(
  place: Pick<PublishedChange, 'at' | 'chain' | 'date'>,
  before: Values | undefined,
  after: Values,
): PublishedChange[] {
  const metrics = [...new Set([...Object.keys(before ?? {}), ...Object.keys(after)])];
  return metrics
    .filter((metric) => before?.[metric] !== after[metric])
    .map((metric) => ({ ...place, metric, value: after[metric] ?? null }));
}

/** Writes changes as sorted lines. */
export function toTable(changes: readonly PublishedChange[]): string[] {
  return changes
    .map(({ at, chain, date, metric, value }) => `${at} ${chain} ${date} ${metric} ${value ?? 'missing'}`)
    .sort();
}
