import { bundlePath, calendarPath, PUBLIC_PATHS } from '../../schemas/paths.js';
import {
  ENTITLEMENTS_PATH,
  KEYS_PATH,
  startDashboardServer,
  type DashboardServer,
} from '../support/gateway/dashboard.js';
import { readProblem } from '../support/gateway/http-answers.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
const APP = 'https://app.example.com';
const DASHBOARD = 'https://dashboard.example.com';
const UNLISTED_ORIGIN = 'https://unlisted.example.com';
const EXPOSED = [
  'ETag',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Published-Revision',
  'X-Content-SHA256',
  'X-Url-Expires-In',
];
const CALENDAR = calendarPath('base');
const OPEN_PATHS = [CALENDAR, PUBLIC_PATHS.status, '/problems/not-found'];

let server: DashboardServer;
beforeAll(async () => (server = await startDashboardServer(() => Date.parse('2026-08-20T12:00:00Z'))));
afterAll(() => server.dispose());

/** Returns the names in a header, in lower case and sorted. */
function namesIn(response: Response, header: string): readonly string[] {
  const value = response.headers.get(header) ?? '';
  return value
    .split(',')
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== '')
    .sort();
}

const lowerCased = (names: readonly string[]): readonly string[] =>
  names.map((name) => name.toLowerCase()).sort();

/** Sends the preflight of a request with one custom header. */
const sendPreflight = (path: string, origin: string, method: string, header: string): Promise<Response> =>
  server.gateway.request(path, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': header,
    },
  });

describe('a public path', () => {
  it.each(OPEN_PATHS)('can be read by pages of any origin: %s', async (path) => {
    for (const headers of [{ Origin: UNLISTED_ORIGIN }, {}]) {
      const response = await server.gateway.request(path, { headers });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
      expect(namesIn(response, 'access-control-expose-headers')).toEqual(lowerCased(EXPOSED));
      expect(namesIn(response, 'vary')).not.toContain('origin'); // one response for all origins can be cached
    }
  });

  it('allows Range and If-None-Match in requests of pages', async () => {
    const preflight = await sendPreflight(CALENDAR, UNLISTED_ORIGIN, 'GET', 'if-none-match, range');
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(namesIn(preflight, 'access-control-allow-headers')).toEqual(['if-none-match', 'range']);
  });

  it('answers 304 and problem responses for any origin too', async () => {
    const etag = (await server.gateway.request(CALENDAR)).headers.get('etag') ?? '';
    const unchanged = await server.gateway.request(CALENDAR, {
      headers: { Origin: UNLISTED_ORIGIN, 'If-None-Match': etag },
    });
    const missing = await server.gateway.request('/calendar/dogecoin.csv', {
      headers: { Origin: UNLISTED_ORIGIN },
    });
    expect([unchanged.status, missing.status]).toEqual([304, 404]);
    for (const response of [unchanged, missing]) {
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
  });
});

describe('a subscriber file', () => {
  it('allows pages of a listed origin to send a key and read the exposed headers', async () => {
    const preflight = await sendPreflight(BUNDLE, APP, 'GET', 'x-api-key');
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, APP]);
    expect(namesIn(preflight, 'access-control-allow-methods')).toEqual(['get', 'head']);
    expect(namesIn(preflight, 'access-control-allow-headers')).toEqual([
      'accept',
      'authorization',
      'if-none-match',
      'x-api-key',
    ]);
    expect(Number(preflight.headers.get('access-control-max-age'))).toBeGreaterThan(0);
    const key = await server.gateway.createKey({ plan: 'research' });
    const response = await server.gateway.request(`${BUNDLE}?redirect=false`, {
      headers: { Origin: APP, 'X-API-Key': key },
    });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, APP]);
    expect(namesIn(response, 'access-control-expose-headers')).toEqual(lowerCased(EXPOSED));
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('sends Vary: Origin for listed, unlisted and missing origins', async () => {
    for (const headers of [{ Origin: APP }, { Origin: UNLISTED_ORIGIN }, {}]) {
      const response = await server.gateway.request(BUNDLE, { headers });
      expect(namesIn(response, 'vary')).toEqual(['accept', 'authorization', 'origin', 'x-api-key']);
    }
  });

  it('lets pages of a listed origin read problem responses', async () => {
    const response = await server.gateway.request(BUNDLE, { headers: { Origin: APP } });
    expect(response.headers.get('access-control-allow-origin')).toBe(APP);
    expect((await readProblem(response)).code).toBe('api-key-missing');
  });

  it.each([
    UNLISTED_ORIGIN,
    DASHBOARD,
    'null',
    `${APP}.evil.example`,
    'http://app.example.com',
    `${APP}:8443`,
  ])('rejects pages of another origin: %s', async (origin) => {
    const answers = [await sendPreflight(BUNDLE, origin, 'GET', 'x-api-key')];
    answers.push(await server.gateway.request(BUNDLE, { headers: { Origin: origin } }));
    for (const { headers } of answers) expect(headers.get('access-control-allow-origin')).toBeNull();
  });
});

it.each(['/api/v1/checkout', '/api/v1/checkout/portal'])(
  'only pages of the dashboard can call %s',
  async (path) => {
    const preflight = await sendPreflight(path, DASHBOARD, 'POST', 'authorization, content-type');
    expect(preflight.headers.get('access-control-allow-origin')).toBe(DASHBOARD);
    expect(namesIn(preflight, 'access-control-allow-methods')).toEqual(['post']);
    expect(namesIn(preflight, 'access-control-allow-headers')).toEqual(['authorization', 'content-type']);
    for (const origin of [UNLISTED_ORIGIN, APP]) {
      const { headers } = await sendPreflight(path, origin, 'POST', 'authorization');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  },
);

describe.each([
  [KEYS_PATH, ['delete', 'get', 'head', 'post']],
  [ENTITLEMENTS_PATH, ['get', 'head']],
])('%s', (path, methods) => {
  it('allows pages of the dashboard to send a session', async () => {
    const preflight = await sendPreflight(path, DASHBOARD, 'GET', 'authorization, content-type');
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([
      204,
      DASHBOARD,
    ]);
    expect(namesIn(preflight, 'access-control-allow-methods')).toEqual(methods);
    expect(namesIn(preflight, 'access-control-allow-headers')).toContain('authorization');
    const { authorization } = await server.openSession();
    const response = await server.gateway.request(path, {
      headers: { Origin: DASHBOARD, Authorization: authorization },
    });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, DASHBOARD]);
    expect(namesIn(response, 'vary')).toContain('origin');
  });

  it.each([UNLISTED_ORIGIN, APP])('rejects pages of another origin: %s', async (origin) => {
    const preflight = await sendPreflight(path, origin, 'GET', 'authorization');
    const { authorization } = await server.openSession();
    const response = await server.gateway.request(path, {
      headers: { Origin: origin, Authorization: authorization },
    });
    for (const { headers } of [preflight, response]) {
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});
