import { createMemoryStore } from '../../infra/store/memory-store.js';
import { bundlePath, PUBLIC_PATHS } from '../../schemas/paths.js';
import { createFakeBilling } from '../../scripts/fake-billing.js';
import { resourcesOf } from '../fixtures/aws-synth.js';
import { BILLING, PRICES } from '../fixtures/billing.js';
import { isFound } from '../fixtures/filter-pattern.js';
import { startGateway, type GatewayServer } from '../fixtures/gateway-server.js';
import { createMoodyStore, type MoodyStore } from '../fixtures/moody-store.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';
import { takeSigned } from '../fixtures/signed-events.js';
import { useTemplates } from '../fixtures/use-templates.js';

const templates = useTemplates();
const BUNDLE = bundlePath('gold', 'base', '7d');
const WEBHOOK = '/api/v1/stripe/webhook';
const quiet = { signing: false, webhook: false, unsigned: false, alert: false };
const now = (): number => Date.parse('2026-08-20T12:00:00Z');

let accounts: MoodyStore;
let gateway: GatewayServer;
let headers: Record<string, string>;
beforeAll(async () => {
  const store = createMemoryStore();
  const series = randomSeries({ chain: 'base', seed: 1, days: 20 });
  await publishSeries(store, { inputs: [series], asOf: '2022-02-01T00:00:00Z' });
  accounts = createMoodyStore(createMemoryStore());
  gateway = await startGateway({
    store,
    accountsStore: accounts.store,
    now,
    billing: takeSigned(createFakeBilling({ now, prices: PRICES }), now),
    configuration: { billing: BILLING },
  });
  headers = { 'X-API-Key': await gateway.createKey({ account: 'a@example.com', plan: 'research' }) };
});
afterAll(() => gateway.stop());

/** The pattern of the filter that counts a metric. */
function patternOf(metric: string): string {
  const filters = Object.values(resourcesOf(templates().Service, 'AWS::Logs::MetricFilter'));
  const [found] = filters.filter(({ Properties }) => JSON.stringify(Properties).includes(`"${metric}"`));
  return String(found?.Properties?.['FilterPattern']);
}

/** What the filters of the alarms find in the line that a request leaves in the log. */
async function foundBy(ask: () => Promise<Response>): Promise<readonly [number, Record<string, boolean>]> {
  const before = gateway.log().length;
  const { status } = await ask();
  const line = gateway.log().slice(before).trim().split('\n').at(-1) ?? '';
  const isFoundBy = (metric: string): boolean => isFound(patternOf(metric), line);
  return [
    status,
    {
      signing: isFoundBy('SigningFailures'),
      webhook: isFoundBy('WebhookFailures'),
      unsigned: isFoundBy('WebhookRefusals'),
      alert: isFoundBy('BillingAlerts'),
    },
  ];
}

it('no alarm is raised by what goes well, or is the fault of who asks', async () => {
  expect(await foundBy(() => gateway.ask(BUNDLE, { headers }))).toEqual([307, quiet]);
  expect(await foundBy(() => gateway.ask(PUBLIC_PATHS.status))).toEqual([200, quiet]);
  expect(await foundBy(() => gateway.ask(BUNDLE))).toEqual([401, quiet]);
});

it('an event with a wrong signature is found by its alarm, and a mistaken method by none', async () => {
  const refused = (): Promise<Response> =>
    gateway.ask(WEBHOOK, { method: 'POST', body: '{}', headers: { 'Stripe-Signature': 't=1,v1=00' } });
  expect(await foundBy(refused)).toEqual([400, { ...quiet, unsigned: true }]);
  expect(await foundBy(() => gateway.ask(WEBHOOK))).toEqual([405, quiet]);
});

it('a file that cannot be given out for the sake of a store is found by the alarm of signing', async () => {
  const other = { 'X-API-Key': await gateway.createKey({ account: 'b@example.com', plan: 'research' }) };
  accounts.mood = 'down';
  expect(await foundBy(() => gateway.ask(BUNDLE, { headers: other }))).toEqual([
    503,
    { ...quiet, signing: true },
  ]);
  accounts.mood = 'up';
});
