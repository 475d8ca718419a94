import { CHAIN_IDS } from './catalog.js';
import {
  calendarPath,
  FILES_PATH,
  OBJECTS_PREFIX,
  PAGE_PATHS,
  PUBLIC_PATHS,
  PUBLIC_PREFIX,
  publicKey,
  RELEASES_PREFIX,
  TRUST_PATHS,
} from './paths.js';
import { currentPathsOf, isAssetPath } from './release-paths.js';

/** Keys of the public copies that caches may keep for only a minute, because they show the current state. */
const MOST_CURRENT: ReadonlySet<string> = new Set(
  [
    PUBLIC_PATHS.status,
    PUBLIC_PATHS.landing,
    PUBLIC_PATHS.release,
    PUBLIC_PATHS.overviewChart,
    PAGE_PATHS.front,
    PAGE_PATHS.icon,
    PAGE_PATHS.verify,
    ...CHAIN_IDS.flatMap(currentPathsOf),
  ].map(publicKey),
);

/** Keys of the public files by which readers verify releases. */
const TRUST_KEYS: ReadonlySet<string> = new Set(Object.values(TRUST_PATHS).map(publicKey));

/**
 * Returns the `Cache-Control` of the object with this key. Artifacts, records, and scripts and style sheets never change;
 * other public copies do.
 */
export function cacheControlOf(key: string): string {
  if (key.startsWith(OBJECTS_PREFIX) || key.startsWith(RELEASES_PREFIX) || isAssetKey(key)) {
    return 'public, max-age=31536000, immutable';
  }
  if (!key.startsWith(PUBLIC_PREFIX)) return 'no-cache';
  if (TRUST_KEYS.has(key)) return 'public, max-age=60'; // no stale answers: a timestamp says that it is current
  return MOST_CURRENT.has(key)
    ? 'public, max-age=60, stale-while-revalidate=60'
    : 'public, max-age=300, stale-while-revalidate=86400';
}

function isAssetKey(key: string): boolean {
  return key.startsWith(PUBLIC_PREFIX) && isAssetPath(key.slice(PUBLIC_PREFIX.length - 1));
}

const SUBSCRIBER_TYPES: Readonly<Record<string, string>> = {
  json: 'application/json',
  parquet: 'application/vnd.apache.parquet',
  csv: 'text/csv; charset=utf-8',
};

/** Returns the media type of a subscriber file, by its path. */
export function subscriberTypeOf(path: string): string {
  return SUBSCRIBER_TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream';
}

const CALENDAR = new RegExp(`^${calendarPath('{chain}').replace('{chain}', '([a-z]+)')}$`);
const SUBSCRIBER_FILE = new RegExp(
  `^${FILES_PATH}/([a-z]+)/(?:chains/)?([a-z]+)/([a-z0-9/.-]+)\\.(json|parquet|csv)$`,
);

/**
 * Returns the `Content-Disposition` (RFC 6266) of a file that people download, with the name under which a browser
 * saves it; `undefined` for a path that is read in place.
 */
export function dispositionOf(path: string): string | undefined {
  const calendar = CALENDAR.exec(path);
  if (calendar?.[1] !== undefined) return attachment(`${calendar[1]}-regime-calendar.csv`);
  if (path === PUBLIC_PATHS.starterNotebook) return attachment('starter-notebook.ipynb');
  const [, genre, chain, name, extension] = SUBSCRIBER_FILE.exec(path) ?? [];
  if (genre === undefined || chain === undefined || name === undefined || extension === undefined)
    return undefined;
  return attachment(`${chain}-${genre}-${name.replace('volumes/', '').replace(/[/.]/, '-')}.${extension}`);
}

function attachment(name: string): string {
  return `attachment; filename="${name}"`;
}
