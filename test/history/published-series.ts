import { createMemoryStore } from '../../infra/store/memory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { InputSeries } from '../../generator/core/input-series.js';
import { planRelease } from '../../generator/core/release/plan-release.js';
import type { Acceptance, Plan } from '../../generator/core/release/plan-types.js';
import type { PublishedState } from '../../generator/core/release/published-state.js';
import { readProductTexts } from '../../generator/io/product-texts.js';
import { readStartingPoint } from '../../generator/io/published-state.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { parseInstant } from '../../schemas/dates.js';
import type { Chain } from '../../schemas/types.generated.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { seriesOf } from './history-data.js';
import { toNaiveRecords, type NaiveRecords } from './naive-records.js';

/** The public reason that these tests restate with. */
export const REASON = 'late edit';

const PUBLISHED_ON = '2024-01-01';
const PLANNED_ON = '2024-01-03';

/** The revision of a release that is planned from a published state. */
export const PLANNED_REVISION = `${PLANNED_ON}.000001`;

/** Series that are published, with what the naive implementation says of them. */
export type PublishedSeries = {
  readonly store: ObjectStore;
  readonly state: PublishedState;
  readonly inputs: readonly InputSeries[];
  readonly naive: (chain: Chain) => NaiveRecords;
  /** Plans the published input with one series in the place of its chain's. */
  readonly plan: (series: InputSeries, acceptance?: Acceptance) => Plan;
};

/** Publishes series to a store in memory, a new one unless one is given. */
export async function createPublished(
  inputs: readonly InputSeries[],
  store: ObjectStore = createMemoryStore(),
): Promise<PublishedSeries> {
  await publishSeries(store, { inputs, asOf: PUBLISHED_ON });
  const state = await readState(store);
  const texts = await readProductTexts();
  const known = new Map<Chain, NaiveRecords>();
  return {
    store,
    state,
    inputs,
    naive: (chain) => {
      const records = known.get(chain) ?? toNaiveRecords(seriesOf(inputs, chain));
      known.set(chain, records);
      return records;
    },
    plan: (series, acceptance) =>
      planRelease({
        inputs: inputs.map((each) => (each.chain === series.chain ? series : each)),
        previous: state,
        asOfMs: parseInstant(PLANNED_ON) ?? NaN,
        texts,
        ...(acceptance ? { acceptance } : {}),
      }),
  };
}

/** Reads the current state of a store. @throws Error when nothing is published. */
export async function readState(store: ObjectStore): Promise<PublishedState> {
  const { state } = await readStartingPoint(store, CHAIN_IDS);
  if (state === undefined) throw new Error('nothing is published');
  return state;
}

/** The digest of every object of a store by its key. */
export async function readDigests(store: ObjectStore): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for await (const { key } of store.list('')) digests.set(key, (await store.head(key))?.sha256 ?? '');
  return digests;
}
