import { GatewayError } from '../../gateway/core/problems.js';
import type { BillingEvent } from '../../gateway/core/billing/stripe-events.js';
import { createFakeBilling, type FakeBilling } from '../../scripts/stripe/fake-billing.js';
import { BILLING, PRICES } from '../support/stripe/billing.js';
import { startDashboardServer, type DashboardServer } from '../support/gateway/dashboard.js';
import { BILLING_FAILURES, failBilling } from '../support/stripe/failing-billing.js';
import { readDocument } from '../support/gateway/http-answers.js';
import {
  OLDER_SECRET,
  sign,
  withRealSignatures,
  toStripeEvent,
  WEBHOOK_SECRETS,
} from '../support/stripe/signed-events.js';

const CHECKOUT = '/api/v1/checkout';
const PORTAL = '/api/v1/checkout/portal';
const WEBHOOK = '/api/v1/stripe/webhook';
const JSON_TYPE = { 'Content-Type': 'application/json' };
const SECRETS = [BILLING.secretKey, ...WEBHOOK_SECRETS];
const MESSAGE_WITH_SECRETS = `Invalid API Key provided: ${SECRETS.join(' ')}; Authorization: Bearer ${BILLING.secretKey}`;

let nowMs = Date.parse('2026-08-20T12:00:00Z');
let failure: Error | undefined;
let billing: FakeBilling;
let server: DashboardServer;
let authorization: string;
const signatures: string[] = [];
/** Addresses of payment pages, which only the buyer may see. */
const pages: string[] = [];
/** All responses. */
const responses: string[] = [];
/** All responses except those that return an address to the buyer. */
const others: string[] = [];

async function sendAndRecord(path: string, init: RequestInit = {}): Promise<Response> {
  const response = await server.gateway.request(path, init);
  const parts = [JSON.stringify([...response.headers]), await response.clone().text()];
  responses.push(...parts);
  if (!path.startsWith(CHECKOUT) || response.status !== 201) others.push(...parts);
  return response;
}

const post = (
  path: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> =>
  sendAndRecord(path, {
    method: 'POST',
    body,
    headers: { Authorization: authorization, ...JSON_TYPE, ...headers },
  });

function send(event: BillingEvent, secret?: string): Promise<Response> {
  const body = JSON.stringify(toStripeEvent(event));
  const signature = sign(body, { nowMs, ...(secret === undefined ? {} : { secret }) });
  signatures.push(signature, signature.slice(signature.indexOf('v1=') + 3));
  return sendAndRecord(WEBHOOK, {
    method: 'POST',
    body,
    headers: { ...JSON_TYPE, 'Stripe-Signature': signature },
  });
}

/** Switches to a session of another account. */
async function switchAccount(): Promise<void> {
  ({ authorization } = await server.openSession({ granted: false }));
}

/** Starts a purchase and returns the checkout session. */
async function startPurchase(): Promise<string> {
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
    billing: failBilling(withRealSignatures(billing, now), () => failure),
    configuration: { billing: { ...BILLING, webhookSecrets: WEBHOOK_SECRETS } },
    hidden: SECRETS,
  });
  await switchAccount();
});
afterAll(() => server.dispose());

async function expectNoSecret(): Promise<void> {
  const logAndMetrics = [
    server.gateway.log(),
    await (await fetch(`${server.gateway.operatorUrl}/metrics`)).text(),
  ];
  const within = (secrets: readonly string[], texts: readonly string[]): string[] =>
    secrets.filter((secret) => secret === '' || texts.some((text) => text.includes(secret)));
  expect(within([...SECRETS, ...signatures], [...responses, ...logAndMetrics])).toEqual([]);
  expect(within([...pages, 'pay.example.com', 'portal.example.com'], [...others, ...logAndMetrics])).toEqual(
    [],
  );
}

it('a purchase reveals no secrets, and reveals its payment pages only to the buyer', async () => {
  const session = await startPurchase();
  billing.complete(session);
  const statuses = [];
  for (const event of billing.events) statuses.push((await send(event, OLDER_SECRET)).status);
  const [event] = billing.events;
  if (event === undefined) throw new Error('there is no event');
  statuses.push((await send(event)).status, (await send({ ...event, isLive: true })).status);
  statuses.push((await send({ ...event, id: 'evt_x', account: 'nobody' })).status);
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect((await send(event, 'whsec_plantedsecretofothers')).status).toBe(400);
  const portal = await readDocument(await post(PORTAL, '{}'));
  pages.push(String(portal.portal_url));
  expect((await post('/api/v1/keys', '{}')).status).toBe(201);
  expect((await post(CHECKOUT, '{"plan":"pro"}')).status).toBe(409);
  expect(
    (await sendAndRecord('/api/v1/entitlements', { headers: { Authorization: authorization } })).status,
  ).toBe(200);
  expect(server.gateway.log()).toContain('"alert":"mode-foreign"');
  expect(pages.every((page) => responses.some((answer) => answer.includes(page)))).toBe(true);
  await expectNoSecret();
});

it('no response, log or metric repeats a secret that a caller sends by mistake', async () => {
  const [secret = ''] = WEBHOOK_SECRETS;
  const asked = [
    () => post(CHECKOUT, JSON.stringify({ plan: BILLING.secretKey })),
    () => post(CHECKOUT, JSON.stringify({ plan: 'basic', chain: secret })),
    () => post(CHECKOUT, JSON.stringify({ plan: 'pro', [secret]: 1 })),
    () => post(CHECKOUT, `{"plan":"${secret}`),
    () => post(PORTAL, JSON.stringify({ [secret]: 1 })),
    () => post(`${PORTAL}?secret=${secret}`, '{}'),
    () => post(`${WEBHOOK}?secret=${secret}`, secret),
    () => post(WEBHOOK, MESSAGE_WITH_SECRETS, { 'Stripe-Signature': `t=1,v1=${secret}` }),
    () =>
      sendAndRecord(CHECKOUT, { method: 'POST', headers: { Authorization: `Bearer ${BILLING.secretKey}` } }),
    () => sendAndRecord(PORTAL, { method: 'POST', headers: { 'X-API-Key': BILLING.secretKey } }),
  ];
  for (const each of asked) expect([400, 401]).toContain((await each()).status);
  await expectNoSecret();
});

it.each(BILLING_FAILURES)('%s reveals no secret, also in the log', async (_name, fail) => {
  await switchAccount();
  const session = await startPurchase();
  billing.complete(session);
  const logged = server.gateway.log().length;
  failure = fail(MESSAGE_WITH_SECRETS);
  nowMs += 6_000; // a buyer who waits makes the gateway read Stripe again
  const statuses = [];
  for (const event of billing.events.slice(-3)) statuses.push((await send(event)).status);
  statuses.push((await post(PORTAL, '{}')).status, (await post(CHECKOUT, '{"plan":"pro"}')).status);
  const entitlements = await sendAndRecord('/api/v1/entitlements', {
    headers: { Authorization: authorization },
  });
  failure = undefined;
  expect(statuses.filter((status) => status < 500)).toEqual([]);
  expect(entitlements.status).toBe(200);
  const log = server.gateway.log().slice(logged);
  const mustBeLogged = !(fail(MESSAGE_WITH_SECRETS) instanceof GatewayError); // the Stripe adapter logs its own failures
  const isLogged = log.includes('an account cannot be updated from Stripe');
  expect([isLogged, log.includes('[hidden]')]).toEqual([mustBeLogged, mustBeLogged]);
  await expectNoSecret();
});
