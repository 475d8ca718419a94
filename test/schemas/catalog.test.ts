import { readdirSync } from 'node:fs';
import fc from 'fast-check';
import {
  byChain,
  CHAINS,
  CHAIN_IDS,
  EXAMPLE_NAMES,
  GENRES,
  LABEL_MEANINGS,
  METRICS,
  METRIC_NAMES,
  metricsOf,
  WINDOWS,
} from '../../schemas/catalog.js';
import { SCHEMAS } from '../../schemas/schemas.generated.js';
import {
  ALIASES_KEY,
  COLLECTION_KEY,
  bundlePath,
  cacheControlOf,
  calendarPath,
  chainPagePath,
  chartPath,
  dayPath,
  examplePath,
  manifestPath,
  methodologyDataPath,
  methodologyPagePath,
  methodologyTextPath,
  objectKey,
  dispositionOf,
  PAGE_PATHS,
  parseObjectKey,
  parseReleaseKey,
  POINTER_KEY,
  publicKey,
  PUBLIC_PATHS,
  releaseKey,
  STORE_KEY,
  summaryPath,
  weeklySummaryPath,
} from '../../schemas/paths.js';
import { problemPath } from '../../schemas/problems.js';
import { findSchemaFaults } from '../../schemas/validate.js';

const WORDS = SCHEMAS.common.$defs;
const goldDay = SCHEMAS['gold-day'];
const derivedDay = SCHEMAS['derived-day'];

/** Per chain, the metrics that a schema's conditions demand and those that they allow. */
function metricsByChain({ allOf }: typeof goldDay | typeof derivedDay): [string, string[], string[]][] {
  return allOf.map((rule) => {
    const { required, propertyNames } = rule.then.properties.metrics;
    return [rule.if.properties.chain.const, required, propertyNames.enum];
  });
}

describe('the catalog equals the schemas', () => {
  it.each([
    ['chains', Object.keys(CHAINS), WORDS.chain.enum],
    ['chains in their order', CHAIN_IDS, WORDS.chain.enum],
    ['genres', GENRES, WORDS.genre.enum],
    ['windows', Object.keys(WINDOWS), WORDS.window.enum],
    ['metrics', METRIC_NAMES, WORDS.metric_name.enum],
    ['labels', Object.keys(LABEL_MEANINGS), WORDS.label.enum],
    ['metrics of a gold day', METRIC_NAMES, Object.keys(goldDay.properties.metrics.properties)],
    ['metrics of a derived day', METRIC_NAMES, Object.keys(derivedDay.properties.metrics.properties)],
  ])('in its %s', (_what, catalog, schema) => {
    expect(catalog).toEqual(schema);
  });

  it.each([
    ['gold', goldDay],
    ['derived', derivedDay],
  ])('in the metrics that a %s day of each chain must have and may have', (_genre, schema) => {
    const expected = CHAIN_IDS.map((chain) => [chain, metricsOf(chain), metricsOf(chain)]);
    expect(metricsByChain(schema)).toEqual(expected);
  });

  it.each(['bitcoin', 'ethereum', 'arbitrum', 'base'])('in the members that name chains: %s', (chain) => {
    const { sources, status, landing, changes, 'release-record': record } = SCHEMAS;
    expect(sources.properties).toHaveProperty(chain);
    expect(status.properties.chains.properties).toHaveProperty(chain);
    expect(landing.properties.chains.properties).toHaveProperty(chain);
    expect(changes.$defs.entry.properties.chains.properties).toHaveProperty(chain);
    expect(record.properties.chains.properties).toHaveProperty(chain);
  });

  it('in the length of the longest bundle', () => {
    expect(Math.max(...Object.values(WINDOWS))).toBe(SCHEMAS.bundle.properties.days.maxItems);
  });
});

describe('the catalog', () => {
  it.each(Object.entries(WINDOWS))('counts the dates of the window %s as %d', (window, dates) => {
    expect(dates).toBe(window === 'latest' ? 1 : Number.parseInt(window, 10));
  });

  it('gives every chain a lag that is late before it is stale', () => {
    for (const { expectedLagDays, staleAfterDays } of Object.values(CHAINS)) {
      expect([expectedLagDays, staleAfterDays]).toEqual([1, 3]);
    }
  });

  it('gives every metric a unit and a chain, and no unit in money other than the native coin', () => {
    for (const { unit, chains } of Object.values(METRICS)) {
      expect(unit).not.toMatch(/usd|eur|dollar|euro|fiat|price/i);
      expect(chains.length).toBeGreaterThan(0);
    }
  });

  it('names every label in words that follow "is" and end without a stop', () => {
    for (const meaning of Object.values(LABEL_MEANINGS)) expect(meaning).toMatch(/^[a-z][a-z ,]+[a-z]$/);
  });

  it('lists by chain in the order of the chains and leaves out what is absent', () => {
    fc.assert(
      fc.property(fc.subarray([...CHAIN_IDS]), (present) => {
        const listed = byChain((chain) => (present.includes(chain) ? chain.length : undefined));
        expect(Object.entries(listed)).toEqual(present.map((chain) => [chain, chain.length]));
      }),
    );
  });
});

const SHA = '0123456789abcdef'.repeat(4);
const REVISION = '2026-08-21.000001';
const sha256 = () => fc.stringMatching(/^[0-9a-f]{64}$/);
const revision = () => fc.stringMatching(/^20[0-9]{2}-0[1-9]-[12][0-9]\.[0-9]{6}$/);

const KEYS: [string, string][] = [
  [STORE_KEY, 'store.json'],
  [POINTER_KEY, 'current.json'],
  [ALIASES_KEY, 'aliases.json'],
  [COLLECTION_KEY, 'collection.json'],
  [objectKey(SHA), `objects/sha256/${SHA}`],
  [releaseKey(REVISION, SHA), `releases/2026-08-21.000001/${SHA}.json`],
  [publicKey('/api/v1/status'), 'public/api/v1/status'],
  [publicKey(PAGE_PATHS.front), 'public/index.html'],
  [publicKey(PAGE_PATHS.docs), 'public/docs/index.html'],
  [publicKey(PAGE_PATHS.stylesheet), 'public/assets/site.css'],
  [publicKey(chainPagePath('base')), 'public/chains/base/index.html'],
  [publicKey(problemPath('gone')), 'public/problems/gone/index.html'],
];

const PATHS: [string, string][] = [
  [PUBLIC_PATHS.status, '/api/v1/status'],
  [PUBLIC_PATHS.landing, '/api/v1/landing'],
  [PUBLIC_PATHS.release, '/api/v1/release'],
  [PUBLIC_PATHS.changes, '/api/v1/changes'],
  [PUBLIC_PATHS.glossary, '/api/v1/glossary'],
  [PUBLIC_PATHS.thresholds, '/api/v1/thresholds/defaults'],
  [PUBLIC_PATHS.methodologyVersions, '/api/v1/methodology/versions'],
  [PUBLIC_PATHS.featureSchema, '/api/v1/analyst-kit/feature-schema'],
  [PUBLIC_PATHS.openapi, '/api/v1/openapi.json'],
  [PUBLIC_PATHS.overviewChart, '/charts/overview.svg'],
  [methodologyDataPath('v1'), '/api/v1/methodology/v1.json'],
  [methodologyTextPath('v1'), '/api/v1/methodology/v1.md'],
  [summaryPath('base'), '/api/v1/summary/base'],
  [calendarPath('base'), '/api/v1/analyst-kit/base/regime-calendar'],
  [weeklySummaryPath('base'), '/api/v1/analyst-kit/base/weekly-summary'],
  [chartPath('base'), '/charts/base.svg'],
  [PUBLIC_PATHS.starterNotebook, '/api/v1/analyst-kit/starter-notebook'],
  [examplePath('sync.py'), '/api/v1/analyst-kit/examples/sync.py'],
  [PAGE_PATHS.front, '/'],
  [PAGE_PATHS.docs, '/docs'],
  [PAGE_PATHS.stylesheet, '/assets/site.css'],
  [PAGE_PATHS.icon, '/assets/icon.svg'],
  [chainPagePath('base'), '/chains/base'],
  [methodologyPagePath('v1'), '/methodology/v1'],
  [bundlePath('meta', 'bitcoin', '7d'), '/api/v1/files/meta/bitcoin/7d/latest.json'],
  [bundlePath('gold', 'ethereum', '365d'), '/api/v1/files/gold/ethereum/365d/latest.json'],
  [bundlePath('derived', 'arbitrum', 'latest'), '/api/v1/files/derived/arbitrum/latest.json'],
  [manifestPath('gold', 'base'), '/api/v1/files/gold/base/manifest.json'],
  [dayPath('gold', 'base', '2026-08-20'), '/api/v1/files/gold/base/2026-08-20.json'],
];

describe('the paths', () => {
  it.each([...KEYS, ...PATHS])('spell %s', (spelt, expected) => {
    expect(spelt).toBe(expected);
  });

  it('name every public path that is not per chain', () => {
    const spelt = PATHS.map(([path]) => path);
    expect(Object.values(PUBLIC_PATHS).filter((path) => !spelt.includes(path))).toEqual([]);
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
  it('gives back what releaseKey was made of', () => {
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
  ])('refuses %j', (key) => {
    expect(parseReleaseKey(key)).toBeUndefined();
  });
});

describe('parseObjectKey', () => {
  it('gives back what objectKey was made of', () => {
    fc.assert(fc.property(sha256(), (digest) => expect(parseObjectKey(objectKey(digest))).toBe(digest)));
  });

  it.each(['current.json', `objects/${SHA}`, `objects/sha256/${SHA}x`, `x/objects/sha256/${SHA}`])(
    'refuses %j',
    (key) => expect(parseObjectKey(key)).toBeUndefined(),
  );
});

describe('dispositionOf', () => {
  it.each([
    [calendarPath('base'), 'base-regime-calendar.csv'],
    [PUBLIC_PATHS.starterNotebook, 'starter-notebook.ipynb'],
    [dayPath('gold', 'base', '2026-08-20'), 'base-gold-2026-08-20.json'],
    [bundlePath('meta', 'bitcoin', '7d'), 'bitcoin-meta-7d-latest.json'],
    [bundlePath('meta', 'bitcoin', 'latest'), 'bitcoin-meta-latest.json'],
    [manifestPath('derived', 'arbitrum'), 'arbitrum-derived-manifest.json'],
  ])('names what a person downloads from %s', (path, name) => {
    expect(dispositionOf(path)).toBe(`attachment; filename="${name}"`);
  });

  it.each([
    ...Object.values(PUBLIC_PATHS).filter((path) => path !== PUBLIC_PATHS.starterNotebook),
    summaryPath('base'),
    weeklySummaryPath('base'),
    chartPath('base'),
    examplePath('sync.py'),
    chainPagePath('base'),
    methodologyTextPath('v1'),
    '',
  ])('leaves what is read in place: %s', (path) => expect(dispositionOf(path)).toBeUndefined());
});

describe('cacheControlOf', () => {
  const FOR_EVER = 'public, max-age=31536000, immutable';
  const FIVE_MINUTES = 'public, max-age=300, stale-while-revalidate=86400';
  const ONE_MINUTE = 'public, max-age=60, stale-while-revalidate=60';

  it.each([
    ['an artifact', objectKey(SHA), FOR_EVER],
    ['a release record', releaseKey(REVISION, SHA), FOR_EVER],
    ['the status', publicKey(PUBLIC_PATHS.status), ONE_MINUTE],
    ['the landing', publicKey(PUBLIC_PATHS.landing), ONE_MINUTE],
    ['the public release', publicKey(PUBLIC_PATHS.release), ONE_MINUTE],
    ['the front page', publicKey(PAGE_PATHS.front), ONE_MINUTE],
    ['the page of a chain', publicKey(chainPagePath('base')), ONE_MINUTE],
    ['the reference', publicKey(PAGE_PATHS.docs), FIVE_MINUTES],
    ['the stylesheet', publicKey(PAGE_PATHS.stylesheet), ONE_MINUTE],
    ['a summary', publicKey(summaryPath('bitcoin')), ONE_MINUTE],
    ['the changes', publicKey(PUBLIC_PATHS.changes), FIVE_MINUTES],
    ['the glossary', publicKey(PUBLIC_PATHS.glossary), FIVE_MINUTES],
    ['the thresholds', publicKey(PUBLIC_PATHS.thresholds), FIVE_MINUTES],
    ['the methodology versions', publicKey(PUBLIC_PATHS.methodologyVersions), FIVE_MINUTES],
    ['the methodology as data', publicKey(methodologyDataPath('v1')), FIVE_MINUTES],
    ['the methodology as text', publicKey(methodologyTextPath('v1')), FIVE_MINUTES],
    ['the feature schema', publicKey(PUBLIC_PATHS.featureSchema), FIVE_MINUTES],
    ['the OpenAPI', publicKey(PUBLIC_PATHS.openapi), FIVE_MINUTES],
    ['a regime calendar', publicKey(calendarPath('base')), FIVE_MINUTES],
    ['a weekly summary', publicKey(weeklySummaryPath('base')), FIVE_MINUTES],
    ['a chart', publicKey(chartPath('base')), ONE_MINUTE],
    ['the overview', publicKey(PUBLIC_PATHS.overviewChart), ONE_MINUTE],
    ['the pointer', POINTER_KEY, 'no-cache'],
    ['the mark of the aliases', ALIASES_KEY, 'no-cache'],
    ['the mark of the store', STORE_KEY, 'no-cache'],
  ])('keeps %s as long as the design says', (_what, key, expected) => {
    expect(cacheControlOf(key)).toBe(expected);
  });
});

it('names every example that there is', () => {
  const folder = new URL('../../templates/examples/', import.meta.url);
  expect(readdirSync(folder).sort()).toEqual([...EXAMPLE_NAMES]);
});
