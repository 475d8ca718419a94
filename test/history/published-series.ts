import { createMemoryStore } from '../support/stores/memory-store.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { InputSeries } from '../../generator/core/input/input-series.js';
import { planRelease } from '../../generator/core/release/plan-release.js';
import { planWithPublished } from '../../generator/publish/plan-with-published.js';
import type { Acceptance, Plan, PublishedState } from '../../generator/core/release/plan-types.js';
import { readProductTexts } from '../../generator/texts/product-texts.js';
import { readStartingPoint } from '../../generator/state/published-state.js';
import { CHAIN_IDS } from '../../schemas/catalog.js';
import { parseInstant } from '../../schemas/dates.js';
import type { Chain } from '../../schemas/types.generated.js';
import { publishSeries } from '../support/release/publish-series.js';
import { seriesOf } from './history-data.js';
import { toFullRecords, type FullRecords } from './full-records.js';

/** The public reason of all restatements in these tests. */
export const REASON = 'late edit';

const PUBLISHED_ON = '2024-01-01';
const PLANNED_ON = '2024-01-03';

/** The revision of the next release after a published state. */
export const PLANNED_REVISION = `${PLANNED_ON}.000001`;

/** Published series with their full computation. */
export type PublishedSeries = {
  readonly store: ObjectStore;
  readonly state: PublishedState;
  readonly inputs: readonly InputSeries[];
  readonly records: (chain: Chain) => FullRecords;
  /** Plans the published input with one series replaced. */
  readonly plan: (series: InputSeries, acceptance?: Acceptance) => Promise<Plan>;
};

/** Publishes series to a store in memory, by default to a new one. */
export async function createPublished(
  inputs: readonly InputSeries[],
  store: ObjectStore = createMemoryStore(),
): Promise<PublishedSeries> {
  await publishSeries(store, { inputs, asOf: PUBLISHED_ON });
  const state = await readState(store);
  const texts = await readProductTexts();
  const known = new Map<Chain, FullRecords>();
  return {
    store,
    state,
    inputs,
    records: (chain) => {
      const records = known.get(chain) ?? toFullRecords(seriesOf(inputs, chain));
      known.set(chain, records);
      return records;
    },
    plan: (series, acceptance) =>
      planWithPublished(store, (superseded) =>
        planRelease({
          inputs: inputs.map((each) => (each.chain === series.chain ? series : each)),
          previous: state,
          asOfMs: parseInstant(PLANNED_ON) ?? NaN,
          texts,
          superseded,
          ...(acceptance ? { acceptance } : {}),
        }),
      ),
  };
}

/** Reads the current state of a store. @throws Error if nothing is published. */
export async function readState(store: ObjectStore): Promise<PublishedState> {
  const { state } = await readStartingPoint(store, CHAIN_IDS);
  if (state === undefined) throw new Error('nothing is published');
  return state;
}

/** Returns the digest of every object of a store by key. */
export async function readDigests(store: ObjectStore): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for await (const { key } of store.list('')) digests.set(key, (await store.head(key))?.sha256 ?? '');
  return digests;
}
