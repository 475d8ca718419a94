import pMap from 'p-map';
import { GENRES, WINDOWS } from '../../schemas/catalog.js';
import { sha256Hex } from '../../schemas/digest.js';
import { bundlePath, calendarPath, manifestPath, objectKey } from '../../schemas/paths.js';
import type {
  Bundle,
  Chain,
  Genre,
  GoldDay,
  Manifest,
  ManifestDate,
  MetaDay,
  Window,
} from '../../schemas/types.generated.js';
import { calendarFile, toCalendarRow } from '../core/artifacts/regime-calendar.js';
import type { DayRecord } from '../core/records/day-writers.js';
import { checkBundle } from '../core/verification/check-bundle.js';
import { checkDay, checkManifest, compareManifests, daySchemaOf } from '../core/verification/check-day.js';
import { checkStoredFile, type Verifier } from './verifier.js';

const CONCURRENCY = 32;

/** Checks the manifests, day files, bundles and calendar of a chain. */
export async function checkChain(verifier: Verifier, chain: Chain): Promise<void> {
  const { record, faults, manifests } = verifier;
  for (const genre of GENRES) {
    const path = manifestPath(genre, chain);
    const entry = record.manifests[path];
    if (entry === undefined && genre === 'briefs' && isBeforeBriefs(record, chain)) continue;
    const checked = await checkStoredFile(verifier, path, entry && { ...entry, schema: 'manifest' });
    if (entry === undefined || checked.value === undefined || checked.faults.length > 0) continue;
    const manifest = checked.value as Manifest; // its schema was checked just above
    manifests.set(path, manifest);
    const key = objectKey(entry.sha256);
    const wrong = [...checkManifest(manifest, genre, chain), ...compareWithRelease(verifier, manifest)];
    for (const message of wrong) faults.push({ key, message: `${path}: ${message}` });
    await checkDays(verifier, genre, manifest);
    if (record.chains[chain] !== undefined) await checkBundles(verifier, manifest);
  }
}

/** Compares a manifest with the manifest of meta and with the release. */
function compareWithRelease({ record, manifests }: Verifier, manifest: Manifest): string[] {
  const { chain } = manifest;
  const meta = manifests.get(manifestPath('meta', chain));
  const inForce = record.chains[chain];
  const faults = meta === undefined || meta === manifest ? [] : compareManifests(meta, manifest);
  if (inForce !== undefined && manifest.updated_through !== inForce.updated_through)
    faults.push('updated_through differs from the release');
  if (inForce === undefined && manifest.dates.some(({ status }) => status !== 'withdrawn'))
    faults.push('has dates in force, but the release does not contain the chain');
  return faults;
}

/** Returns whether a release has no briefs of a chain, because it was published before briefs existed. */
function isBeforeBriefs({ bundles }: Verifier['record'], chain: Chain): boolean {
  const windows = Object.keys(WINDOWS) as Window[]; // Object.keys loses the key type
  return windows.every((window) => !(bundlePath('briefs', chain, window) in bundles));
}

async function checkDays(verifier: Verifier, genre: Genre, manifest: Manifest): Promise<void> {
  const rows = await pMap(
    manifest.dates,
    async (entry): Promise<DayRecord | undefined> => {
      verifier.progress.advance();
      for (const old of entry.superseded) await checkOneDay(verifier, manifest, entry, old);
      return checkOneDay(verifier, manifest, entry, entry);
    },
    { concurrency: CONCURRENCY },
  );
  const inForce = rows.filter((day, i) => day !== undefined && manifest.dates[i]?.status !== 'withdrawn');
  if (genre === 'gold') verifier.gold.set(manifest.chain, inForce as GoldDay[]); // their schemas were checked
  const isWhole = rows.every((day) => day !== undefined);
  if (genre === 'meta' && isWhole && inForce.length > 0)
    checkCalendar(verifier, manifest.chain, inForce as MetaDay[]); // as above
}

async function checkOneDay(
  verifier: Verifier,
  manifest: Manifest,
  entry: ManifestDate,
  version: Pick<ManifestDate, 'sha256' | 'bytes' | 'revision'>,
): Promise<DayRecord | undefined> {
  verifier.days += 1;
  const { value, faults } = await checkStoredFile(verifier, entry.path, {
    ...version,
    schema: daySchemaOf(entry),
  });
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

async function checkBundles(verifier: Verifier, manifest: Manifest): Promise<void> {
  if (manifest.dates.every(({ status }) => status === 'withdrawn')) return;
  for (const window of Object.keys(WINDOWS) as Window[]) {
    // Object.keys loses the key type
    const path = bundlePath(manifest.genre, manifest.chain, window);
    const entry = verifier.record.bundles[path];
    verifier.progress.advance();
    const { value, faults } = await checkStoredFile(verifier, path, entry && { ...entry, schema: 'bundle' });
    if (entry === undefined || value === undefined || faults.length > 0) continue;
    for (const message of checkBundle(value as Bundle, manifest)) {
      // its schema was checked just above
      verifier.faults.push({ key: objectKey(entry.sha256), message: `${path}: ${message}` });
    }
  }
}
