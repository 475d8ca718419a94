import { createMemoryStore } from '../support/stores/memory-store.js';
import { bundlePath, ENDPOINTS, PUBLIC_PATHS } from '../../schemas/paths.js';
import { createFakeBilling } from '../../scripts/stripe/fake-billing.js';
import { readTemplates, resourcesOf } from '../support/aws/aws-synth.js';
import { BILLING, PRICES } from '../support/stripe/billing.js';
import { isMatch } from '../support/aws/filter-pattern.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { createOutageStore, type OutageStore } from '../support/stores/outage-store.js';
import { publishSeries } from '../support/release/publish-series.js';
import { randomSeries } from '../support/release/random-series.js';
import { withRealSignatures } from '../support/stripe/signed-events.js';

const { Service } = await readTemplates();
const BUNDLE = bundlePath('gold', 'base', '7d');
const WEBHOOK = ENDPOINTS.webhook;
const none = { files: false, failures: false, refusals: false, alerts: false };
const now = (): number => Date.parse('2026-08-20T12:00:00Z');

let accounts: OutageStore;
let gateway: GatewayServer;
let headers: Record<string, string>;
beforeAll(async () => {
  const store = createMemoryStore();
  const series = randomSeries({ chain: 'base', seed: 1, days: 20 });
  await publishSeries(store, { inputs: [series], asOf: '2022-02-01T00:00:00Z' });
  accounts = createOutageStore(createMemoryStore());
  gateway = await startGateway({
    store,
    accountsStore: accounts.store,
    now,
    billing: withRealSignatures(createFakeBilling({ now, prices: PRICES }), now),
    configuration: { billing: BILLING },
  });
  headers = { 'X-API-Key': await gateway.createKey({ account: 'a@example.com', plan: 'research' }) };
});
afterAll(() => gateway.stop());

function patternOf(metric: string): string {
  const filters = Object.values(resourcesOf(Service, 'AWS::Logs::MetricFilter'));
  const [found] = filters.filter(({ Properties }) => JSON.stringify(Properties).includes(`"${metric}"`));
  return String(found?.Properties?.['FilterPattern']);
}

/** Sends a request and returns its status and which filters match the line that it logs. */
async function matchesOf(send: () => Promise<Response>): Promise<readonly [number, Record<string, boolean>]> {
  const before = gateway.log().length;
  const { status } = await send();
  const line = gateway.log().slice(before).trim().split('\n').at(-1) ?? '';
  const isCounted = (metric: string): boolean => isMatch(patternOf(metric), line);
  return [
    status,
    {
      files: isCounted('FilesUnavailable'),
      failures: isCounted('WebhookFailures'),
      refusals: isCounted('WebhookRefusals'),
      alerts: isCounted('BillingAlerts'),
    },
  ];
}

it('no alarm counts a successful request or an error of the client', async () => {
  expect(await matchesOf(() => gateway.request(BUNDLE, { headers }))).toEqual([307, none]);
  expect(await matchesOf(() => gateway.request(PUBLIC_PATHS.status))).toEqual([200, none]);
  expect(await matchesOf(() => gateway.request(BUNDLE))).toEqual([401, none]);
});

it('the alarm on refused events counts a wrong signature, and none counts a wrong method', async () => {
  const sendUnsigned = (): Promise<Response> =>
    gateway.request(WEBHOOK, { method: 'POST', body: '{}', headers: { 'Stripe-Signature': 't=1,v1=00' } });
  expect(await matchesOf(sendUnsigned)).toEqual([400, { ...none, refusals: true }]);
  expect(await matchesOf(() => gateway.request(WEBHOOK))).toEqual([405, none]);
});

it('the alarm on unavailable files counts a file request that fails because a store is unavailable', async () => {
  const other = { 'X-API-Key': await gateway.createKey({ account: 'b@example.com', plan: 'research' }) };
  accounts.state = 'down';
  expect(await matchesOf(() => gateway.request(BUNDLE, { headers: other }))).toEqual([
    503,
    { ...none, files: true },
  ]);
  accounts.state = 'up';
});
