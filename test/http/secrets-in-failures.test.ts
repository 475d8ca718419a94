import { bundlePath, calendarPath, dayPath } from '../../schemas/paths.js';
import { createMemoryStore } from '../support/stores/memory-store.js';
import { StoreError } from '../../infra/store/object-store.js';
import { LINK_SECRET, startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { startIdentityProvider, type IdentityProvider } from '../support/gateway/identity-provider.js';
import { openSmallRelease } from '../support/release/small-release.js';
import { sendRaw } from '../support/gateway/raw-http.js';
import { interceptStore } from '../support/stores/intercept-store.js';

const BUCKET = 'planted-bucket-of-ours';
const SIGNATURE = 'f00dfeedf00dfeedf00dfeedf00dfeed';
const SESSION_TOKEN = 'planted-session-token';
const ADDRESS = '203.0.113.77';
const BUNDLE = bundlePath('gold', 'base', '7d');
const PATHS = [BUNDLE, calendarPath('base'), '/readyz', '/api/v1/entitlements', '/api/v1/keys'];

/** Errors of stores, of every kind, with secrets in their fields. */
const FAILURES: readonly (readonly [name: string, fail: (words: string) => unknown])[] = [
  ['a failure of the store', (words) => new StoreError('unavailable', words)],
  ['a failure with a cause', (words) => new StoreError('unavailable', 'no', { cause: new Error(words) })],
  ['a foreign error', (words) => Object.assign(new Error(words), { name: words, $metadata: { words }, code: words })],
  ['an error with an address', (words) => Object.assign(new TypeError('no'), { cause: { message: words, config: { url: words } } })],
  ['a string', (words) => words],
  ['an undefined error', () => undefined],
]; // prettier-ignore

let provider: IdentityProvider;
let gateway: GatewayServer;
let key: string;
let token: string;
let link: string;
let failure: { readonly error: unknown } | undefined;
let aheadMs = 0;
const emitted: string[] = [];

beforeAll(async () => {
  const store = await openSmallRelease();
  provider = await startIdentityProvider(() => Date.now());
  const { jwksUrl: url, issuer, audience } = provider;
  const failing = (behind = createMemoryStore()) =>
    interceptStore(behind, async (_operation, run) => {
      if (failure !== undefined) throw failure.error;
      return run();
    });
  gateway = await startGateway({
    store: failing(store),
    accountsStore: failing(),
    hidden: [BUCKET],
    now: () => Date.now() + aheadMs,
    configuration: {
      pollSeconds: 0.05,
      trustProxy: 1,
      sessions: { jwks: { kind: 'url', url }, issuer, audience },
    },
  });
  key = await gateway.createKey({ account: 'acme', plan: 'research' });
  token = await provider.sign({ account: 'acme' });
  link = (await send(BUNDLE, { 'X-API-Key': key })).headers.get('location') ?? '';
});
afterAll(async () => {
  await gateway.stop();
  await provider.dispose();
});

/** Sends a request and keeps the response, except the address of a redirect. */
async function send(path: string, headers: Record<string, string>): Promise<Response> {
  const response = await gateway.request(path, { headers: { 'X-Forwarded-For': ADDRESS, ...headers } });
  const shown = [...response.headers].filter(([name]) => name !== 'location');
  emitted.push(JSON.stringify(shown), await response.clone().text());
  return response;
}

const secrets = (): string[] => [
  BUCKET,
  SIGNATURE,
  SESSION_TOKEN,
  ADDRESS,
  LINK_SECRET,
  key,
  token,
  new URL(link).searchParams.get('signature') ?? '',
];

async function expectNoSecret(): Promise<void> {
  const metrics = await (await fetch(`${gateway.operatorUrl}/metrics`)).text();
  const output = [...emitted, metrics, gateway.log()].join('\n');
  expect(secrets().filter((secret) => secret === '' || output.includes(secret))).toEqual([]);
}

it.each(FAILURES)('%s is logged without its secrets', async (_name, fail) => {
  const url = `https://${BUCKET}.s3.eu-west-1.amazonaws.com/objects/x?X-Amz-Security-Token=${SESSION_TOKEN}&X-Amz-Signature=${SIGNATURE}`;
  const words = `GET ${url} of s3://${BUCKET}/x for ${key} and Bearer ${token} by ${link}`;
  aheadMs += 2_000; // one failure per second is logged
  const failuresLogged = (): number =>
    gateway.log().split('a store, or the credentials for it, failed').length;
  const before = failuresLogged();
  const other = await gateway.createKey({ plan: 'research' });
  failure = { error: fail(words) };
  const statuses = [];
  for (const path of PATHS) {
    const headers = path.endsWith('keys') ? { Authorization: `Bearer ${token}` } : { 'X-API-Key': other };
    statuses.push((await send(path, headers)).status);
  }
  await new Promise((resolve) => setTimeout(resolve, 100)); // a poll for a new release fails too
  failure = undefined;
  expect(statuses.filter((status) => status >= 500).length).toBeGreaterThan(2);
  expect(failuresLogged()).toBeGreaterThan(before);
  await expectNoSecret();
});

it('what a caller writes into a target or a header appears in no response but a Location, and in neither log nor metrics', async () => {
  const planted = 'planted-by-the-caller';
  const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE', 'PATCH', 'PROPFIND'];
  const targets = [`/${planted}`, `/%00${planted}`, `${BUNDLE}?${planted}=1`, `${BUNDLE}?revision=${planted}`, `${dayPath('gold', 'base', '2022-01-02')}?redirect=${planted}`, `/_objects/${planted}?${planted}`, `/problems/${planted}`, `/api/v1/keys?id=${planted}`, `http://${planted}/healthz`, `/\\${planted}`, `${planted}:1`]; // prettier-ignore
  const names = ['X-API-Key', 'Authorization', 'Accept', 'Origin', 'If-None-Match', 'Range', 'User-Agent', 'Referer', 'Cookie', 'X-Forwarded-For', 'X-Forwarded-Host', 'X-Request-Id', 'Traceparent']; // prettier-ignore
  for (const method of methods) {
    for (const target of targets) {
      const name = names[(targets.indexOf(target) + methods.indexOf(method)) % names.length] ?? '';
      const response = await sendRaw(gateway.url, {
        method,
        target,
        host: planted,
        headers: [[name, planted]],
      });
      const shown = [...response.headers].filter(([header]) => header !== 'location');
      expect(JSON.stringify(shown) + (await response.text())).not.toContain(planted);
    }
  }
  await sendRaw(gateway.url, { method: planted.toUpperCase(), target: '/healthz' });
  expect(gateway.log().toLowerCase()).not.toContain(planted);
  expect((await (await fetch(`${gateway.operatorUrl}/metrics`)).text()).toLowerCase()).not.toContain(planted);
});
