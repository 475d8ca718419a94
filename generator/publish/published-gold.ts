import pMap from 'p-map';
import type { Chain, GoldDay } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { manifestOf, type PublishedState } from '../core/release/published-state.js';
import type { Restatement } from '../core/release/restatement.js';
import { readArtifactJson } from '../state/stored-json.js';

const CONCURRENCY = 16;

/** Reads the published gold days of the dates whose input changed, in the order of their dates. */
export async function readPublishedGold(
  store: ObjectStore,
  chain: Chain,
  { input_dates: changed }: Restatement,
  state: PublishedState | undefined,
): Promise<GoldDay[]> {
  const dates = new Set(changed);
  const entries = manifestOf(state, 'gold', chain)?.dates.filter((entry) => dates.has(entry.date)) ?? [];
  return pMap(entries, (entry) => readArtifactJson(store, entry.sha256, 'gold-day'), {
    concurrency: CONCURRENCY,
  });
}
