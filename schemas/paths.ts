/**
 * Every URL path and every object key of the service, with those of pages from page-paths.ts. Other files import them from
 * here and never spell them out.
 *
 * Release store:
 *   store.json  store-check.json  current.json  aliases.json  gc.json  refusal.json
 *   objects/sha256/<64 hex>            artifact
 *   releases/<revision>/<sha256>.json  release record
 *   public<url path>                   copy of a public artifact
 *   public<url path>/index.html        copy of a page
 *   releases/<revision>/<sha256>.jws   statement: the signature of a release record
 *   public<path in TRUST_PATHS>        key set, current statement, timestamp, list of releases; only in a signed store
 *
 * Collection:
 *   collection.json                    pointer to what was collected
 *   collected/<64 hex>                 ledger, a file of the input, or the lineage of a date
 *
 * Accounts store:
 *   accounts/<hex SHA-256 of the account id>.json  account
 *   keys/<key id>.json                             owner of a key
 *   usage/<key id>.json                            last use of a key
 */
import type { VolumeFormat } from './catalog.js';
import type { Chain, Genre, Window } from './types.generated.js';
import type { Placeholder } from './page-paths.js';

export * from './page-paths.js';

/** Key of the mark that identifies a prefix as a release store. */
export const STORE_KEY = 'store.json';
/** Key of the verdict of the check of a server, in a store of releases or accounts, or a collection. */
export const STORE_CHECK_KEY = 'store-check.json';
/** Prefix of the objects that a check writes and deletes. Nothing else is there. */
export const CHECK_PREFIX = 'check/';
/** Key of the pointer to the current release. */
export const POINTER_KEY = 'current.json';
/** Key of the file that records the sequence of the release up to which the public copies (aliases) are up to date. */
export const ALIASES_KEY = 'aliases.json';
/** Key of the lease of garbage collection. */
export const GC_KEY = 'gc.json';
/** Key of the record of what publish refused. */
export const REFUSAL_KEY = 'refusal.json';
/** Key of the pointer to a collection, which is in a store of its own. */
export const COLLECTION_KEY = 'collection.json';
/** Prefix of the files of a collection. */
export const COLLECTED_PREFIX = 'collected/';
/** Prefix of all artifacts. */
export const OBJECTS_PREFIX = 'objects/sha256/';
/** Prefix of all release records. */
export const RELEASES_PREFIX = 'releases/';
/** Prefix of all public copies. */
export const PUBLIC_PREFIX = 'public/';

/** Returns the key of the file of a collection with this digest. */
export const collectedKey = (sha256: string): string => `${COLLECTED_PREFIX}${sha256}`;

/** Returns the key of the artifact with this digest. */
export const objectKey = (sha256: string): string => `${OBJECTS_PREFIX}${sha256}`;

/** Returns the digest in an artifact's key; `undefined` for any other key. */
export function parseObjectKey(key: string): string | undefined {
  return /^objects\/sha256\/([0-9a-f]{64})$/.exec(key)?.[1];
}

/** Returns the key of a release record. */
export const releaseKey = (revision: string, sha256: string): string =>
  `${RELEASES_PREFIX}${revision}/${sha256}.json`;

/** Returns the revision and digest in a release record's key; `undefined` for any other key. */
export function parseReleaseKey(key: string): { revision: string; sha256: string } | undefined {
  const [, revision, sha256] = /^releases\/(\d{4}-\d{2}-\d{2}\.\d{6})\/([0-9a-f]{64})\.json$/.exec(key) ?? [];
  return revision === undefined || sha256 === undefined ? undefined : { revision, sha256 };
}

/** Returns the key of the statement about a release record. */
export const statementKey = (revision: string, sha256: string): string =>
  `${RELEASES_PREFIX}${revision}/${sha256}.jws`;

/** Returns the revision and digest in a statement's key; `undefined` for any other key. */
export function parseStatementKey(key: string): { revision: string; sha256: string } | undefined {
  return key.endsWith('.jws') ? parseReleaseKey(key.replace(/\.jws$/, '.json')) : undefined;
}

/**
 * URL paths of the files by which readers verify a signed release. They change without a release, so that no release lists
 * them.
 */
export const TRUST_PATHS = {
  keys: '/.well-known/chain-reference-data/keys.jws',
  timestamp: '/api/v1/timestamp.jws',
  statement: '/api/v1/release.jws',
  releases: '/api/v1/releases.json',
} as const;

/** Prefix of all accounts. */
export const ACCOUNTS_PREFIX = 'accounts/';

/** Returns the key of an account by the digest of its id (`accountKey` in account-key.ts). */
export const accountKeyOf = (sha256: string): string => `${ACCOUNTS_PREFIX}${sha256}.json`;

/** Returns the key of the record of an API key. */
export const keyRecordKey = (keyId: string): string => `keys/${keyId}.json`;

/** Returns the key of an API key's usage. */
export const keyUsageKey = (keyId: string): string => `usage/${keyId}.json`;

/** URL path below which all files and endpoints of the API are. */
export const API_PATH = '/api/v1/';
const API_PREFIX = '/api/';

/** Returns whether a URL path is a page's: not below `/api/`, and without a file extension. */
export function isPagePath(path: string): boolean {
  return !path.startsWith(API_PREFIX) && !path.slice(path.lastIndexOf('/')).includes('.');
}

/** Stands for the address in commands and links of a site that was published without one. In a browser, pages show their own. */
export const UNKNOWN_ADDRESS = 'https://your-service.example';

/** Returns the key of the public copy of a URL path. The copy of a page is an `index.html`. */
export function publicKey(path: string): string {
  return isPagePath(path) ? `public${path === '/' ? '' : path}/index.html` : `public${path}`;
}

/** Returns the URL path of a page from that of its copy: `/docs` from `/docs/index.html`. Other paths stay as they are. */
export function withoutIndex(path: string): string {
  return path.startsWith(API_PREFIX) ? path : path.replace(/\/index\.html$/, '') || '/';
}

/** Returns the URL path of the public copy that is stored with a key. */
export function pathOfPublicKey(key: string): string {
  return withoutIndex(key.slice(PUBLIC_PREFIX.length - '/'.length));
}

type ChainPart = Chain | Placeholder;
type GenrePart = Genre | Placeholder;
type WindowPart = Window | Placeholder;
type FormatPart = VolumeFormat | Placeholder;

/** URL paths of the gateway's own endpoints. */
export const ENDPOINTS = {
  keys: '/api/v1/keys',
  account: '/api/v1/account',
  entitlements: '/api/v1/entitlements',
  checkout: '/api/v1/checkout',
  portal: '/api/v1/checkout/portal',
  webhook: '/api/v1/stripe/webhook',
  health: '/healthz',
  readiness: '/readyz',
  freshness: '/health/freshness',
  metrics: '/metrics',
} as const;

/** URL paths of the account page and of its settings, which the gateway serves itself. */
export const ACCOUNT_PATHS = { page: '/account', settings: '/account/config.json' } as const;

/** Returns the address of the account page that offers the files of a chain, or one file of a day. */
export function downloadPath(chain: Chain, file?: { readonly genre: Genre; readonly date: string }): string {
  const rest = file === undefined ? '' : `&content=${file.genre}&date=${file.date}`;
  return `${ACCOUNT_PATHS.page}?download=${chain}${rest}`;
}

/** Returns the URL path of the account page's script or stylesheet, by the name of its file. */
export const accountAssetPath = (name: string): string => `/account/${name}`;

/** URL path below which a gateway on a directory store serves objects by signed links. */
export const OBJECTS_PATH = '/_objects/';

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

/** Returns the URL path of a chain's summary. */
export const summaryPath = (chain: ChainPart): string => `/api/v1/summary/${chain}`;

/** Returns the URL path of a chain's regime calendar. */
export function calendarPath(chain: ChainPart): string {
  return `/api/v1/analyst-kit/${chain}/regime-calendar`;
}

/** Returns the URL path of what the labels of a chain have meant. */
export function regimesPath(chain: ChainPart): string {
  return `/api/v1/analyst-kit/${chain}/regimes.json`;
}

/** Returns the URL path of a chain's weekly summary. */
export function weeklySummaryPath(chain: ChainPart): string {
  return `/api/v1/analyst-kit/${chain}/weekly-summary`;
}

/** Returns the URL path of the archive of a chain's weekly summaries: those of the weeks of a year of ISO 8601. */
export function weeklyArchivePath(chain: ChainPart, year: string): string {
  return `/api/v1/analyst-kit/${chain}/weekly-summaries/${year}`;
}

/** Returns the URL path of the Table Schema of a chain's volumes. */
export function volumeSchemaPath(genre: GenrePart, chain: ChainPart): string {
  return `/api/v1/analyst-kit/${chain}/${genre}-volume-schema`;
}

/** URL path below which all charts are. */
export const CHARTS_PATH = '/charts/';

/** Returns the URL path of a chain's chart. */
export const chartPath = (chain: ChainPart): string => `${CHARTS_PATH}${chain}.svg`;

/** Returns the URL path of the data of a chain's chart. */
export const chartDataPath = (chain: ChainPart): string => `${CHARTS_PATH}${chain}.json`;

/** Returns the URL path of the metrics of a chain for charts. */
export const chartMetricsPath = (chain: ChainPart): string => `${CHARTS_PATH}${chain}/metrics.json`;

/** Returns the URL path of a methodology version as data. */
export const methodologyDataPath = (version: string): string => `/api/v1/methodology/${version}.json`;

/** Returns the URL path of a methodology version as text. */
export const methodologyTextPath = (version: string): string => `/api/v1/methodology/${version}.md`;

/** Returns the URL path of the SQL that computes a chain's metrics. */
export const queryPath = (chain: ChainPart): string => `/api/v1/sql/${chain}.sql`;

/** Returns the URL path of an example, by the name of its file. */
export const examplePath = (name: string): string => `/api/v1/analyst-kit/examples/${name}`;

/** Returns the URL path of a wheel of the Python client, by its file name. An installed client expects this folder. */
export const wheelPath = (name: string): string => `/api/v1/python/${name}`;

/** URL path below which all subscriber files are. */
export const FILES_PATH = '/api/v1/files';

/** Returns the URL path of a day file. */
export function dayPath(genre: GenrePart, chain: ChainPart, date: string): string {
  return `${archivePath(genre, chain)}/${date}.json`;
}

/** Returns the URL path of a bundle. */
export function bundlePath(genre: GenrePart, chain: ChainPart, window: WindowPart): string {
  return window === 'latest'
    ? `${archivePath(genre, chain)}/latest.json`
    : `${FILES_PATH}/${genre}/${chain}/${window}/latest.json`;
}

/** Returns the URL path of a volume. `period` is a year or a month, such as `2024` or `2024-03`. */
export function volumePath(genre: GenrePart, chain: ChainPart, period: string, format: FormatPart): string {
  return `${archivePath(genre, chain)}/volumes/${period}.${format}`;
}

/** Returns the URL path of an archive manifest. */
export function manifestPath(genre: GenrePart, chain: ChainPart): string {
  return `${archivePath(genre, chain)}/manifest.json`;
}

/** The files of the sample of a genre, a week that is free. Each has the form of a kind of subscriber files. */
export const SAMPLE_FILES = [
  'bundle.json',
  'day.json',
  'manifest.json',
  'volume.csv',
  'volume.parquet',
] as const;

/** A file of the sample of a genre. */
export type SampleFile = (typeof SAMPLE_FILES)[number];

/** Returns the URL path of a file of the sample of a genre. */
export const samplePath = (genre: GenrePart, file: SampleFile): string => `/samples/${genre}/${file}`;

/** Returns the URL path of the folder with an archive's manifest and day files. */
export function archivePath(genre: GenrePart, chain: ChainPart): string {
  return `${FILES_PATH}/${genre}/${genre === 'briefs' ? 'chains/' : ''}${chain}`;
}

/** Returns the URL path of the lineage of a gold day. */
export function lineagePath(chain: ChainPart, date: string): string {
  return `${archivePath('gold', chain)}/${date}.lineage.json`;
}

/** Returns the URL path of the manifest of the lineages of a chain. */
export function lineageManifestPath(chain: ChainPart): string {
  return `${archivePath('gold', chain)}/lineage.json`;
}
