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
import { checkStoredFile, type Walk } from './verification-walk.js';

const CONCURRENCY = 32;

/** Judges the manifests, day files, bundles and calendar of a chain. */
export async function checkChain(walk: Walk, chain: Chain): Promise<void> {
  const { record, faults, manifests } = walk;
  for (const genre of GENRES) {
    const path = manifestPath(genre, chain);
    const entry = record.manifests[path];
    if (entry === undefined && genre === 'briefs' && isBeforeBriefs(record, chain)) continue;
    const checked = await checkStoredFile(walk, path, entry && { ...entry, schema: 'manifest' });
    if (entry === undefined || checked.value === undefined || checked.faults.length > 0) continue;
    const manifest = checked.value as Manifest; // judged by its schema just above
    manifests.set(path, manifest);
    const key = objectKey(entry.sha256);
    const wrong = [...checkManifest(manifest, genre, chain), ...compareWithRelease(walk, manifest)];
    for (const message of wrong) faults.push({ key, message: `${path}: ${message}` });
    await checkDays(walk, genre, manifest);
    if (record.chains[chain] !== undefined) await checkBundles(walk, manifest);
  }
}

/** What is wrong between a manifest, that of meta, and what the release says of the chain. */
function compareWithRelease({ record, manifests }: Walk, manifest: Manifest): string[] {
  const { chain } = manifest;
  const meta = manifests.get(manifestPath('meta', chain));
  const inForce = record.chains[chain];
  const faults = meta === undefined || meta === manifest ? [] : compareManifests(meta, manifest);
  if (inForce !== undefined && manifest.updated_through !== inForce.updated_through)
    faults.push('updated_through differs from the release');
  if (inForce === undefined && manifest.dates.some(({ status }) => status !== 'withdrawn'))
    faults.push('has dates in force, but the release does not know the chain');
  return faults;
}

/** Whether a release has no brief of a chain at all: it was published before there were any. */
function isBeforeBriefs({ bundles }: Walk['record'], chain: Chain): boolean {
  const windows = Object.keys(WINDOWS) as Window[]; // keys of a closed literal
  return windows.every((window) => !(bundlePath('briefs', chain, window) in bundles));
}

async function checkDays(walk: Walk, genre: Genre, manifest: Manifest): Promise<void> {
  const rows = await pMap(
    manifest.dates,
    async (entry): Promise<DayRecord | undefined> => {
      walk.progress.advance();
      for (const old of entry.superseded) await checkOneDay(walk, manifest, entry, old);
      return checkOneDay(walk, manifest, entry, entry);
    },
    { concurrency: CONCURRENCY },
  );
  const inForce = rows.filter((day, i) => day !== undefined && manifest.dates[i]?.status !== 'withdrawn');
  if (genre === 'gold') walk.gold.set(manifest.chain, inForce as GoldDay[]); // each judged by its schema
  const isWhole = rows.every((day) => day !== undefined);
  if (genre === 'meta' && isWhole && inForce.length > 0)
    checkCalendar(walk, manifest.chain, inForce as MetaDay[]); // the same
}

async function checkOneDay(
  walk: Walk,
  manifest: Manifest,
  entry: ManifestDate,
  version: Pick<ManifestDate, 'sha256' | 'bytes' | 'revision'>,
): Promise<DayRecord | undefined> {
  walk.days += 1;
  const { value, faults } = await checkStoredFile(walk, entry.path, {
    ...version,
    schema: daySchemaOf(entry),
  });
  if (value === undefined || faults.length > 0) return undefined;
  const day = value as DayRecord; // judged by its schema just above
  for (const message of checkDay(day, entry, version.revision, manifest)) {
    walk.faults.push({ key: objectKey(version.sha256), message: `${entry.path}: ${message}` });
  }
  return day;
}

/** The calendar must be what the meta records give. */
function checkCalendar({ record, faults }: Walk, chain: Chain, days: readonly MetaDay[]): void {
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
      message: `${path}: is not what the meta records give`,
    });
  }
}

async function checkBundles(walk: Walk, manifest: Manifest): Promise<void> {
  if (manifest.dates.every(({ status }) => status === 'withdrawn')) return;
  for (const window of Object.keys(WINDOWS) as Window[]) {
    // keys of a closed literal
    const path = bundlePath(manifest.genre, manifest.chain, window);
    const entry = walk.record.bundles[path];
    walk.progress.advance();
    const { value, faults } = await checkStoredFile(walk, path, entry && { ...entry, schema: 'bundle' });
    if (entry === undefined || value === undefined || faults.length > 0) continue;
    for (const message of checkBundle(value as Bundle, manifest)) {
      // judged by its schema just above
      walk.faults.push({ key: objectKey(entry.sha256), message: `${path}: ${message}` });
    }
  }
}
