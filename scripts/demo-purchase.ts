import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { bundlePath } from '../schemas/paths.js';
import { toConfiguration, type Configuration } from '../gateway/core/configuration.js';
import { createLogger } from '../gateway/io/logger.js';
import { createInlineIndexer } from '../gateway/io/inline-indexer.js';
import { openStores, startService, type Service } from '../gateway/service.js';
import { createFakeBilling, FAKE_SIGNATURE, type FakeBilling } from './fake-billing.js';

const ACCOUNT = 'demo-buyer';
const [ISSUER, AUDIENCE] = ['https://login.demo.invalid/', 'demo'];
const PRICES = { 'single-chain': 'price_demoSingleChain', research: 'price_demoResearch' } as const;
const BUNDLE = bundlePath('gold', 'base', '7d');
/** How long a gateway may go on to believe what it knows of an account. */
const STALE_MS = 31_000;

/** A step of the purchase, and the status that it is answered with. */
type Step = { readonly title: string; readonly expected: number; readonly ask: () => Promise<Response> };

/**
 * Buys, uses and cancels a subscription at a gateway of its own, which sells through a payment service in memory: no money,
 * no account, no network. Says each step; resolves whether all were answered as they should.
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
    if (status !== expected) process.stderr.write(`demo: "${title}" should be answered with ${expected}\n`);
    isGood &&= status === expected;
  }
  return isGood;
}

/** A configuration that sells, and the bearer token of a session of the buyer. */
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
  const judged = toConfiguration({
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
  if ('faults' in judged) throw new Error(judged.faults.join('\n'));
  const token = await new SignJWT()
    .setProtectedHeader({ alg: 'ES256', kid: 'demo' })
    .setSubject(ACCOUNT)
    .setIssuer(ISSUER)
    .setAudience(AUDIENCE)
    .setIssuedAt()
    .setExpirationTime('10 minutes')
    .sign(privateKey);
  return { configuration: judged.configuration, token };
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
    indexer: createInlineIndexer(),
  });
}

/** The buyer's side of the demo: what is asked for, and what came of it. */
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
  const tell = (): Promise<Response> => tellOfLast(`${url}/api/v1/stripe/webhook`, billing);
  const read = (): Promise<Response> =>
    fetch(`${url}${BUNDLE}`, { headers: { 'X-API-Key': bought.key }, redirect: 'manual' });
  const checkOut = async (): Promise<Response> => {
    const response = await post('/api/v1/checkout', { plan: 'basic', chain: 'base' });
    bought.session = await memberOf(response, 'session_id');
    return response;
  };
  const pay = (): Promise<Response> => {
    bought.subscription = billing.complete(bought.session);
    return tell();
  };
  const makeKey = async (): Promise<Response> => {
    const response = await post('/api/v1/keys', { label: 'demo' });
    bought.key = await memberOf(response, 'key');
    return response;
  };
  const cancel = (): Promise<Response> => {
    billing.change(bought.subscription, 'customer.subscription.deleted', { status: 'canceled' });
    return tell();
  };
  const readLater = (): Promise<Response> => {
    clock.aheadMs += STALE_MS;
    return read();
  };
  return [
    { title: 'ask for a key before anything is bought', expected: 403, ask: makeKey },
    { title: 'open a checkout of Single Chain for Base', expected: 201, ask: checkOut },
    { title: 'pay, and let the payment service tell the gateway of it', expected: 200, ask: pay },
    { title: 'make a key', expected: 201, ask: makeKey },
    { title: 'read a bundle of Base with it: a redirect to the file', expected: 307, ask: read },
    { title: 'cancel at once, and let the payment service tell of it', expected: 200, ask: cancel },
    { title: 'read the bundle again, half a minute later: refused', expected: 403, ask: readLater },
  ];
}

/** Sends the newest event, as the payment service would. */
function tellOfLast(webhook: string, billing: FakeBilling): Promise<Response> {
  const event = billing.events.at(-1);
  if (event === undefined) throw new Error('nothing happened yet');
  const headers = { 'Stripe-Signature': FAKE_SIGNATURE };
  return fetch(webhook, { method: 'POST', headers, body: Buffer.from(billing.toBody(event)) });
}

/** A text in an answer's document; nothing of a problem. */
async function memberOf(response: Response, name: string): Promise<string> {
  const document = (await response.clone().json()) as Readonly<Record<string, unknown>>; // looked into by name
  const member = document[name];
  return typeof member === 'string' ? member : '';
}
