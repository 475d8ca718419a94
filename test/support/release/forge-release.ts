import { chartDataFile, toChartPoint } from '../../../generator/core/artifacts/chart-data.js';
import type { ReleaseStamp } from '../../../generator/core/artifacts/artifact.js';
import { calendarFile, toCalendarRow } from '../../../generator/core/artifacts/regime-calendar.js';
import { historyOfRecords, labelStatistics, regimesFile } from '../../../generator/core/artifacts/regimes.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { currentMethodology } from '../../../schemas/methodology.js';
import {
  calendarPath,
  chartDataPath,
  manifestPath,
  objectKey,
  POINTER_KEY,
  PUBLIC_PATHS,
  publicKey,
  regimesPath,
  releaseKey,
} from '../../../schemas/paths.js';
import type {
  Bundle,
  Chain,
  Manifest,
  ManifestDate,
  MetaDay,
  PublicRelease,
  ReleaseRecord,
} from '../../../schemas/types.generated.js';
import { putArtifact, readDocument, readListed, readRelease, type StoreEditor } from './edit-store.js';

/** New contents by URL path: a text, or a value that is written as RFC 8785 JSON. */
export type Forgery = { readonly [urlPath: string]: unknown };

/**
 * Replaces contents of the current release so that all digests match: artifacts, public copies, the list of public files,
 * the record and the pointer. Returns the key of the new record.
 */
export async function forgeRelease(
  store: StoreEditor,
  files: Forgery,
  change: (record: ReleaseRecord) => ReleaseRecord = (record) => record,
): Promise<string> {
  const { pointer, record } = await readRelease(store);
  const index = PUBLIC_PATHS.release;
  let forged = await replaceContents(store, record, files);
  if (!(index in files)) {
    const list = await readListed(store, index, 'release');
    forged = await replaceContents(store, forged, { [index]: withDigestsOf(list, forged) });
  }
  const text = canonicalJson(change(forged));
  const key = releaseKey(pointer.revision, sha256Hex(text));
  await store.write(key, text);
  await store.write(POINTER_KEY, canonicalJson({ ...pointer, sha256: sha256Hex(text) }));
  return key;
}

async function replaceContents(
  store: StoreEditor,
  record: ReleaseRecord,
  files: Forgery,
): Promise<ReleaseRecord> {
  const next = {
    ...record,
    public: { ...record.public },
    bundles: { ...record.bundles },
    manifests: { ...record.manifests },
  };
  for (const [path, content] of Object.entries(files)) {
    const entry = await putArtifact(store, content);
    const { public: shown, bundles, manifests } = next;
    if (shown[path]) {
      shown[path] = { ...shown[path], ...entry };
      await store.write(publicKey(path), typeof content === 'string' ? content : canonicalJson(content));
    } else if (bundles[path]) bundles[path] = { ...bundles[path], ...entry };
    else if (manifests[path]) manifests[path] = { ...manifests[path], ...entry };
    else throw new Error(`the release has no ${path}`);
  }
  return next;
}

function withDigestsOf(list: PublicRelease, record: ReleaseRecord): PublicRelease {
  const files = list.files.map((file) => {
    const { sha256, bytes } = record.public[file.path] ?? file;
    return { ...file, sha256, bytes };
  });
  return { ...list, files };
}

/** Returns the contents for a forged meta day: its file is written, and manifest, bundles, calendar, chart and statistics are adapted. */
export async function forgeMetaDay(
  store: StoreEditor,
  chain: Chain,
  date: string,
  change: (day: MetaDay) => MetaDay,
): Promise<{ readonly key: string; readonly files: Forgery }> {
  const path = manifestPath('meta', chain);
  const manifest = await readListed(store, path, 'manifest');
  const before = manifest.dates.find((entry) => entry.date === date);
  if (before === undefined) throw new Error(`${path} does not list ${date}`);
  const forged = change(await readDay(store, before));
  const entry = { ...before, ...(await putArtifact(store, forged)) };
  const dates = manifest.dates.map((each) => (each.date === date ? entry : each));
  const days = await Promise.all(dates.map((each) => readDay(store, each)));
  const calendar = calendarFile(chain, days.map(toCalendarRow));
  const chart = chartDataFile(chain, days.map(toChartPoint), currentMethodology());
  const gold = await readListed(store, manifestPath('gold', chain), 'manifest');
  const goldDays = await Promise.all(
    gold.dates.map(({ sha256 }) => readDocument(store, objectKey(sha256), 'gold-day')),
  );
  const history = historyOfRecords(chain, days, goldDays, currentMethodology());
  const regimes = regimesFile(labelStatistics(chain, history, currentMethodology()));
  const { record } = await readRelease(store);
  const stampOf = (file: string): ReleaseStamp => ({
    revision: record.public[file]?.revision ?? '',
    sequence: 1,
    publishedAt: '',
  });
  return {
    key: objectKey(entry.sha256),
    files: {
      [path]: { ...manifest, dates },
      ...(await forgeBundles(store, manifest, forged)),
      [calendarPath(chain)]: calendar.content(stampOf('')).text,
      [chartDataPath(chain)]: chart.content(stampOf(chartDataPath(chain))).text,
      [regimesPath(chain)]: regimes.content(stampOf(regimesPath(chain))).text,
    },
  };
}

function readDay(store: StoreEditor, { sha256 }: ManifestDate): Promise<MetaDay> {
  return readDocument(store, objectKey(sha256), 'meta-day');
}

async function forgeBundles(
  store: StoreEditor,
  { genre, chain }: Manifest,
  forged: MetaDay,
): Promise<Forgery> {
  const { record } = await readRelease(store);
  const prefix = manifestPath(genre, chain).replace('manifest.json', '');
  const isBundle = (path: string): boolean => path.startsWith(prefix) && path.endsWith('.json');
  const paths = Object.keys(record.bundles).filter(isBundle);
  const bundles = await Promise.all(
    paths.map(async (path): Promise<[string, Bundle]> => {
      const bundle = await readListed(store, path, 'bundle');
      const days = bundle.days.map((day) =>
        'date' in day && day.date === forged.date ? { ...forged } : day,
      );
      return [path, { ...bundle, days }];
    }),
  );
  return Object.fromEntries(bundles);
}
