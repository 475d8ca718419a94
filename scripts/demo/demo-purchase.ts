import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { bundlePath, ENDPOINTS } from '../../schemas/paths.js';
import { toConfiguration, type Configuration } from '../../gateway/core/configuration/configuration.js';
import { createLogger } from '../../gateway/io/operation/logger.js';
import { openStores, startService, type Service } from '../../gateway/service.js';
import { createFakeBilling, FAKE_SIGNATURE, type FakeBilling } from '../stripe/fake-billing.js';

const ACCOUNT = 'demo-buyer';
const [ISSUER, AUDIENCE] = ['https://login.demo.invalid/', 'demo'];
const PRICES = { 'single-chain': 'price_demoSingleChain', research: 'price_demoResearch' } as const;
const BUNDLE = bundlePath('gold', 'base', '7d');
/** Longer than the gateway may cache an account. */
const STALE_MS = 31_000;

/** A step of the purchase and its expected HTTP status. */
type Step = { readonly title: string; readonly expected: number; readonly ask: () => Promise<Response> };

/**
 * Buys, uses and cancels a subscription at a separate gateway with a payment service in memory: no money, no Stripe
 * account, no network. Prints each step and returns whether all of them had the expected status.
 */
export async function showPurchase(store: string, say: (text: string) => void): Promise<boolean> {
  const folder = await mkdtemp(path.join(tmpdir(), 'chain-reference-data-purchase-'));
  const clock = { aheadMs: 0 };
  const now = (): number => Date.now() + clock.aheadMs;
  const billing = createFakeBilling({ now, prices: PRICES });
  try {
    const { configuration, token } = await prepare(store, folder);
    const service = await start(configuration, billing, now);
    try {
      return await walk(listSteps(service.url, token, billing, clock), say);
    } finally {
      await service.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

async function walk(steps: readonly Step[], say: (text: string) => void): Promise<boolean> {
  let isGood = true;
  for (const { title, expected, ask } of steps) {
    const { status } = await ask();
    say(`  ${title.padEnd(62)} ${status}`);
    if (status !== expected)
      process.stderr.write(`demo: "${title}" returned ${status}, expected ${expected}\n`);
    isGood &&= status === expected;
  }
  return isGood;
}

/** Returns a configuration with billing, and a session token of the buyer. */
async function prepare(
  store: string,
  folder: string,
): Promise<{ readonly configuration: Configuration; readonly token: string }> {
  const { privateKey, publicKey } = await generateKeyPair('ES256');
  const jwks = path.join(folder, 'keys.json');
  await writeFile(
    jwks,
    JSON.stringify({ keys: [{ ...(await exportJWK(publicKey)), kid: 'demo', alg: 'ES256' }] }),
  );
  const parsed = toConfiguration({
    CRD_STORE: store,
    CRD_ACCOUNTS_STORE: `file:${path.join(folder, 'accounts')}`,
    CRD_KEY_MODE: 'test',
    CRD_LINK_SECRET: randomBytes(32).toString('hex'),
    CRD_PORT: '0',
    CRD_METRICS_PORT: '0',
    CRD_JWKS: `file:${jwks}`,
    CRD_JWT_ISSUER: ISSUER,
    CRD_JWT_AUDIENCE: AUDIENCE,
    CRD_STRIPE_SECRET_KEY: 'sk_test_nothingIsAskedOfStripe',
    CRD_STRIPE_WEBHOOK_SECRET: 'whsec_nothingComesFromStripe',
    CRD_STRIPE_PRICE_SINGLE_CHAIN: PRICES['single-chain'],
    CRD_STRIPE_PRICE_RESEARCH: PRICES.research,
    CRD_DASHBOARD_URL: 'https://dashboard.demo.invalid/',
  });
  if ('faults' in parsed) throw new Error(parsed.faults.join('\n'));
  const token = await new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: 'demo' })
    .setSubject(ACCOUNT)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt()
    .setExpirationTime('10 minutes')
    .sign(privateKey);
  return { configuration: parsed.configuration, token };
}

async function start(
  configuration: Configuration,
  billing: FakeBilling,
  now: () => number,
): Promise<Service> {
  const logger = createLogger({ destination: process.stderr, level: 'silent', scrub: (text) => text });
  return startService(configuration, await openStores(configuration), {
    logger,
    now,
    billing,
    fetch,
    clock: () => performance.now(),
    newId: () => randomUUID(),
    random: (size) => randomBytes(size),
  });
}

function listSteps(
  url: string,
  token: string,
  billing: FakeBilling,
  clock: { aheadMs: number },
): readonly Step[] {
  const bearer = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
  const bought = { session: '', subscription: '', key: '' };
  const post = (at: string, body: object): Promise<Response> =>
    fetch(`${url}${at}`, { method: 'POST', headers: bearer, body: JSON.stringify(body) });
  const notify = (): Promise<Response> => sendLastEvent(url + ENDPOINTS.webhook, billing);
  const read = (): Promise<Response> =>
    fetch(`${url}${BUNDLE}`, { headers: { 'X-API-Key': bought.key }, redirect: 'manual' });
  const checkOut = async (): Promise<Response> => {
    const response = await post(ENDPOINTS.checkout, { plan: 'basic', chain: 'base' });
    bought.session = await memberOf(response, 'session_id');
    return response;
  };
  const pay = (): Promise<Response> => {
    bought.subscription = billing.complete(bought.session);
    return notify();
  };
  const makeKey = async (): Promise<Response> => {
    const response = await post(ENDPOINTS.keys, { label: 'demo' });
    bought.key = await memberOf(response, 'key');
    return response;
  };
  const cancel = (): Promise<Response> => {
    billing.change(bought.subscription, 'customer.subscription.deleted', { status: 'canceled' });
    return notify();
  };
  const readLater = (): Promise<Response> => {
    clock.aheadMs += STALE_MS;
    return read();
  };
  return [
    { title: 'Ask for a key before buying: refused', expected: 403, ask: makeKey },
    { title: 'Create a checkout session for Single Chain, Base', expected: 201, ask: checkOut },
    { title: 'Pay; the payment service notifies the gateway', expected: 200, ask: pay },
    { title: 'Create a key', expected: 201, ask: makeKey },
    { title: 'Read a bundle of Base with the key: a redirect to the file', expected: 307, ask: read },
    { title: 'Cancel immediately; the payment service notifies the gateway', expected: 200, ask: cancel },
    { title: 'Read the bundle again half a minute later: refused', expected: 403, ask: readLater },
  ];
}

/** Sends the newest event to the webhook, as the payment service would. */
function sendLastEvent(webhook: string, billing: FakeBilling): Promise<Response> {
  const event = billing.events.at(-1);
  if (event === undefined) throw new Error('there is no event to send');
  const headers = { 'Stripe-Signature': FAKE_SIGNATURE };
  return fetch(webhook, { method: 'POST', headers, body: Buffer.from(billing.toBody(event)) });
}

/** Returns a string member of a JSON response, or an empty string if it is missing. */
async function memberOf(response: Response, name: string): Promise<string> {
  const document = (await response.clone().json()) as Readonly<Record<string, unknown>>; // looked into by name
  const member = document[name];
  return typeof member === 'string' ? member : '';
}
