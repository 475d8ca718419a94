import { cacheControlOf, dispositionOf } from '../../schemas/object-headers.js';
import {
  ALIASES_KEY,
  assetPath,
  bundlePath,
  calendarPath,
  chainPagePath,
  chartPath,
  dayPath,
  examplePath,
  manifestPath,
  methodologyDataPath,
  methodologyTextPath,
  queryPath,
  regimesPath,
  objectKey,
  PAGE_PATHS,
  POINTER_KEY,
  PUBLIC_PATHS,
  publicKey,
  REFUSAL_KEY,
  releaseKey,
  STORE_KEY,
  statementKey,
  summaryPath,
  TRUST_PATHS,
  weeklySummaryPath,
} from '../../schemas/paths.js';

const SHA = '0123456789abcdef'.repeat(4);
const REVISION = '2026-08-21.000001';

describe('dispositionOf', () => {
  it.each([
    [calendarPath('base'), 'base-regime-calendar.csv'],
    [PUBLIC_PATHS.starterNotebook, 'starter-notebook.ipynb'],
    [dayPath('gold', 'base', '2026-08-20'), 'base-gold-2026-08-20.json'],
    [bundlePath('meta', 'bitcoin', '7d'), 'bitcoin-meta-7d-latest.json'],
    [bundlePath('meta', 'bitcoin', 'latest'), 'bitcoin-meta-latest.json'],
    [manifestPath('derived', 'arbitrum'), 'arbitrum-derived-manifest.json'],
  ])('names the download of %s', (path, name) => {
    expect(dispositionOf(path)).toBe(`attachment; filename="${name}"`);
  });

  it.each([
    ...Object.values(PUBLIC_PATHS).filter((path) => path !== PUBLIC_PATHS.starterNotebook),
    summaryPath('base'),
    weeklySummaryPath('base'),
    regimesPath('base'),
    chartPath('base'),
    examplePath('with_pandas.py'),
    chainPagePath('base'),
    methodologyTextPath('v1'),
    queryPath('base'),
    '',
  ])('is undefined for %s, which is read in place', (path) => expect(dispositionOf(path)).toBeUndefined());
});

describe('cacheControlOf', () => {
  const FOR_EVER = 'public, max-age=31536000, immutable';
  const FIVE_MINUTES = 'public, max-age=300, stale-while-revalidate=86400';
  const ONE_MINUTE = 'public, max-age=60, stale-while-revalidate=60';

  it.each([
    ['an artifact', objectKey(SHA), FOR_EVER],
    ['a release record', releaseKey(REVISION, SHA), FOR_EVER],
    ['the statement about a release', statementKey(REVISION, SHA), FOR_EVER],
    ['the status', publicKey(PUBLIC_PATHS.status), ONE_MINUTE],
    ['the landing', publicKey(PUBLIC_PATHS.landing), ONE_MINUTE],
    ['the public release', publicKey(PUBLIC_PATHS.release), ONE_MINUTE],
    ['the front page', publicKey(PAGE_PATHS.front), ONE_MINUTE],
    ['the page of a chain', publicKey(chainPagePath('base')), ONE_MINUTE],
    ['the reference', publicKey(PAGE_PATHS.docs), FIVE_MINUTES],
    ['a style sheet', publicKey(assetPath('site-0123456789abcdef.css')), FOR_EVER],
    ['the icon', publicKey(PAGE_PATHS.icon), ONE_MINUTE],
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
    ['the statistics of labels', publicKey(regimesPath('base')), FIVE_MINUTES],
    ['a chart', publicKey(chartPath('base')), ONE_MINUTE],
    ['the overview', publicKey(PUBLIC_PATHS.overviewChart), ONE_MINUTE],
    ['the pointer', POINTER_KEY, 'no-cache'],
    ['the mark of the public copies', ALIASES_KEY, 'no-cache'],
    ['the mark of the store', STORE_KEY, 'no-cache'],
    ['the record of refusals', REFUSAL_KEY, 'no-cache'],
  ])('sets the lifetime of %s', (_what, key, expected) => {
    expect(cacheControlOf(key)).toBe(expected);
  });

  it.each(Object.values(TRUST_PATHS))('lets no cache send %s after a minute', (path) => {
    expect(cacheControlOf(publicKey(path))).toBe('public, max-age=60');
  });
});
