import { CHAIN_IDS } from '../../schemas/catalog.js';
import { parseInstant } from '../../schemas/dates.js';
import { objectKey, releaseKey, RELEASES_PREFIX } from '../../schemas/paths.js';
import type { Chain, GoldDay, ReleaseRecord } from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import type { InputSeries } from '../core/input-series.js';
import { createInputDigest } from '../core/release/input-digest.js';
import { manifestOf, type PublishedState } from '../core/release/published-state.js';
import type { Plan } from '../core/release/plan-types.js';
import { planRelease } from '../core/release/plan-release.js';
import type { StoreFault } from '../core/verification/fault.js';
import { toGoldSeries } from '../core/verification/gold-series.js';
import { readProductTexts } from './product-texts.js';
import { readPointer, readState } from './published-state.js';

/**
 * Plans the current release once more from its published gold days alone, rebuilding everything. A sound release
 * comes out unchanged; otherwise each file that would differ is a fault.
 */
export async function recomputeRelease(
  store: ObjectStore,
  record: ReleaseRecord,
  gold: ReadonlyMap<Chain, readonly GoldDay[]>,
): Promise<StoreFault[]> {
  const chains = CHAIN_IDS.filter((chain) => record.chains[chain] !== undefined);
  const pointer = await readPointer(store);
  const previous = await readState(store, record, pointer?.value.sha256 ?? '', chains);
  const inputs = chains.map((chain) =>
    toGoldSeries(chain, gold.get(chain) ?? [], manifestOf(previous, 'gold', chain)?.sources ?? []),
  );
  const plan = planRelease({
    inputs,
    previous,
    asOfMs: parseInstant(record.published_at) ?? NaN,
    texts: await readProductTexts(),
    acceptance: { reason: 'recomputed' },
    full: true,
    keepWithdrawn: true,
  });
  if (plan.methodologyChanged) {
    return [
      {
        key: 'methodology',
        message: 'differs from the one that made the release: use the generator of that time',
      },
    ];
  }
  return [
    ...(plan.release?.differing ?? []).map((path) => ({
      key: keyOf(path, record),
      message: `${path}: recomputed from the gold days it has other bytes`,
    })),
    ...differingDays(plan, previous),
    ...inputs.flatMap((series) => compareInput(series, record)),
    ...CHAIN_IDS.filter((chain) => plan.chains[chain]?.outcome === 'refused').map((chain) => ({
      key: releaseKey(record.revision, previous.sha256),
      message: `${chain} cannot be recomputed from its gold days: ${JSON.stringify(plan.chains[chain]?.refusal)}`,
    })),
  ];
}

/** The day files that recompute to other bytes, by the paths of what would be written instead. */
function differingDays(plan: Plan, { manifests }: PublishedState): StoreFault[] {
  const published = new Map(
    [...manifests.values()].flatMap(({ dates }) => dates.map((entry) => [entry.path, entry])),
  );
  return (plan.release?.artifacts ?? []).flatMap(({ path }) => {
    const entry = published.get(path);
    const message = `${path}: recomputed from the gold days it has other bytes`;
    return entry === undefined ? [] : [{ key: objectKey(entry.sha256), message }];
  });
}

/** The release's commitment to its input must be what the gold days give. */
function compareInput(series: InputSeries, record: ReleaseRecord): StoreFault[] {
  const said = record.chains[series.chain];
  const found = createInputDigest(series)(said?.updated_through ?? '');
  if (said?.input_sha256 === found.sha256 && said.rows === found.rows) return [];
  return [
    {
      key: `${RELEASES_PREFIX}${record.revision}`,
      message: `input_sha256 of ${series.chain} is not what its gold days give`,
    },
  ];
}

function keyOf(path: string, record: ReleaseRecord): string {
  const entry = record.public[path] ?? record.bundles[path] ?? record.manifests[path];
  return entry === undefined ? path : objectKey(entry.sha256);
}
