import { GatewayError } from '../../gateway/core/problems.js';
import type { BillingEvent } from '../../gateway/core/billing/stripe-events.js';
import { createFakeBilling, type FakeBilling } from '../../scripts/fake-billing.js';
import { BILLING, PRICES } from '../fixtures/billing.js';
import { startDashboardServer, type DashboardServer } from '../fixtures/dashboard.js';
import { BILLING_FAILURES, failBilling } from '../fixtures/failing-billing.js';
import { readDocument } from '../fixtures/http-answers.js';
import { OLDER_SECRET, sign, takeSigned, toStripeEvent, WEBHOOK_SECRETS } from '../fixtures/signed-events.js';

const CHECKOUT = '/api/v1/checkout';
const PORTAL = '/api/v1/checkout/portal';
const WEBHOOK = '/api/v1/stripe/webhook';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const SECRETS = [BILLING.secretKey, ...WEBHOOK_SECRETS];
const WORDS = `Invalid API Key provided: ${SECRETS.join(' ')}; Authorization: Bearer ${BILLING.secretKey}`;

let nowMs = Date.parse('2026-08-20T12:00:00Z');
let failure: Error | undefined;
let billing: FakeBilling;
let server: DashboardServer;
let authorization: string;
const signatures: string[] = [];
/** Addresses where somebody pays: those who asked for them get them, and nobody else. */
const pages: string[] = [];
/** All that came back. */
const answers: string[] = [];
/** The same without what handed out an address. */
const others: string[] = [];

async function ask(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await server.gateway.ask(path, init);
  const said = [JSON.stringify([...response.headers]), await response.clone().text()];
  answers.push(...said);
  if (!path.startsWith(CHECKOUT) || response.status !== 201) others.push(...said);
  return response;
}

const post = (
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  ask(path, { method: 'POST', body, headers: { Authorization: authorization, ...JSON_TYPE, ...headers } });

function send(event: BillingEvent, secret?: string): Promise<Response> {
  const body = JSON.stringify(toStripeEvent(event));
  const signature = sign(body, { nowMs, ...(secret === undefined ? {} : { secret }) });
  signatures.push(signature, signature.slice(signature.indexOf('v1=') + 3));
  return ask(WEBHOOK, { method: 'POST', body, headers: { ...JSON_TYPE, 'Stripe-Signature': signature } });
}

/** A session of somebody else from now on. */
async function change(): Promise<void> {
  ({ authorization } = await server.open({ granted: false }));
}

/** Begins to buy; resolves the session. */
async function begin(): Promise<string> {
  const { checkout_url: url, session_id: session } = await readDocument(
    await post(CHECKOUT, '{"plan":"pro"}'),
  );
  pages.push(String(url));
  return String(session);
}

beforeAll(async () => {
  const now = (): number => nowMs;
  billing = createFakeBilling({ now, prices: PRICES });
  server = await startDashboardServer(now, {
    billing: failBilling(takeSigned(billing, now), () => failure),
    configuration: { billing: { ...BILLING, webhookSecrets: WEBHOOK_SECRETS } },
    hidden: SECRETS,
  });
  await change();
});
afterAll(() => server.dispose());

async function expectNoSecret(): Promise<void> {
  const told = [server.gateway.log(), await (await fetch(`${server.gateway.operatorUrl}/metrics`)).text()];
  const within = (secrets: readonly string[], texts: readonly string[]): string[] =>
    secrets.filter((secret) => secret === '' || texts.some((text) => text.includes(secret)));
  expect(within([...SECRETS, ...signatures], [...answers, ...told])).toEqual([]);
  expect(within([...pages, 'pay.example.com', 'portal.example.com'], [...others, ...told])).toEqual([]);
}

it('a purchase tells its secrets to nobody, and the addresses of its pages to the buyer alone', async () => {
  const session = await begin();
  billing.complete(session);
  const statuses = [];
  for (const event of billing.events) statuses.push((await send(event, OLDER_SECRET)).status);
  const [event] = billing.events;
  if (event === undefined) throw new Error('something happened');
  statuses.push((await send(event)).status, (await send({ ...event, isLive: true })).status);
  statuses.push((await send({ ...event, id: 'evt_x', account: 'nobody' })).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await send(event, 'whsec_plantedsecretofothers')).status).toBe(400);
  const portal = await readDocument(await post(PORTAL, '{}'));
  pages.push(String(portal.portal_url));
  expect((await post('/api/v1/keys', '{}')).status).toBe(201);
  expect((await post(CHECKOUT, '{"plan":"pro"}')).status).toBe(409);
  expect((await ask('/api/v1/entitlements', { headers: { Authorization: authorization } })).status).toBe(200);
  expect(server.gateway.log()).toContain('"alert":"mode-foreign"');
  expect(pages.every((page) => answers.some((answer) => answer.includes(page)))).toBe(true);
  await expectNoSecret();
});

it('what a caller sends by mistake is not said back', async () => {
  const [secret = ''] = WEBHOOK_SECRETS;
  const asked = [
    () => post(CHECKOUT, JSON.stringify({ plan: BILLING.secretKey })),
    () => post(CHECKOUT, JSON.stringify({ plan: 'basic', chain: secret })),
    () => post(CHECKOUT, JSON.stringify({ plan: 'pro', [secret]: 1 })),
    () => post(CHECKOUT, `{"plan":"${secret}`),
    () => post(PORTAL, JSON.stringify({ [secret]: 1 })),
    () => post(`${PORTAL}?secret=${secret}`, '{}'),
    () => post(`${WEBHOOK}?secret=${secret}`, secret),
    () => post(WEBHOOK, WORDS, { 'Stripe-Signature': `t=1,v1=${secret}` }),
    () => ask(CHECKOUT, { method: 'POST', headers: { Authorization: `Bearer ${BILLING.secretKey}` } }),
    () => ask(PORTAL, { method: 'POST', headers: { 'X-API-Key': BILLING.secretKey } }),
  ];
  for (const each of asked) expect([400, 401]).toContain((await each()).status);
  await expectNoSecret();
});

it.each(BILLING_FAILURES)('%s is told of without its secrets', async (_name, fail) => {
  await change();
  const session = await begin();
  billing.complete(session);
  const logged = server.gateway.log().length;
  failure = fail(WORDS);
  nowMs += 6_000; // whoever waits for access has Stripe read again
  const statuses = [];
  for (const event of billing.events.slice(-3)) statuses.push((await send(event)).status);
  statuses.push((await post(PORTAL, '{}')).status, (await post(CHECKOUT, '{"plan":"pro"}')).status);
  const entitlements = await ask('/api/v1/entitlements', { headers: { Authorization: authorization } });
  failure = undefined;
  expect(statuses.filter((status) => status < 500)).toEqual([]);
  expect(entitlements.status).toBe(200);
  const log = server.gateway.log().slice(logged);
  const isNew = !(fail(WORDS) instanceof GatewayError); // what failed at Stripe was told where it was asked
  const told = log.includes('an account cannot be brought up to what Stripe says');
  expect([told, log.includes('[hidden]')]).toEqual([isNew, isNew]);
  await expectNoSecret();
});
