import fc from 'fast-check';
import { sha256Hex } from '../../schemas/digest.js';
import { accountKey } from '../../schemas/account-key.js';
import {
  ACCOUNT_PATHS,
  accountAssetPath,
  assetPath,
  ALIASES_KEY,
  bundlePath,
  calendarPath,
  chainPagePath,
  chartPath,
  collectedKey,
  COLLECTION_KEY,
  GC_KEY,
  dayPath,
  ENDPOINTS,
  examplePath,
  exampleViewPath,
  guidePath,
  keyRecordKey,
  keyUsageKey,
  lineageManifestPath,
  lineagePath,
  manifestPath,
  methodologyDataPath,
  methodologyPagePath,
  methodologyTextPath,
  queryPath,
  objectKey,
  operationPath,
  PAGE_PATHS,
  parseObjectKey,
  parseReleaseKey,
  parseStatementKey,
  POINTER_KEY,
  problemPath,
  PUBLIC_PATHS,
  publicKey,
  REFUSAL_KEY,
  releaseKey,
  statementKey,
  STORE_KEY,
  regimesPath,
  summaryPath,
  TRUST_PATHS,
  volumePath,
  volumeSchemaPath,
  weeklyArchivePath,
  weeklySummaryPath,
  wheelPath,
  withoutIndex,
} from '../../schemas/paths.js';
import { findSchemaFaults } from '../../schemas/validate.js';

const SHA = '0123456789abcdef'.repeat(4);
const REVISION = '2026-08-21.000001';
const sha256 = () => fc.stringMatching(/^[0-9a-f]{64}$/);
const revision = () => fc.stringMatching(/^20[0-9]{2}-0[1-9]-[12][0-9]\.[0-9]{6}$/);

const KEYS: [string, string][] = [
  [STORE_KEY, 'store.json'],
  [POINTER_KEY, 'current.json'],
  [ALIASES_KEY, 'aliases.json'],
  [GC_KEY, 'gc.json'],
  [REFUSAL_KEY, 'refusal.json'],
  [COLLECTION_KEY, 'collection.json'],
  [collectedKey(SHA), `collected/${SHA}`],
  [objectKey(SHA), `objects/sha256/${SHA}`],
  [releaseKey(REVISION, SHA), `releases/2026-08-21.000001/${SHA}.json`],
  [statementKey(REVISION, SHA), `releases/2026-08-21.000001/${SHA}.jws`],
  [publicKey(TRUST_PATHS.keys), 'public/.well-known/chain-reference-data/keys.jws'],
  [publicKey(TRUST_PATHS.statement), 'public/api/v1/release.jws'],
  [publicKey('/api/v1/status'), 'public/api/v1/status'],
  [publicKey(PAGE_PATHS.front), 'public/index.html'],
  [publicKey(PAGE_PATHS.docs), 'public/docs/index.html'],
  [publicKey(assetPath('site.css')), 'public/assets/site.css'],
  [publicKey(chainPagePath('base')), 'public/chains/base/index.html'],
  [publicKey(problemPath('gone')), 'public/problems/gone/index.html'],
  [accountKey('a@example.com'), `accounts/${sha256Hex('a@example.com')}.json`],
  [keyRecordKey('Abc123xy'), 'keys/Abc123xy.json'],
  [keyUsageKey('Abc123xy'), 'usage/Abc123xy.json'],
];

const PATHS: [string, string][] = [
  [PUBLIC_PATHS.status, '/api/v1/status'],
  [PUBLIC_PATHS.landing, '/api/v1/landing'],
  [PUBLIC_PATHS.release, '/api/v1/release'],
  [TRUST_PATHS.keys, '/.well-known/chain-reference-data/keys.jws'],
  [TRUST_PATHS.timestamp, '/api/v1/timestamp.jws'],
  [TRUST_PATHS.statement, '/api/v1/release.jws'],
  [TRUST_PATHS.releases, '/api/v1/releases.json'],
  [PUBLIC_PATHS.changes, '/api/v1/changes'],
  [PUBLIC_PATHS.glossary, '/api/v1/glossary'],
  [PUBLIC_PATHS.thresholds, '/api/v1/thresholds/defaults'],
  [PUBLIC_PATHS.methodologyVersions, '/api/v1/methodology/versions'],
  [PUBLIC_PATHS.featureSchema, '/api/v1/analyst-kit/feature-schema'],
  [PUBLIC_PATHS.openapi, '/api/v1/openapi.json'],
  [PUBLIC_PATHS.overviewChart, '/charts/overview.svg'],
  [methodologyDataPath('v1'), '/api/v1/methodology/v1.json'],
  [methodologyTextPath('v1'), '/api/v1/methodology/v1.md'],
  [queryPath('base'), '/api/v1/sql/base.sql'],
  [summaryPath('base'), '/api/v1/summary/base'],
  [calendarPath('base'), '/api/v1/analyst-kit/base/regime-calendar'],
  [weeklySummaryPath('base'), '/api/v1/analyst-kit/base/weekly-summary'],
  [regimesPath('base'), '/api/v1/analyst-kit/base/regimes.json'],
  [weeklyArchivePath('base', '2024'), '/api/v1/analyst-kit/base/weekly-summaries/2024'],
  [chartPath('base'), '/charts/base.svg'],
  [PUBLIC_PATHS.starterNotebook, '/api/v1/analyst-kit/starter-notebook'],
  [examplePath('with_pandas.py'), '/api/v1/analyst-kit/examples/with_pandas.py'],
  [wheelPath('a-1-py3-none-any.whl'), '/api/v1/python/a-1-py3-none-any.whl'],
  [PAGE_PATHS.front, '/'],
  [PAGE_PATHS.docs, '/docs'],
  [PAGE_PATHS.api, '/docs/api'],
  [PAGE_PATHS.apiSchemas, '/docs/api/schemas'],
  [guidePath('join'), '/docs/guides/join'],
  [operationPath('getVolumeAsCsv'), '/docs/api/get-volume-as-csv'],
  [exampleViewPath('with_pandas.py'), '/docs/examples/with-pandas-py'],
  [PAGE_PATHS.pricing, '/pricing'],
  [PAGE_PATHS.status, '/status'],
  [PAGE_PATHS.changes, '/changes'],
  [PAGE_PATHS.glossary, '/glossary'],
  [PAGE_PATHS.verify, '/verify'],
  [PAGE_PATHS.feed, '/feed.xml'],
  [PAGE_PATHS.sitemap, '/sitemap.xml'],
  [PAGE_PATHS.robots, '/robots.txt'],
  [PAGE_PATHS.llms, '/llms.txt'],
  [PAGE_PATHS.dataPackage, '/datapackage.json'],
  [PAGE_PATHS.croissant, '/croissant.json'],
  [PAGE_PATHS.siteFiles, '/site-files.json'],
  [assetPath('site.css'), '/assets/site.css'],
  [PAGE_PATHS.icon, '/assets/icon.svg'],
  [PAGE_PATHS.card, '/assets/card.png'],
  [chainPagePath('base'), '/chains/base'],
  [methodologyPagePath('v1'), '/methodology/v1'],
  [bundlePath('meta', 'bitcoin', '7d'), '/api/v1/files/meta/bitcoin/7d/latest.json'],
  [bundlePath('gold', 'ethereum', '365d'), '/api/v1/files/gold/ethereum/365d/latest.json'],
  [bundlePath('derived', 'arbitrum', 'latest'), '/api/v1/files/derived/arbitrum/latest.json'],
  [manifestPath('gold', 'base'), '/api/v1/files/gold/base/manifest.json'],
  [volumePath('gold', 'base', '2024', 'parquet'), '/api/v1/files/gold/base/volumes/2024.parquet'],
  [volumePath('meta', 'base', '2024-03', 'csv'), '/api/v1/files/meta/base/volumes/2024-03.csv'],
  [volumeSchemaPath('gold', 'base'), '/api/v1/analyst-kit/base/gold-volume-schema'],
  [lineageManifestPath('base'), '/api/v1/files/gold/base/lineage.json'],
  [lineagePath('base', '2026-08-20'), '/api/v1/files/gold/base/2026-08-20.lineage.json'],
  [dayPath('gold', 'base', '2026-08-20'), '/api/v1/files/gold/base/2026-08-20.json'],
  [bundlePath('briefs', 'base', '7d'), '/api/v1/files/briefs/base/7d/latest.json'],
  [bundlePath('briefs', 'base', 'latest'), '/api/v1/files/briefs/chains/base/latest.json'],
  [manifestPath('briefs', 'base'), '/api/v1/files/briefs/chains/base/manifest.json'],
  [dayPath('briefs', 'base', '2026-08-20'), '/api/v1/files/briefs/chains/base/2026-08-20.json'],
  [problemPath('gone'), '/problems/gone'],
  [ENDPOINTS.keys, '/api/v1/keys'],
  [ENDPOINTS.entitlements, '/api/v1/entitlements'],
  [ENDPOINTS.checkout, '/api/v1/checkout'],
  [ENDPOINTS.portal, '/api/v1/checkout/portal'],
  [ENDPOINTS.webhook, '/api/v1/stripe/webhook'],
  [ENDPOINTS.account, '/api/v1/account'],
  [ACCOUNT_PATHS.page, '/account'],
  [ACCOUNT_PATHS.settings, '/account/config.json'],
  [accountAssetPath('a.css'), '/account/a.css'],
  [ENDPOINTS.health, '/healthz'],
  [ENDPOINTS.readiness, '/readyz'],
  [ENDPOINTS.freshness, '/health/freshness'],
  [ENDPOINTS.metrics, '/metrics'],
];

describe('the keys and paths', () => {
  it.each([...KEYS, ...PATHS])('spell %s', (actual, expected) => {
    expect(actual).toBe(expected);
  });

  it('include every path of the files that verify a release', () => {
    const listed = PATHS.map(([path]) => path); // the golden release spells the other files, and its OpenAPI the endpoints
    expect(Object.values(TRUST_PATHS).filter((path) => !listed.includes(path))).toEqual([]);
  });

  it.each(PATHS)('are URL paths by the schema: %s', (path) => {
    const file = { path, sha256: SHA, bytes: 1, type: 'application/json' };
    const faults = findSchemaFaults('release', {
      schema: 'release/1',
      published_revision: REVISION,
      published_at: '2026-08-21T06:00:00Z',
      sequence: 1,
      methodology_version: 'v1',
      files: [file],
    });
    expect(faults).toEqual([]);
  });
});

describe('parseReleaseKey', () => {
  it('returns the arguments of releaseKey', () => {
    fc.assert(
      fc.property(revision(), sha256(), (name, digest) => {
        expect(parseReleaseKey(releaseKey(name, digest))).toEqual({ revision: name, sha256: digest });
      }),
    );
  });

  it.each([
    'current.json',
    `objects/sha256/${SHA}`,
    `releases/${REVISION}/${SHA}`,
    `releases/${REVISION}/${SHA}.json.tmp`,
    `releases/${REVISION}/${SHA.toUpperCase()}.json`,
    `releases/${REVISION}/${SHA.slice(1)}.json`,
    `releases/${REVISION}/${SHA}.json\n`,
    `releases/2026-08-21.1/${SHA}.json`,
    `releases/2026-08-21/${SHA}.json`,
    `releases/${REVISION}/x/${SHA}.json`,
    `releases//${SHA}.json`,
    `x/releases/${REVISION}/${SHA}.json`,
    '',
  ])('returns undefined for %j', (key) => {
    expect(parseReleaseKey(key)).toBeUndefined();
  });
});

describe('parseStatementKey', () => {
  it('returns the arguments of statementKey', () => {
    fc.assert(
      fc.property(revision(), sha256(), (name, digest) => {
        expect(parseStatementKey(statementKey(name, digest))).toEqual({ revision: name, sha256: digest });
      }),
    );
  });

  it.each([releaseKey(REVISION, SHA), `releases/${REVISION}/${SHA}.jws\n`, `releases/${SHA}.jws`, '.jws'])(
    'returns undefined for %j',
    (key) => expect(parseStatementKey(key)).toBeUndefined(),
  );
});

describe('parseObjectKey', () => {
  it('returns the argument of objectKey', () => {
    fc.assert(fc.property(sha256(), (digest) => expect(parseObjectKey(objectKey(digest))).toBe(digest)));
  });

  it.each(['current.json', `objects/${SHA}`, `objects/sha256/${SHA}x`, `x/objects/sha256/${SHA}`])(
    'returns undefined for %j',
    (key) => expect(parseObjectKey(key)).toBeUndefined(),
  );
});

describe('withoutIndex', () => {
  const PAGES = [PAGE_PATHS.front, PAGE_PATHS.docs, chainPagePath('base'), problemPath('gone')];

  it.each(PAGES)(
    'returns the page %s from the path of its public copy, and keeps the path itself',
    (page) => {
      expect(withoutIndex(publicKey(page).replace(/^public/, ''))).toBe(page);
      expect(withoutIndex(page)).toBe(page);
    },
  );

  it('keeps a path of the API', () => {
    expect(withoutIndex('/api/v1/index.html')).toBe('/api/v1/index.html');
  });
});
