import { CHAIN_IDS } from '../../schemas/catalog.js';
import {
  FILES_PATH,
  objectKey,
  OBJECTS_PREFIX,
  POINTER_KEY,
  PUBLIC_PREFIX,
  publicKey,
  releaseKey,
} from '../../schemas/paths.js';
import { siteDigestOf, withSiteFiles } from '../../schemas/site-files.js';
import type { Manifest, Pointer, ReleaseRecord, SiteFiles } from '../../schemas/types.generated.js';
import type { StoreContents } from './store-digests.js';

/**
 * One path of each kind that follows the data, committed so that a reviewer sees how the artifact changes; and of the site,
 * those whose content is not a file of the repository.
 */
export const SAMPLES: readonly string[] = [
  '/api/v1/files/gold/ethereum/2023-05-20.json',
  '/api/v1/files/derived/ethereum/2023-05-20.json',
  '/api/v1/files/meta/ethereum/2023-05-20.json',
  '/api/v1/files/briefs/chains/ethereum/2023-05-20.json',
  '/api/v1/files/gold/ethereum/7d/latest.json',
  '/api/v1/files/gold/ethereum/manifest.json',
  '/api/v1/files/gold/ethereum/volumes/2023-03.csv',
  '/api/v1/files/gold/ethereum/volumes/2023-03.parquet',
  '/api/v1/analyst-kit/ethereum/gold-volume-schema',
  '/api/v1/analyst-kit/ethereum/regime-calendar',
  '/api/v1/analyst-kit/ethereum/regimes.json',
  '/api/v1/analyst-kit/ethereum/weekly-summary',
  '/api/v1/analyst-kit/ethereum/weekly-summaries/2023',
  '/api/v1/analyst-kit/feature-schema',
  '/api/v1/analyst-kit/starter-notebook',
  '/api/v1/changes',
  '/api/v1/glossary',
  '/site-files.json',
  '/api/v1/landing',
  '/api/v1/methodology/v1.json',
  '/api/v1/methodology/versions',
  '/api/v1/openapi.json',
  '/api/v1/release',
  '/api/v1/status',
  '/api/v1/summary/ethereum',
  '/api/v1/thresholds/defaults',
  '/samples/gold/bundle.json',
  '/samples/gold/day.json',
  '/samples/gold/manifest.json',
  '/samples/gold/volume.csv',
  '/samples/gold/volume.parquet',
  '/charts/ethereum.json',
  '/charts/ethereum.svg',
  '/charts/ethereum/metrics.json',
  '/charts/overview.svg',
  '/',
  '/chains/ethereum',
  '/chains/ethereum/events.json',
  '/chains/ethereum/feed.xml',
  '/chains/ethereum/regimes.ics',
  '/chains',
  '/chains/ethereum/metrics',
  '/changes',
  '/croissant.json',
  '/datapackage.json',
  '/docs/api/get-bundle',
  '/docs/guides/join',
  '/embed/ethereum',
  '/feed.xml',
  '/llms.txt',
  '/methodology/v1',
  '/pricing',
  '/problems/not-found',
  '/robots.txt',
  '/sitemap.xml',
  '/status',
];

/** Returns the kind of artifact at a path: day files of one genre, bundles, manifests and volumes of a format are a kind each. */
export function kindOf(path: string): string {
  const [, genre, file] = /^\/api\/v1\/files\/([a-z]+)\/.*?([^/]+)\.json$/.exec(path) ?? [];
  if (file === 'latest') return 'bundle';
  if (genre !== undefined) return file === 'manifest' ? 'manifest' : `${genre} day`;
  if (path.includes('/volumes/')) return path.endsWith('.csv') ? 'volume as CSV' : 'volume as Parquet';
  const chain = new RegExp(`(?<=/)(${CHAIN_IDS.join('|')})(?=[/.]|$)`);
  return path
    .replace(chain, '{chain}')
    .replace(/(?<=^\/samples\/)[a-z]+/, '{genre}')
    .replace(/^\/problems\/.+/, '/problems/{type}')
    .replace(/^\/docs\/guides\/.+/, '/docs/guides/{name}')
    .replace(/^\/docs\/api\/(?!schemas$).+/, '/docs/api/{operation}')
    .replace(/(?<=\/examples\/).+/, '{name}')
    .replace(/(?<=\/assets\/)[a-z]+-[0-9a-f]{16}(?=\.(css|js)$)/, '{name}')
    .replace(/(?<=\/weekly-summaries\/).+/, '{year}')
    .replace(/(?<=\/python\/).+/, '{wheel}')
    .replace(/(?<=\/)[a-z]+(?=-volume-schema$)/, '{genre}');
}

/** Returns the digest of each path of the current release, day files included. */
export function currentPaths(contents: StoreContents): Map<string, string> {
  const pointer = parse(contents, POINTER_KEY) as Pointer; // the generator published it
  const stored = parse(contents, releaseKey(pointer.revision, pointer.sha256)) as ReleaseRecord; // the same
  const site = parse(contents, objectKey(siteDigestOf(stored) ?? '')) as SiteFiles; // the same
  const record = withSiteFiles(stored, site);
  const entries = [record.public, record.bundles, record.manifests].flatMap((each) => Object.entries(each));
  const paths = new Map(entries.map(([path, { sha256 }]) => [path, sha256]));
  for (const { sha256 } of Object.values(record.manifests)) {
    const manifest = parse(contents, objectKey(sha256)) as Manifest; // the same
    for (const day of manifest.dates) paths.set(day.path, day.sha256);
  }
  return paths;
}

/**
 * Returns the files to commit by name: the samples under the key of their public copy, or under their path if they are
 * for subscribers, then records, pointer, aliases.json and store.json under their keys.
 */
export function committedFiles(contents: StoreContents): Map<string, Uint8Array> {
  const isState = (key: string): boolean => !key.startsWith(OBJECTS_PREFIX) && !key.startsWith(PUBLIC_PREFIX);
  const paths = currentPaths(contents);
  return new Map([
    ...SAMPLES.map((path): [string, Uint8Array] => {
      const name = path.startsWith(FILES_PATH) ? path.slice(1) : publicKey(path);
      const bytes = contents.get(objectKey(paths.get(path) ?? ''));
      if (bytes === undefined) throw new Error(`The golden release has no ${path}. Correct SAMPLES.`);
      return [name, bytes];
    }),
    ...[...contents].filter(([key]) => isState(key)),
  ]);
}

function parse(contents: StoreContents, key: string): unknown {
  return JSON.parse(Buffer.from(contents.get(key) ?? []).toString('utf8'));
}
