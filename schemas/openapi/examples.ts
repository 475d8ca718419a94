import briefDay from '../examples/valid/brief-day/base-first-day.json' with { type: 'json' };
import bundle from '../examples/valid/bundle/gold-base-7d.json' with { type: 'json' };
import chart from '../examples/valid/chart/three-days.json' with { type: 'json' };
import changes from '../examples/valid/changes/first-release.json' with { type: 'json' };
import derivedDay from '../examples/valid/derived-day/bitcoin.json' with { type: 'json' };
import entitlements from '../examples/valid/entitlements/single-chain.json' with { type: 'json' };
import featureSchema from '../examples/valid/feature-schema/calendar.json' with { type: 'json' };
import glossary from '../examples/valid/glossary/term-metric-and-label.json' with { type: 'json' };
import goldDay from '../examples/valid/gold-day/bitcoin.json' with { type: 'json' };
import landing from '../examples/valid/landing/three-chains.json' with { type: 'json' };
import volumes from '../examples/valid/manifest/derived-arbitrum-volumes.json' with { type: 'json' };
import manifest from '../examples/valid/manifest/gold-base-restated.json' with { type: 'json' };
import metaDay from '../examples/valid/meta-day/bitcoin-available.json' with { type: 'json' };
import methodologyVersions from '../examples/valid/methodology-versions/v1.json' with { type: 'json' };
import regimes from '../examples/valid/regimes/arbitrum.json' with { type: 'json' };
import release from '../examples/valid/release/first.json' with { type: 'json' };
import releases from '../examples/valid/releases/first.json' with { type: 'json' };
import status from '../examples/valid/status/four-chains.json' with { type: 'json' };
import summary from '../examples/valid/summary/bitcoin.json' with { type: 'json' };
import methodology from '../methodology/v1.json' with { type: 'json' };
import { canonicalJson } from '../canonical-json.js';
import { sha256Hex } from '../digest.js';
import { methodologyTextPath } from '../paths.js';
import { ANSWER_EXAMPLES } from './answers.js';

const REVISION = '2026-08-20.000001';

/** An example of each document that the API returns, by component name. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  status,
  landing,
  summary,
  regimes,
  release,
  changes,
  chart,
  glossary,
  methodology,
  'methodology-versions': methodologyVersions,
  thresholds: {
    schema: 'thresholds/1',
    published_revision: REVISION,
    methodology_version: 'v1',
    methodology_sha256: sha256Hex(canonicalJson(methodology)),
    defaults: methodology,
  },
  'feature-schema': featureSchema,
  openapi: {
    openapi: '3.1.1',
    info: { title: 'Chain reference data', version: '1' },
    servers: [{ url: '/' }],
    tags: [{ name: 'Public files' }],
    paths: {},
    components: {},
  },
  bundle,
  manifest,
  'meta-day': metaDay,
  'gold-day': goldDay,
  'derived-day': derivedDay,
  'brief-day': briefDay,
  releases,
  entitlements,
  ...ANSWER_EXAMPLES,
};

const { date: briefDate } = briefDay;
const briefs = { ...bundle, genre: 'briefs', first_date: briefDate, last_date: briefDate, days: [briefDay] };
const briefsText = JSON.stringify(manifest).replaceAll('gold', 'brief').replaceAll('/brief/', '/briefs/');

/** The files that subscriber operations link to, by operation and schema: their own response is the link. */
export const FILE_EXAMPLES: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  getLatest: {
    bundle: { ...bundle, window: 'latest', first_date: bundle.last_date, days: bundle.days.slice(-1) },
  },
  getBundle: { bundle },
  getManifest: { manifest: volumes },
  getDay: { 'gold-day': goldDay, 'meta-day': metaDay, 'derived-day': derivedDay },
  getLatestBrief: { bundle: { ...briefs, window: 'latest' } },
  getBriefs: { bundle: briefs },
  getBriefsManifest: { manifest: { ...JSON.parse(briefsText), genre: 'briefs' } as unknown },
  getBrief: { 'brief-day': briefDay },
};

/** Header and two rows of a regime calendar. */
export const CALENDAR_TEXT = [
  'date,chain,regime,confidence,status,demand_score,cost_score,capacity_score,regime_since,run_days,top_driver,methodology_version,published_revision,determinism_hash,demand_level,pressure_level',
  '2026-08-19,bitcoin,slack,0.978764,available,32.1,5.03,23.46,2026-08-09,11,fee_mean,v1,2026-08-20.000001,87ff030c6cdb1f207728a8e92aba8e363821a535e53f09f9d5f709dfc47fc1b5,normal,low',
  '2026-08-20,bitcoin,slack,0.989329,available,36.48,6.11,20.39,2026-08-09,12,fee_mean,v1,2026-08-21.000001,793eb9a9fdb1433a07628c409fbc359687288eb7418c22c0bc1f8e1b009afa70,normal,low',
  '',
].join('\n');

/** The first lines of a weekly summary. */
export const WEEKLY_TEXT = `Bitcoin: network state in the week to 2026-08-20
========================================================================

Against the week before, median fee rose most, by 8.5 %. Bitcoin ended
the week slack, on day 12 of the run (confidence 98.9 %, high).

Regime      slack for 12 days, since 2026-08-09
            usual use, cheaper than usual
Before      steady
Confidence  98.9 %, high
`;

/** The first lines of the weekly summaries of a year. */
export const WEEKLY_ARCHIVE_TEXT = `Bitcoin: network state by week, 2026
========================================================================

Each week is described by its own records. Weeks are those of ISO 8601.

Week 2026-W01, 2025-12-29 to 2026-01-04
------------------------------------------------------------------------
`;

/** A chart without marks. */
export const CHART_TEXT = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 720 546" role="img">
<title>Bitcoin: regimes of the last 365 days</title>
</svg>
`;

/** A notebook without cells. */
export const NOTEBOOK = { cells: [], metadata: {}, nbformat: 4, nbformat_minor: 5 };

/** The first lines of an example program. */
export const EXAMPLE_TEXT = `# Joins the metrics of the last seven days, their averages and their regimes, with pandas: python3 with_pandas.py [CHAIN]
# Reads GATEWAY and API_KEY. Needs the packages requests and pandas. Saves the files in the current folder.
`;

/** The first lines of the methodology. */
export const METHODOLOGY_TEXT = `# Methodology v1: how a regime is decided

This is the normative text of version \`v1\`, served at \`${methodologyTextPath('v1')}\`.
`;

/** The page about a problem. */
export const PROBLEM_PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>410 gone: Date withdrawn</title>
<h1>Date withdrawn</h1>
</html>
`;

/** The beginning of a query. */
export const QUERY_TEXT = 'SELECT date, CAST(count(*) AS VARCHAR) AS block_count FROM blocks GROUP BY date\n';
