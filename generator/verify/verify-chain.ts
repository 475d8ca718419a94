import pMap from 'p-map';
import { sha256Hex } from '../../schemas/digest.js';
import { currentMethodology, methodologyDigest } from '../../schemas/methodology.js';
import { calendarPath, chartDataPath, manifestPath, objectKey } from '../../schemas/paths.js';
import type {
  Bundle,
  Chain,
  Genre,
  GoldDay,
  Manifest,
  ManifestDate,
  MetaDay,
} from '../../schemas/types.generated.js';
import { chartDataFile, toChartPoint } from '../core/artifacts/chart-data.js';
import { calendarFile, toCalendarRow } from '../core/artifacts/regime-calendar.js';
import type { DayRecord } from '../core/records/day-writers.js';
import { checkBundle } from '../core/verification/check-bundle.js';
import { checkDay, daySchemaOf } from '../core/verification/check-day.js';
import { checkListedManifest, listedBundles, listedGenres } from '../core/verification/check-release.js';
import { isDaySchema } from '../core/verification/foreign-names.js';
import { checkLineages } from './check-lineages.js';
import { checkVolumes } from './check-volumes.js';
import { checkStoredFile, type Verifier } from './verifier.js';

const CONCURRENCY = 32;

/** Checks the manifests, day files, bundles, calendar, lineages and volumes of a chain. */
export async function checkChain(verifier: Verifier, chain: Chain): Promise<void> {
  const { record, faults, manifests } = verifier;
  const records = new Map<string, DayRecord>();
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

/** Checks that the calendar matches the meta records. */
function checkCalendar({ record, faults }: Verifier, chain: Chain, days: readonly MetaDay[]): void {
  const path = calendarPath(chain);
  const { text } = calendarFile(chain, days.map(toCalendarRow)).content({
    revision: '',
    sequence: 1,
    publishedAt: '',
  });
  const entry = record.public[path];
  if (entry?.sha256 !== sha256Hex(text)) {
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
