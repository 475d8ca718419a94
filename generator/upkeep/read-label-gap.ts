import { bundlePath, manifestPath } from '../../schemas/paths.js';
import type {
  Chain,
  ChainStatus,
  GoldDay,
  Methodology,
  MetricName,
  ReleaseRecord,
} from '../../schemas/types.generated.js';
import type { ObjectStore } from '../../infra/store/object-store.js';
import { daysOfBundle, entriesInWindow, LONGEST } from '../core/artifacts/bundle.js';
import type { InputSeries } from '../core/input/input-series.js';
import { countPublished, explainLabelGap, type LabelGap } from '../core/release/label-gap.js';
import { readManifest } from '../state/published-state.js';
import { readArtifact, unlessDamaged } from '../state/stored-json.js';
import { readProductTexts } from '../texts/product-texts.js';

/**
 * Explains why the newest date of a published chain has no label; null if it has one, or if its files are damaged. Reads
 * nothing for a chain with a label, and otherwise the newest gold days: a bundle, and the few days before it.
 */
export async function readLabelGap(
  store: ObjectStore,
  record: ReleaseRecord,
  chain: Chain,
  published: ChainStatus,
): Promise<LabelGap | null> {
  if (published.last_available === published.updated_through) return null;
  const { methodology } = await readProductTexts();
  const series = await unlessDamaged(() => readNewestDays(store, record, chain, methodology));
  return (series && explainLabelGap(series, countPublished(published), methodology)) ?? null;
}

/** Reads the dates that the newest one depends on; `undefined` if the release does not list them. */
async function readNewestDays(
  store: ObjectStore,
  record: ReleaseRecord,
  chain: Chain,
  { determinism }: Methodology,
): Promise<InputSeries | undefined> {
  const bundle = record.bundles[bundlePath('gold', chain, LONGEST)];
  const manifest = record.manifests[manifestPath('gold', chain)];
  if (bundle === undefined || manifest === undefined) return undefined;
  const { dates } = await readManifest(store, manifest.sha256);
  const known = daysOfBundle(await readArtifact(store, bundle.sha256), dates);
  const days = await Promise.all(
    entriesInWindow(dates, determinism.input_days).map(async ({ sha256 }) => {
      const text = known.get(sha256) ?? Buffer.from(await readArtifact(store, sha256)).toString('utf8');
      return JSON.parse(text) as GoldDay; // its digest says so
    }),
  );
  const names = Object.keys(days[0]?.metrics ?? {}) as MetricName[]; // closed by the gold schema
  return {
    chain,
    dates: days.map(({ date }) => date),
    present: days.map(({ source }) => source !== null),
    metrics: Object.fromEntries(
      names.map((name) => [name, days.map(({ metrics }) => metrics[name] ?? null)]),
    ),
    sources: [],
  };
}
