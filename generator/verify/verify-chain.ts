import pMap from 'p-map';
import { sha256Hex } from '../../schemas/digest.js';
import { currentMethodology, methodologyDigest } from '../../schemas/methodology.js';
import {
  calendarPath,
  chartDataPath,
  chartMetricsPath,
  lineageManifestPath,
  manifestPath,
  objectKey,
  regimesPath,
} from '../../schemas/paths.js';
import type {
  Bundle,
  Chain,
  DayLineage,
  Genre,
  GoldDay,
  Manifest,
  ManifestDate,
  ManifestRevisions,
  MetaDay,
  Methodology,
  ReleaseRecord,
} from '../../schemas/types.generated.js';
import { chartMetricsFile, metricsOfRecords } from '../core/artifacts/chart-metrics.js';
import { chartDataFile, toChartPoint } from '../core/artifacts/chart-data.js';
import { calendarText, toCalendarRow } from '../core/artifacts/regime-calendar.js';
import { historyOfRecords, labelStatistics, regimesFile } from '../core/artifacts/regimes.js';
import type { DayRecord } from '../core/records/day-writers.js';
import {
  checkBytes,
  checkDay,
  type CheckedDocument,
  checkJsonDocument,
  checkListedManifest,
  daySchemaOf,
  type DocumentOptions,
  isDaySchema,
  listedBundles,
  listedGenres,
  NOT_LISTED,
} from '../core/verification/check-files.js';
import { canonicalJson } from '../../schemas/canonical-json.js';
import { VOLUME_GENRES, type VolumeGenre, WINDOWS } from '../../schemas/catalog.js';
import { entriesInWindow } from '../core/artifacts/bundle.js';
import { formatLedger } from '../core/collection/ledger.js';
import { subscriberTypeOf } from '../../schemas/object-headers.js';
import { runSteps } from '../core/steps.js';
import { type ChainVolumes, draftChainVolumes } from '../core/volumes/draft-volumes.js';
import { listedFiles, volumeFormOf } from '../core/volumes/volume-files.js';
import type { NumberForm } from '../core/text/csv.js';
import { MAX_OBJECT_BYTES, type ObjectStore } from '../../infra/store/object-store.js';
import { GeneratorError } from '../core/generator-error.js';
import type { StoreFault } from '../core/store-fault.js';
import { maxBytesOf } from '../state/read-limits.js';
import type { Progress } from '../run/progress.js';

const CONCURRENCY = 32;

/** Checks the manifests, day files, bundles, calendar, chart, statistics, lineages and volumes of a chain. */
export async function checkChain(verifier: Verifier, chain: Chain): Promise<void> {
  const { record, faults, manifests } = verifier;
  const records = new Map<string, DayRecord>();
  const earlier = faults.length;
  for (const genre of listedGenres(record, chain)) {
    const path = manifestPath(genre, chain);
    const entry = record.manifests[path];
    const checked = await checkStoredFile(verifier, path, entry && { ...entry, schema: 'manifest' });
    if (entry === undefined || checked.value === undefined || checked.faults.length > 0) continue;
    const manifest = checked.value as Manifest; // its schema was checked just above
    manifests.set(path, manifest);
    const key = objectKey(entry.sha256);
    for (const message of checkListedManifest(verifier, manifest, genre, chain))
      faults.push({ key, message: `${path}: ${message}` });
    for (const [sha256, day] of await checkDays(verifier, genre, manifest)) records.set(sha256, day);
    if (record.chains[chain] !== undefined) await checkBundles(verifier, manifest);
  }
  if (faults.length === earlier) checkRegimes(verifier, chain, records);
  await checkLineages(verifier, chain);
  await checkVolumes(verifier, chain, records);
}

/** Checks the day files of a manifest. Returns the records of the sound ones, by digest. */
async function checkDays(
  verifier: Verifier,
  genre: Genre,
  manifest: Manifest,
): Promise<Map<string, DayRecord>> {
  const records = new Map<string, DayRecord>();
  const rows = await pMap(
    manifest.dates,
    async (entry): Promise<DayRecord | undefined> => {
      verifier.progress.advance();
      for (const version of [...entry.superseded, entry]) {
        const day = await checkOneDay(verifier, manifest, entry, version);
        if (day !== undefined) records.set(version.sha256, day);
      }
      return records.get(entry.sha256);
    },
    { concurrency: CONCURRENCY },
  );
  const inForce = rows.filter((day, i) => day !== undefined && manifest.dates[i]?.status !== 'withdrawn');
  if (genre === 'gold') verifier.gold.set(manifest.chain, inForce as GoldDay[]); // their schemas were checked
  const isWhole = rows.every((day) => day !== undefined);
  if (genre === 'meta' && isWhole && inForce.length > 0) {
    checkCalendar(verifier, manifest.chain, inForce as MetaDay[]); // as above
    checkChartData(verifier, manifest.chain, inForce as MetaDay[]); // as above
  }
  if (genre === 'gold' && isWhole && inForce.length > 0)
    checkChartMetrics(verifier, manifest.chain, inForce as GoldDay[]); // as above
  return records;
}

async function checkOneDay(
  verifier: Verifier,
  manifest: Manifest,
  entry: ManifestDate,
  version: Pick<ManifestDate, 'sha256' | 'bytes' | 'revision'>,
): Promise<DayRecord | undefined> {
  verifier.days += 1;
  if (!isDaySchema(manifest.genre, entry.schema)) return undefined; // a fault of the manifest
  const schema = daySchemaOf(manifest.genre);
  const { value, faults } = await checkStoredFile(verifier, entry.path, { ...version, schema });
  if (value === undefined || faults.length > 0) return undefined;
  const day = value as DayRecord; // its schema was checked just above
  for (const message of checkDay(day, entry, version.revision, manifest)) {
    verifier.faults.push({ key: objectKey(version.sha256), message: `${entry.path}: ${message}` });
  }
  return day;
}

/** Checks that the calendar matches the meta records, in the form of this build or of earlier ones. */
function checkCalendar({ record, faults }: Verifier, chain: Chain, days: readonly MetaDay[]): void {
  const path = calendarPath(chain);
  const rows = days.map(toCalendarRow);
  const entry = record.public[path];
  const isOf = (form: NumberForm): boolean => sha256Hex(calendarText(rows, form)) === entry?.sha256;
  if (!isOf('point') && !isOf('shortest')) {
    faults.push({
      key: entry ? objectKey(entry.sha256) : path,
      message: `${path}: does not match the meta records`,
    });
  }
}

/** Checks that the data of the chart matches the meta records. Releases of older builds have none. */
function checkChartData({ record, faults }: Verifier, chain: Chain, days: readonly MetaDay[]): void {
  const path = chartDataPath(chain);
  const entry = record.public[path];
  const methodology = currentMethodology();
  if (entry === undefined || record.methodology.sha256 !== methodologyDigest(methodology)) return;
  const stamp = { revision: entry.revision, sequence: 1, publishedAt: '' };
  const { text } = chartDataFile(chain, days.map(toChartPoint), methodology).content(stamp);
  if (entry.sha256 !== sha256Hex(text))
    faults.push({ key: objectKey(entry.sha256), message: `${path}: does not match the meta records` });
}

/** Checks that the metrics for charts match the gold records. Releases of older builds have none. */
function checkChartMetrics({ record, faults }: Verifier, chain: Chain, days: readonly GoldDay[]): void {
  const path = chartMetricsPath(chain);
  const entry = record.public[path];
  const ascend = days.every(({ date }, i) => i === 0 || (days[i - 1]?.date ?? '') < date); // otherwise a fault of the manifest
  if (entry === undefined || !ascend) return;
  const stamp = { revision: entry.revision, sequence: 1, publishedAt: '' };
  const { text } = chartMetricsFile(chain, metricsOfRecords(chain, days)).content(stamp);
  if (entry.sha256 !== sha256Hex(text))
    faults.push({ key: objectKey(entry.sha256), message: `${path}: does not match the gold records` });
}

/** Checks that the statistics of the labels match the records, which have no fault. Releases of older builds have none. */
function checkRegimes(
  { record, faults, manifests }: Verifier,
  chain: Chain,
  records: ReadonlyMap<string, DayRecord>,
): void {
  const path = regimesPath(chain);
  const entry = record.public[path];
  const methodology = currentMethodology();
  if (entry === undefined || record.methodology.sha256 !== methodologyDigest(methodology)) return;
  const [meta = [], gold = []] = (['meta', 'gold'] as const).map((genre) =>
    (manifests.get(manifestPath(genre, chain))?.dates ?? [])
      .filter(({ status }) => status !== 'withdrawn')
      .map(({ sha256 }) => records.get(sha256)),
  );
  if (meta.length === 0) return;
  const history = historyOfRecords(chain, meta as MetaDay[], gold as GoldDay[], methodology); // listed as such
  const stamp = { revision: entry.revision, sequence: 1, publishedAt: '' };
  const { text } = regimesFile(labelStatistics(chain, history, methodology)).content(stamp);
  if (entry.sha256 !== sha256Hex(text))
    faults.push({ key: objectKey(entry.sha256), message: `${path}: does not match the records` });
}

async function checkBundles(verifier: Verifier, manifest: Manifest): Promise<void> {
  for (const path of listedBundles(verifier.record, manifest)) {
    const entry = verifier.record.bundles[path];
    verifier.progress.advance();
    const { value, faults } = await checkStoredFile(verifier, path, entry && { ...entry, schema: 'bundle' });
    if (entry === undefined || value === undefined || faults.length > 0) continue;
    const bundle = value as Bundle; // its schema was checked just above
    for (const message of checkBundle(bundle, manifest)) {
      verifier.faults.push({ key: objectKey(entry.sha256), message: `${path}: ${message}` });
    }
  }
}

/** Returns the faults of a bundle compared with its manifest: each element must equal a listed day file. */
function checkBundle(bundle: Bundle, manifest: Manifest): string[] {
  const entries = entriesInWindow(manifest.dates, WINDOWS[bundle.window]);
  const faults: string[] = [];
  if (bundle.days.length !== entries.length) {
    faults.push(`contains ${bundle.days.length} days, not the last ${entries.length} of the manifest`);
  }
  entries.forEach((entry, i) => {
    const day = bundle.days[i];
    if (day !== undefined && sha256Hex(canonicalJson(day)) !== entry.sha256) {
      faults.push(`element ${i} differs from the day file of ${entry.date} in the manifest`);
    }
  });
  const edges = [entries[0]?.date, entries.at(-1)?.date, manifest.updated_through].join(' ');
  const found = [bundle.first_date, bundle.last_date, bundle.updated_through].join(' ');
  if (found !== edges) faults.push(`first, last and updated_through are ${found}, not ${edges}`);
  return faults;
}

const LINEAGE_CONCURRENCY = 16;

/** Checks the lineages of a chain, if the release lists any. */
async function checkLineages(verifier: Verifier, chain: Chain): Promise<void> {
  const path = lineageManifestPath(chain);
  const entry = verifier.record.manifests[path];
  if (entry === undefined) return;
  const { value, faults } = await checkStoredFile(verifier, path, { ...entry, schema: 'manifest' });
  if (value === undefined || faults.length > 0) return;
  const manifest = value as Manifest; // its schema was checked just above
  if (manifest.chain !== chain)
    verifier.faults.push({ key: objectKey(entry.sha256), message: `${path}: is of ${manifest.chain}` });
  await pMap(
    manifest.dates.flatMap((date) => [
      { date, version: date, ledger: date.ledger_sha256 },
      ...date.superseded.map((version) => ({ date, version, ledger: undefined })),
    ]),
    ({ date, version, ledger }) => checkLineage(verifier, chain, date, { ...version, ledger }),
    { concurrency: LINEAGE_CONCURRENCY },
  );
}

/** A version of a lineage. `ledger`: the digest of its lines; only that of the current one is known. */
type Version = Pick<ManifestDate, 'sha256' | 'bytes'> & { readonly ledger: string | undefined };

async function checkLineage(
  verifier: Verifier,
  chain: Chain,
  { date, path }: ManifestDate,
  { sha256, bytes, ledger }: Version,
): Promise<void> {
  const { value, faults } = await checkStoredFile(verifier, path, { sha256, bytes, schema: 'day-lineage' });
  if (value === undefined || faults.length > 0) return;
  const lineage = value as DayLineage; // its schema was checked just above
  const isForeign = (each: { readonly chain: Chain; readonly date: string }): boolean =>
    each.chain !== chain || each.date !== date;
  const isWrong =
    isForeign(lineage) ||
    (ledger !== undefined && ledger !== sha256Hex(formatLedger(lineage.accepted.map(({ line }) => line)))) ||
    lineage.accepted.some(
      ({ line, document }) => isForeign(line) || line.lineage !== sha256Hex(canonicalJson(document)),
    );
  if (isWrong)
    verifier.faults.push({
      key: objectKey(sha256),
      message: `${path}: does not match its lines of the ledger`,
    });
}

type Manifests = { readonly [genre in VolumeGenre]: Manifest };

/**
 * Packs the volumes of a chain again from its day files, and compares them with those that the manifests list. `records`
 * are the sound day files by digest. Manifests of an earlier schema have no volumes.
 */
async function checkVolumes(
  verifier: Verifier,
  chain: Chain,
  records: ReadonlyMap<string, DayRecord>,
): Promise<void> {
  const manifests = findManifests(verifier, chain);
  if (manifests === undefined) return;
  const packed = packVolumes(verifier, manifests, records);
  for (const genre of VOLUME_GENRES) {
    const { volumes = [] } = manifests[genre];
    const { listed, lacking } = packed[genre];
    // The faults of days that are lacking are already known.
    if (lacking.length === 0 && canonicalJson(volumes) !== canonicalJson(listed)) {
      const path = manifestPath(genre, chain);
      const key = objectKey(verifier.record.manifests[path]?.sha256 ?? '');
      verifier.faults.push({
        key,
        message: `${path}: its volumes differ from those packed from the day files`,
      });
    }
    for (const { path, sha256, bytes } of listedFiles(volumes)) {
      await checkStoredFile(verifier, path, { sha256, bytes, type: subscriberTypeOf(path) });
    }
  }
}

/** Returns the manifests of the genres with volumes, if all were read and have volumes. */
function findManifests({ manifests }: Verifier, chain: Chain): Manifests | undefined {
  const found = VOLUME_GENRES.flatMap((genre) => {
    const manifest = manifests.get(manifestPath(genre, chain));
    return manifest?.volumes === undefined ? [] : [[genre, manifest] as const];
  });
  return found.length === VOLUME_GENRES.length ? (Object.fromEntries(found) as Manifests) : undefined; // one of each
}

function packVolumes(
  { methodology }: Verifier,
  { meta, gold, derived }: Manifests,
  records: ReadonlyMap<string, DayRecord>,
): ChainVolumes {
  const revisions: ManifestRevisions = { ...meta.revisions, ...gold.revisions, ...derived.revisions };
  return runSteps(
    draftChainVolumes({
      chain: meta.chain,
      updatedThrough: meta.updated_through,
      revision: meta.published_revision,
      sources: gold.sources ?? [],
      entries: { meta: meta.dates, gold: gold.dates, derived: derived.dates },
      methodology,
      revisions,
      form: volumeFormOf([meta, gold, derived].flatMap(({ volumes = [] }) => volumes)),
      published: { meta, gold, derived },
      repack: true,
      record: (_entry, sha256) => records.get(sha256),
    }),
  );
}

/** The state of a running verification: the release, the documents read so far, and the faults found. */
export type Verifier = {
  readonly store: ObjectStore;
  readonly record: ReleaseRecord;
  readonly methodology: Methodology;
  readonly manifests: Map<string, Manifest>;
  readonly gold: Map<Chain, GoldDay[]>;
  readonly faults: StoreFault[];
  readonly lagging: StoreFault[];
  readonly progress: Progress;
  readonly signal?: AbortSignal;
  /** True if the store is not trusted: a digest that it names without the bytes then proves nothing. */
  readonly readsCopies: boolean;
  artifacts: number;
  days: number;
};

/** Runs `work`. If it finds damage, adds that to `faults` and returns `undefined`. */
export async function catchFault<T>(faults: StoreFault[], work: () => Promise<T>): Promise<T | undefined> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof GeneratorError) || error.fault === undefined) throw error;
    faults.push(error.fault);
    return undefined;
  }
}

/** Reads an artifact and checks its digest, and its schema if it is JSON. */
export async function checkStoredFile(
  verifier: Verifier,
  path: string,
  options: (DocumentOptions & { readonly type?: string }) | undefined,
): Promise<CheckedDocument> {
  if (options === undefined) {
    verifier.faults.push({ key: path, message: NOT_LISTED });
    return { faults: [] };
  }
  verifier.signal?.throwIfAborted();
  const key = objectKey(options.sha256);
  const { schema, bytes = MAX_OBJECT_BYTES } = options;
  const limit = schema === undefined ? bytes : Math.min(bytes, maxBytesOf(schema));
  const found = await verifier.store.get(key, limit + 1);
  verifier.artifacts += 1;
  const isText = options.type !== undefined && !options.type.startsWith('application/json');
  const checked =
    found === undefined
      ? { faults: ['is missing'] }
      : isText
        ? { faults: checkBytes(found.bytes, options) }
        : checkJsonDocument(found.bytes, options);
  for (const message of checked.faults) verifier.faults.push({ key, message: `${path}: ${message}` });
  return checked;
}
