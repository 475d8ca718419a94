import apiKey from '../examples/valid/api-key/test.json' with { type: 'json' };
import briefDay from '../examples/valid/brief-day/base-first-day.json' with { type: 'json' };
import bundle from '../examples/valid/bundle/gold-base-7d.json' with { type: 'json' };
import chart from '../examples/valid/chart/three-days.json' with { type: 'json' };
import changes from '../examples/valid/changes/first-release.json' with { type: 'json' };
import derivedDay from '../examples/valid/derived-day/base.json' with { type: 'json' };
import entitlements from '../examples/valid/entitlements/single-chain.json' with { type: 'json' };
import featureSchema from '../examples/valid/feature-schema/calendar.json' with { type: 'json' };
import glossary from '../examples/valid/glossary/term-metric-and-label.json' with { type: 'json' };
import goldDay from '../examples/valid/gold-day/bitcoin.json' with { type: 'json' };
import landing from '../examples/valid/landing/three-chains.json' with { type: 'json' };
import manifest from '../examples/valid/manifest/gold-base-restated.json' with { type: 'json' };
import metaDay from '../examples/valid/meta-day/bitcoin-available.json' with { type: 'json' };
import methodologyVersions from '../examples/valid/methodology-versions/v1.json' with { type: 'json' };
import release from '../examples/valid/release/first.json' with { type: 'json' };
import releases from '../examples/valid/releases/first.json' with { type: 'json' };
import status from '../examples/valid/status/four-chains.json' with { type: 'json' };
import summary from '../examples/valid/summary/bitcoin.json' with { type: 'json' };
import methodology from '../methodology/v1.json' with { type: 'json' };
import { canonicalJson } from '../canonical-json.js';
import { sha256Hex } from '../digest.js';
import { methodologyTextPath, objectKey } from '../paths.js';

const KEY_ID = 'Abc123xy';
const CREATED = '2026-08-20T09:00:00Z';
const DIGEST = '325f89d98158d849c65a2d2d06cd93a4fdf53946e7df4ecae2981ed0de4c6b52';
const REVISION = '2026-08-20.000001';

/** An example of each document that the API returns, by component name. Its API keys were never valid. */
export const EXAMPLES: Readonly<Record<string, unknown>> = {
  status,
  landing,
  summary,
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
  'account-export': {
    exported_at: CREATED,
    account: {
      schema: 'account/1',
      account: 'auth0|5f7c8ec7c33c6c004bbafe82',
      keys: { [KEY_ID]: { label: 'notebook', created_at: CREATED, revoked_at: null } },
      grants: [],
    },
    last_used: { [KEY_ID]: '2026-08-20' },
  },
  'account-deleted': { deleted_at: CREATED },
  'account-settings': {
    sign_in: {
      issuer: 'https://login.example.com/',
      client_id: 'account-page',
      scopes: 'openid',
      resource: null,
      token: 'access',
    },
    sells: true,
  },
  'file-link': {
    url: `https://data.example.com/${objectKey(DIGEST)}?X-Amz-Expires=300&X-Amz-Signature=0000`,
    expires_in: 300,
    sha256: DIGEST,
    bytes: 3205,
    media_type: 'application/json',
    published_revision: REVISION,
  },
  'key-created': { key: apiKey, id: KEY_ID, label: 'notebook', created_at: CREATED },
  'key-list': {
    keys: [
      { id: KEY_ID, label: 'notebook', created_at: CREATED, revoked_at: null, last_used: '2026-08-21' },
      {
        id: 'Old12345',
        label: null,
        created_at: CREATED,
        revoked_at: '2026-08-21T10:30:00Z',
        last_used: null,
      },
    ],
  },
  'key-revoked': { id: KEY_ID, revoked_at: '2026-08-21T10:30:00Z' },
  'checkout-session': {
    checkout_url: 'https://checkout.stripe.com/c/pay/cs_test_a1Example',
    session_id: 'cs_test_a1Example',
  },
  'portal-session': { portal_url: 'https://billing.stripe.com/p/session/test_Example' },
  'event-receipt': { received: true, outcome: 'taken' },
  health: { status: 'ok' },
  readiness: {
    status: 'ready',
    stores: { releases: 'ok', accounts: 'ok' },
    release: { revision: REVISION, sequence: 2 },
  },
};

/** Header and two rows of a regime calendar. */
export const CALENDAR_TEXT = [
  'date,chain,regime,confidence,status,demand_score,cost_score,capacity_score,regime_since,run_days,top_driver,methodology_version,published_revision,determinism_hash',
  '2026-08-19,bitcoin,slack,0.978764,available,32.1,5.03,23.46,2026-08-09,11,fee_mean,v1,2026-08-20.000001,87ff030c6cdb1f207728a8e92aba8e363821a535e53f09f9d5f709dfc47fc1b5',
  '2026-08-20,bitcoin,slack,0.989329,available,36.48,6.11,20.39,2026-08-09,12,fee_mean,v1,2026-08-21.000001,793eb9a9fdb1433a07628c409fbc359687288eb7418c22c0bc1f8e1b009afa70',
  '',
].join('\n');

/** The first lines of a weekly summary. */
export const WEEKLY_TEXT = `Bitcoin: network state in the week to 2026-08-20
========================================================================

Regime      slack for 12 days, since 2026-08-09
            usual use, unusually cheap or empty
Before      steady
Confidence  98.9 %, high
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
