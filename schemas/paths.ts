/**
 * Every object key and URL path of the service; no other file spells one.
 *
 *   store.json  current.json  aliases.json  collection.json
 *   objects/sha256/<64 hex>            an artifact
 *   releases/<revision>/<sha256>.json  a release record
 *   public<url path>                   a copy of a public artifact
 *   public<url path>/index.html        a copy of a page
 */
import type { Chain, Genre, Window } from './types.generated.js';

/** Key of the mark that makes a prefix a store of ours. */
export const STORE_KEY = 'store.json';
/** Key of the pointer to the current release. */
export const POINTER_KEY = 'current.json';
/** Key of the mark that says how fresh the public copies are. */
export const ALIASES_KEY = 'aliases.json';
/** Key of the mark that says whether a collector of garbage is at work. */
export const COLLECTION_KEY = 'collection.json';
/** Prefix of all artifacts. */
export const OBJECTS_PREFIX = 'objects/sha256/';
/** Prefix of all release records. */
export const RELEASES_PREFIX = 'releases/';
/** Prefix of all public copies. */
export const PUBLIC_PREFIX = 'public/';

/** Key of the artifact with this digest. */
export function objectKey(sha256: string): string {
  return `${OBJECTS_PREFIX}${sha256}`;
}

/** Digest that an artifact's key names; `undefined` for any other key. */
export function parseObjectKey(key: string): string | undefined {
  return /^objects\/sha256\/([0-9a-f]{64})$/.exec(key)?.[1];
}

/** Key of a release record. */
export function releaseKey(revision: string, sha256: string): string {
  return `${RELEASES_PREFIX}${revision}/${sha256}.json`;
}

/** Revision and digest that a release record's key names; `undefined` for any other key. */
export function parseReleaseKey(key: string): { revision: string; sha256: string } | undefined {
  const match = /^releases\/(\d{4}-\d{2}-\d{2}\.\d{6})\/([0-9a-f]{64})\.json$/.exec(key);
  return match?.[1] !== undefined && match[2] !== undefined
    ? { revision: match[1], sha256: match[2] }
    : undefined;
}

/** Key of the public copy of a URL path: its own name, or that of an index where the path is a page's. */
export function publicKey(path: string): string {
  return isPagePath(path) ? `public${path === '/' ? '' : path}/index.html` : `public${path}`;
}

/** Whether a URL path is that of a page: outside the interface, and without an ending. */
export function isPagePath(path: string): boolean {
  return !path.startsWith(API_PREFIX) && !path.slice(path.lastIndexOf('/')).includes('.');
}

const API_PREFIX = '/api/';

/** URL paths of the public files that are not per chain. */
export const PUBLIC_PATHS = {
  status: '/api/v1/status',
  landing: '/api/v1/landing',
  release: '/api/v1/release',
  changes: '/api/v1/changes',
  glossary: '/api/v1/glossary',
  thresholds: '/api/v1/thresholds/defaults',
  methodologyVersions: '/api/v1/methodology/versions',
  featureSchema: '/api/v1/analyst-kit/feature-schema',
  openapi: '/api/v1/openapi.json',
  starterNotebook: '/api/v1/analyst-kit/starter-notebook',
  overviewChart: '/charts/overview.svg',
} as const;

/** URL path of a chain's summary. */
export function summaryPath(chain: Chain): string {
  return `/api/v1/summary/${chain}`;
}

/** URL path of a chain's regime calendar. */
export function calendarPath(chain: Chain): string {
  return `/api/v1/analyst-kit/${chain}/regime-calendar`;
}

/** URL path of a chain's weekly summary. */
export function weeklySummaryPath(chain: Chain): string {
  return `/api/v1/analyst-kit/${chain}/weekly-summary`;
}

/** URL path of a chain's chart. */
export function chartPath(chain: Chain): string {
  return `/charts/${chain}.svg`;
}

/** URL path of a methodology version as data. */
export function methodologyDataPath(version: string): string {
  return `/api/v1/methodology/${version}.json`;
}

/** URL path of a methodology version as text. */
export function methodologyTextPath(version: string): string {
  return `/api/v1/methodology/${version}.md`;
}

/** URL path of an example, by the name of its file. */
export function examplePath(name: string): string {
  return `/api/v1/analyst-kit/examples/${name}`;
}

/** URL paths of the pages that are not per chain, and of what they are drawn with. */
export const PAGE_PATHS = {
  front: '/',
  docs: '/docs',
  stylesheet: '/assets/site.css',
  icon: '/assets/icon.svg',
} as const;

/** URL path of a chain's page. */
export function chainPagePath(chain: Chain): string {
  return `/chains/${chain}`;
}

/** URL path of the page with the text of a methodology version. */
export function methodologyPagePath(version: string): string {
  return `/methodology/${version}`;
}

/** Where all subscriber files lie. */
export const FILES_PATH = '/api/v1/files';

/** URL path of a day file. */
export function dayPath(genre: Genre, chain: Chain, date: string): string {
  return `${archivePath(genre, chain)}/${date}.json`;
}

/** URL path of a bundle. */
export function bundlePath(genre: Genre, chain: Chain, window: Window): string {
  return window === 'latest'
    ? `${archivePath(genre, chain)}/latest.json`
    : `${FILES_PATH}/${genre}/${chain}/${window}/latest.json`;
}

/** URL path of an archive manifest. */
export function manifestPath(genre: Genre, chain: Chain): string {
  return `${archivePath(genre, chain)}/manifest.json`;
}

function archivePath(genre: Genre, chain: Chain): string {
  return `${FILES_PATH}/${genre}/${genre === 'briefs' ? 'chains/' : ''}${chain}`;
}

/** How long a cache may keep a key's bytes: artifacts for ever, aliases for minutes, the freshest for one. */
export function cacheControlOf(key: string): string {
  if (key.startsWith(OBJECTS_PREFIX) || key.startsWith(RELEASES_PREFIX)) {
    return 'public, max-age=31536000, immutable';
  }
  if (!key.startsWith(PUBLIC_PREFIX)) return 'no-cache';
  return isFreshest(key)
    ? 'public, max-age=60, stale-while-revalidate=60'
    : 'public, max-age=300, stale-while-revalidate=86400';
}

function isFreshest(key: string): boolean {
  const { status, landing, release } = PUBLIC_PATHS;
  return (
    [status, landing, release, PAGE_PATHS.front].some((path) => key === publicKey(path)) ||
    key.startsWith('public/api/v1/summary/') ||
    ['public/chains/', 'public/charts/', 'public/assets/'].some((folder) => key.startsWith(folder))
  );
}

/**
 * The name under which a browser keeps a file that a person downloads, as a `Content-Disposition` (RFC 6266);
 * `undefined` for a path that is read in place.
 */
export function dispositionOf(path: string): string | undefined {
  const calendar = /^\/api\/v1\/analyst-kit\/([a-z]+)\/regime-calendar$/.exec(path);
  if (calendar?.[1] !== undefined) return attachment(`${calendar[1]}-regime-calendar.csv`);
  if (path === PUBLIC_PATHS.starterNotebook) return attachment('starter-notebook.ipynb');
  const file = /^\/api\/v1\/files\/([a-z]+)\/(?:chains\/)?([a-z]+)\/([a-z0-9/-]+)\.json$/.exec(path);
  const [, genre, chain, name] = file ?? [];
  if (genre === undefined || chain === undefined || name === undefined) return undefined;
  return attachment(`${chain}-${genre}-${name.replace('/', '-')}.json`);
}

function attachment(name: string): string {
  return `attachment; filename="${name}"`;
}
