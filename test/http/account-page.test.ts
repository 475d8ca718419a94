import { createMemoryStore } from '../support/stores/memory-store.js';
import { readProblemCode } from '../support/gateway/http-answers.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';

const PAGE = '/account';
const SETTINGS = '/account/config.json';
const signIn = {
  issuer: 'https://login.example.com/',
  clientId: 'account-page',
  scopes: 'openid',
  token: 'access',
  signOut: 'post',
  origins: ['https://login.example.com', 'https://tokens.example.com'],
} as const;

let gateway: GatewayServer;
let plain: GatewayServer;
beforeAll(async () => {
  gateway = await startGateway({ store: createMemoryStore(), configuration: { signIn } });
  plain = await startGateway({ store: createMemoryStore() });
});
afterAll(() => Promise.all([gateway.stop(), plain.stop()]));

/** Returns the addresses that the page loads. */
async function assetsOf(html: string): Promise<string[]> {
  return Promise.resolve([...html.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address = '']) => address));
}

it('serves the page before any release, with a strict policy that names the provider', async () => {
  const { status, headers } = await gateway.request(PAGE);
  expect(status).toBe(200);
  expect(headers.get('Content-Type')).toBe('text/html; charset=utf-8');
  expect(headers.get('Cache-Control')).toBe('no-store');
  expect(headers.get('Cross-Origin-Opener-Policy')).toBe('same-origin');
  expect(headers.get('Referrer-Policy')).toBe('no-referrer');
  expect(headers.get('Set-Cookie')).toBeNull();
  const policy = headers.get('Content-Security-Policy') ?? '';
  expect(policy.split(';')).toEqual([
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self' https://login.example.com https://tokens.example.com",
    "frame-ancestors 'none'",
    "base-uri 'none'",
    "form-action 'self' https://login.example.com https://tokens.example.com",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ]);
});

it('lets the page of a gateway without sign-in connect only to the gateway', async () => {
  const { headers } = await plain.request(PAGE);
  expect(headers.get('Content-Security-Policy')).toContain("connect-src 'self';");
  expect(headers.get('Content-Security-Policy')).toContain("form-action 'none';");
});

it('names the script and the stylesheet by their content, for caches to keep', async () => {
  const assets = await assetsOf(await (await gateway.request(PAGE)).text());
  expect(assets).toHaveLength(2);
  for (const asset of assets) {
    expect(asset).toMatch(/^\/account\/account-[0-9a-f]{16}\.(js|css)$/);
    const { status, headers } = await gateway.request(asset);
    expect(status).toBe(200);
    expect(headers.get('Cache-Control')).toBe('public, max-age=31536000, immutable');
    expect(headers.get('Content-Type')).toMatch(/^text\/(javascript|css); charset=utf-8$/);
    expect(headers.get('RateLimit')).toBeNull();
  }
});

it('answers HEAD without a body, and 404 for another script', async () => {
  const head = await gateway.request(PAGE, { method: 'HEAD' });
  expect([head.status, await head.text()]).toEqual([200, '']);
  expect(await readProblemCode(await gateway.request('/account/account-0000000000000000.js'))).toBe(
    'not-found',
  );
});

it('tells the page how to sign in, and that nothing is sold', async () => {
  const response = await gateway.request(SETTINGS);
  expect(response.headers.get('Cache-Control')).toBe('no-store');
  expect(await response.json()).toEqual({
    sign_in: {
      issuer: 'https://login.example.com/',
      client_id: 'account-page',
      scopes: 'openid',
      resource: null,
      token: 'access',
      sign_out: 'post',
    },
    sells: false,
  });
  expect(await (await plain.request(SETTINGS)).json()).toEqual({ sign_in: null, sells: false });
});

it.each(['access_token', 'id_token', 'refresh_token', 'token'])(
  'refuses an address with %s, and does not log it',
  async (name) => {
    const secret = 'eyJhbGciOi';
    const response = await gateway.request(`${PAGE}?${name}=${secret}`);
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain(secret);
    expect(gateway.log()).not.toContain(secret);
  },
);

it.each(['?code=a&state=b&iss=c', '?checkout=success&session_id=cs_1', '?utm_source=a'])(
  'serves the page for %s, and does not log the query',
  async (query) => {
    expect((await gateway.request(PAGE + query)).status).toBe(200);
    expect(gateway.log()).not.toContain(query);
  },
);

it('lets no other origin read the page or its settings', async () => {
  for (const at of [PAGE, SETTINGS]) {
    const { headers } = await gateway.request(at, { headers: { Origin: 'https://evil.example' } });
    expect(headers.get('Access-Control-Allow-Origin')).toBeNull();
    expect(headers.get('Cross-Origin-Resource-Policy')).not.toBeNull();
  }
});

it('accepts a session only in the header', async () => {
  const response = await gateway.request('/api/v1/keys?access_token=a');
  expect(response.status).toBe(400);
});
