import { bundlePath, calendarPath, PUBLIC_PATHS } from '../../schemas/paths.js';
import {
  ENTITLEMENTS_PATH,
  KEYS_PATH,
  startDashboardServer,
  type DashboardServer,
} from '../fixtures/dashboard.js';
import { readProblem } from '../fixtures/http-answers.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
const APP = 'https://app.example.com';
const DASHBOARD = 'https://dashboard.example.com';
const STRANGER = 'https://stranger.example.com';
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

/** The header with the names in it, sorted and in small letters. */
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

/** What a browser asks before a page's request with a header of its own. */
const askLeave = (path: string, origin: string, method: string, header: string): Promise<Response> =>
  server.gateway.ask(path, {
    method: 'OPTIONS',
    headers: {
      Origin: origin,
      'Access-Control-Request-Method': method,
      'Access-Control-Request-Headers': header,
    },
  });

describe('a public path', () => {
  it.each(OPEN_PATHS)('may be read by a page of any origin: %s', async (path) => {
    for (const headers of [{ Origin: STRANGER }, {}]) {
      const response = await server.gateway.ask(path, { headers });
      expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, '*']);
      expect(namesIn(response, 'access-control-expose-headers')).toEqual(lowerCased(EXPOSED));
      expect(namesIn(response, 'vary')).not.toContain('origin'); // one answer for all: it may be cached for all
    }
  });

  it('lets a page ask for a part, and only for what it does not have', async () => {
    const leave = await askLeave(CALENDAR, STRANGER, 'GET', 'if-none-match, range');
    expect([leave.status, leave.headers.get('access-control-allow-origin')]).toEqual([204, '*']);
    expect(namesIn(leave, 'access-control-allow-headers')).toEqual(['if-none-match', 'range']);
  });

  it('may be polled: 304 and problems are for any origin too', async () => {
    const etag = (await server.gateway.ask(CALENDAR)).headers.get('etag') ?? '';
    const unchanged = await server.gateway.ask(CALENDAR, {
      headers: { Origin: STRANGER, 'If-None-Match': etag },
    });
    const missing = await server.gateway.ask('/calendar/dogecoin.csv', { headers: { Origin: STRANGER } });
    expect([unchanged.status, missing.status]).toEqual([304, 404]);
    for (const response of [unchanged, missing]) {
      expect(response.headers.get('access-control-allow-origin')).toBe('*');
    }
  });
});

describe('a file', () => {
  it('lets a page of a listed origin ask with its key, and see what it may read', async () => {
    const leave = await askLeave(BUNDLE, APP, 'GET', 'x-api-key');
    expect([leave.status, leave.headers.get('access-control-allow-origin')]).toEqual([204, APP]);
    expect(namesIn(leave, 'access-control-allow-methods')).toEqual(['get', 'head']);
    expect(namesIn(leave, 'access-control-allow-headers')).toEqual(['accept', 'if-none-match', 'x-api-key']);
    expect(Number(leave.headers.get('access-control-max-age'))).toBeGreaterThan(0);
    const key = await server.gateway.createKey({ plan: 'research' });
    const response = await server.gateway.ask(`${BUNDLE}?redirect=false`, {
      headers: { Origin: APP, 'X-API-Key': key },
    });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, APP]);
    expect(namesIn(response, 'access-control-expose-headers')).toEqual(lowerCased(EXPOSED));
    expect(response.headers.get('access-control-allow-credentials')).toBeNull();
  });

  it('says that its answer depends on the origin, whoever asks', async () => {
    for (const headers of [{ Origin: APP }, { Origin: STRANGER }, {}]) {
      const response = await server.gateway.ask(BUNDLE, { headers });
      expect(namesIn(response, 'vary')).toEqual(['accept', 'origin', 'x-api-key']);
    }
  });

  it('gives its problems to a page of a listed origin, so that it can show them', async () => {
    const response = await server.gateway.ask(BUNDLE, { headers: { Origin: APP } });
    expect(response.headers.get('access-control-allow-origin')).toBe(APP);
    expect((await readProblem(response)).code).toBe('api-key-missing');
  });

  it.each([STRANGER, DASHBOARD, 'null', `${APP}.evil.example`, 'http://app.example.com', `${APP}:8443`])(
    'lets no page of another origin in: %s',
    async (origin) => {
      const answers = [await askLeave(BUNDLE, origin, 'GET', 'x-api-key')];
      answers.push(await server.gateway.ask(BUNDLE, { headers: { Origin: origin } }));
      for (const { headers } of answers) expect(headers.get('access-control-allow-origin')).toBeNull();
    },
  );
});

it.each(['/api/v1/checkout', '/api/v1/checkout/portal'])(
  'a page of the dashboard alone may sell with its session: %s',
  async (path) => {
    const leave = await askLeave(path, DASHBOARD, 'POST', 'authorization, content-type');
    expect(leave.headers.get('access-control-allow-origin')).toBe(DASHBOARD);
    expect(namesIn(leave, 'access-control-allow-methods')).toEqual(['post']);
    expect(namesIn(leave, 'access-control-allow-headers')).toEqual(['authorization', 'content-type']);
    for (const origin of [STRANGER, APP]) {
      const { headers } = await askLeave(path, origin, 'POST', 'authorization');
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  },
);

describe.each([
  [KEYS_PATH, ['delete', 'get', 'head', 'post']],
  [ENTITLEMENTS_PATH, ['get', 'head']],
])('%s', (path, methods) => {
  it('lets a page of the dashboard ask with its session', async () => {
    const leave = await askLeave(path, DASHBOARD, 'GET', 'authorization, content-type');
    expect([leave.status, leave.headers.get('access-control-allow-origin')]).toEqual([204, DASHBOARD]);
    expect(namesIn(leave, 'access-control-allow-methods')).toEqual(methods);
    expect(namesIn(leave, 'access-control-allow-headers')).toContain('authorization');
    const { authorization } = await server.open();
    const response = await server.gateway.ask(path, {
      headers: { Origin: DASHBOARD, Authorization: authorization },
    });
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, DASHBOARD]);
    expect(namesIn(response, 'vary')).toContain('origin');
  });

  it.each([STRANGER, APP])('lets no page of another origin in: %s', async (origin) => {
    const leave = await askLeave(path, origin, 'GET', 'authorization');
    const { authorization } = await server.open();
    const response = await server.gateway.ask(path, {
      headers: { Origin: origin, Authorization: authorization },
    });
    for (const { headers } of [leave, response]) {
      expect(headers.get('access-control-allow-origin')).toBeNull();
    }
  });
});
