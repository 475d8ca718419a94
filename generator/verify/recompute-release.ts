import { CHAIN_IDS, GENRES } from '../../schemas/catalog.js';
import { parseInstant, toDayNumber } from '../../schemas/dates.js';
import { manifestPath, objectKey, releaseKey, RELEASES_PREFIX } from '../../schemas/paths.js';
import type {
  Chain,
  GoldDay,
  MetricName,
  ReleaseRecord,
  SourceSegment,
} from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { publishedFacts } from '../core/artifacts/chain-facts.js';
import { datasetFiles } from '../core/draft/dataset-files.js';
import { publishedSample, sampleChainOf } from '../core/artifacts/sample-week.js';
import { settleFile, stampOf } from '../core/draft/settle-file.js';
import type { ReferenceTexts } from '../core/draft/site.js';
import { pricingPage } from '../core/pages/pricing-page.js';
import { listedChains } from '../core/verification/check-files.js';
import { type InputSeries, toInputSeries } from '../core/input/input-series.js';
import { publicPathsOf, SAMPLE_PATHS, weeklyArchivesIn } from '../../schemas/release-paths.js';
import { listedFiles } from '../core/volumes/volume-files.js';
import { createInputDigest } from '../core/release/assess-chain.js';
import { manifestOf, type Plan, type PlanRequest, type PublishedState } from '../core/release/plan-types.js';
import { planRelease } from '../core/release/plan-release.js';
import { writersFingerprint } from '../core/release/writers-fingerprint.js';
import type { StoreFault } from '../core/store-fault.js';
import { planWithPublished } from '../publish/plan-with-published.js';
import { readProductTexts } from '../texts/product-texts.js';
import { readPointer, readState } from '../state/published-state.js';

/**
 * Rebuilds the current release from its published gold days, and returns a fault for each file that differs. A sound
 * release has no faults. The public files, volumes and manifests of a chain on hold are not compared if another build wrote
 * them, because its wording and the form of its tables may be different, and its manifests may have no volumes.
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
  const texts = await readProductTexts(record.site);
  const request: PlanRequest = {
    inputs,
    previous,
    asOfMs: parseInstant(record.published_at) ?? NaN,
    texts,
    chainTexts: await readChainTexts(record),
    acceptance: { reason: 'recomputed' }, // so that a difference is planned and reported, not refused
    full: true,
    recomputes: true,
  };
  const plan = await planWithPublished(store, (superseded) => planRelease({ ...request, superseded }));
  if (plan.methodologyChanged) {
    return [
      {
        key: 'methodology',
        message: 'differs from the methodology of the release: use the generator that published it',
      },
    ];
  }
  const writers = writersFingerprint(texts);
  const kept = chains
    .filter(
      (chain) => record.holds?.[chain] !== undefined && record.chains[chain]?.writers_sha256 !== writers,
    )
    .flatMap((chain) => [
      ...publicPathsOf(chain),
      ...weeklyArchivesIn(Object.keys(record.public), chain),
      ...(chain === sampleChainOf(listedChains(record)) ? SAMPLE_PATHS : []),
      ...GENRES.flatMap((genre) => [
        manifestPath(genre, chain),
        ...listedFiles(manifestOf(previous, genre, chain)?.volumes).map(({ path }) => path),
      ]),
    ]);
  const described = kept.length === 0 ? [] : soundDescriptions(record, previous, texts);
  return [
    ...(plan.release?.differing ?? [])
      .filter((path) => !kept.includes(path) && !described.includes(path))
      .map((path) => ({ key: keyOf(path, record), message: differsMessage(path) })),
    ...differingDays(plan, previous),
    ...inputs.flatMap((series) => compareInput(series, record)),
    ...CHAIN_IDS.filter((chain) => plan.chains[chain]?.outcome === 'refused').map((chain) => ({
      key: releaseKey(record.revision, previous.sha256),
      message: `${chain} cannot be recomputed from its gold days: ${JSON.stringify(plan.chains[chain]?.refusal)}`,
    })),
  ];
}

/** Returns the paths of the files about all calendars, and about the sample, that are right about the published ones, whatever their form. */
function soundDescriptions(
  record: ReleaseRecord,
  { status, landing }: PublishedState,
  { site }: ReferenceTexts,
): string[] {
  const facts = CHAIN_IDS.flatMap((chain) => publishedFacts(chain, status, landing) ?? []);
  const stamp = stampOf(record, record.revision);
  const sample = publishedSample(sampleChainOf(listedChains(record)), facts, record.public);
  return [...datasetFiles(site.details, facts, record.public), pricingPage(site, sample)]
    .filter((file) => settleFile(file, record, stamp).artifact === undefined)
    .map(({ path }) => path);
}

/** Reads the texts of each chain: one that no run published since the site changed still has files for the earlier one. */
async function readChainTexts({ chains }: ReleaseRecord): Promise<ReadonlyMap<Chain, ReferenceTexts>> {
  const read = CHAIN_IDS.map(async (chain) => [chain, await readProductTexts(chains[chain]?.site)] as const);
  return new Map(await Promise.all(read));
}

/** Returns a fault for each day file that the plan would replace. */
function differingDays(plan: Plan, { manifests }: PublishedState): StoreFault[] {
  const published = new Map(
    [...manifests.values()].flatMap(({ dates }) => dates.map((entry) => [entry.path, entry])),
  );
  return (plan.release?.artifacts ?? []).flatMap(({ path }) => {
    const entry = published.get(path);
    return entry === undefined ? [] : [{ key: objectKey(entry.sha256), message: differsMessage(path) }];
  });
}

function differsMessage(path: string): string {
  return `${path}: differs from the file recomputed from the gold days`;
}

/** Checks that the input digest of the release matches the gold days. */
function compareInput(series: InputSeries, record: ReleaseRecord): StoreFault[] {
  const published = record.chains[series.chain];
  const found = createInputDigest(series)(published?.updated_through ?? '');
  if (published?.input_sha256 === found.sha256 && published.rows === found.rows) return [];
  return [
    {
      key: `${RELEASES_PREFIX}${record.revision}`,
      message: `input_sha256 of ${series.chain} does not match its gold days`,
    },
  ];
}

function keyOf(path: string, record: ReleaseRecord): string {
  const entry = record.public[path] ?? record.bundles[path] ?? record.manifests[path];
  return entry === undefined ? path : objectKey(entry.sha256);
}

/**
 * Restores the input series from published gold days. A day without a source had no row.
 * Precondition: the days ascend by date, and the first and the last one had a row.
 */
function toGoldSeries(
  chain: Chain,
  days: readonly GoldDay[],
  sources: readonly SourceSegment[],
): InputSeries {
  const metrics = Object.keys(days[0]?.metrics ?? {}) as MetricName[]; // closed by the gold schema
  const rows = days
    .filter((day) => day.source !== null)
    .map((day) => ({
      day: toDayNumber(day.date),
      values: metrics.map((metric) => day.metrics[metric] ?? null),
    }));
  return toInputSeries(chain, metrics, rows, sources);
}
