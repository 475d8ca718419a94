import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundlePath, calendarPath, dayPath, manifestPath } from '../../schemas/paths.js';
import { createMemoryStore } from '../../infra/store/memory-store.js';
import { PROBLEMS } from '../../gateway/core/problems.js';
import { startGateway, type GatewayServer } from '../fixtures/gateway-server.js';
import { readProblemCode } from '../fixtures/http-answers.js';
import { createMoodyStore } from '../fixtures/moody-store.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';
import { askRaw } from '../fixtures/raw-http.js';
import { createRandom } from '../fixtures/seeded.js';
import { pick } from '../fixtures/seeded-pick.js';

const BUNDLE = bundlePath('gold', 'base', '7d');
const MANIFEST = manifestPath('gold', 'base');
const DAY = dayPath('gold', 'base', '2022-01-02');
const TEMPLATES = [
  '/api/v1/files/{path}',
  '/api/v1/files/{genre}/{chain}/{window}/latest.json',
  '/api/v1/files/{genre}/{chain}/manifest.json',
  '/api/v1/files/{genre}/{chain}/{date}.json',
  '/api/v1/keys',
  '/api/v1/entitlements',
  '/api/v1/{public}',
  '/_objects/{digest}',
  '/problems/{code}',
  '/healthz',
  '/readyz',
  '/metrics',
  'none',
];
const GIVEN = ['redirect', 'document', 'described', 'not-modified', 'sent', 'answered', 'options', 'ready', 'degraded', 'not-ready', 'listed', 'key-created', 'key-revoked']; // prettier-ignore
const DECISIONS = [...GIVEN, ...Object.keys(PROBLEMS)];

const accounts = createMoodyStore(createMemoryStore());
let gateway: GatewayServer;
let key: string;
beforeAll(async () => {
  const store = createMemoryStore();
  await publishSeries(store, {
    inputs: [randomSeries({ chain: 'base', seed: 7, days: 3 })],
    asOf: '2022-01-04',
  });
  gateway = await startGateway({ store, accountsStore: accounts.store });
  key = await gateway.createKey({ plan: 'research' });
});
afterAll(() => gateway.stop());

const readMetrics = async (): Promise<string> => (await fetch(`${gateway.operatorUrl}/metrics`)).text();

/** The value of one line; 0 where there is none. */
async function valueOf(name: string): Promise<number> {
  const line = (await readMetrics()).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

const counted = (route: string, decision: string, status: number): string =>
  `gateway_requests_total{route="${route}",decision="${decision}",status="${status}"}`;

const ask = (path: string, init: RequestInit = {}): Promise<Response> =>
  gateway.ask(path, { headers: { 'X-API-Key': key }, ...init });

describe('the two ports', () => {
  it('the metrics are on the operator’s port alone', async () => {
    expect(await readProblemCode(await ask('/metrics'))).toBe('not-found');
    const response = await fetch(`${gateway.operatorUrl}/metrics`);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await (await fetch(`${gateway.operatorUrl}/metrics`, { method: 'HEAD' })).text()).toBe('');
    const refused = await fetch(`${gateway.operatorUrl}/metrics`, { method: 'POST', body: 'x' });
    expect(await readProblemCode(refused)).toBe('method-not-allowed');
  });

  it('the operator’s port gives health besides, and nothing that a key or a session could ask for', async () => {
    for (const path of ['/healthz', '/readyz']) {
      expect((await fetch(gateway.operatorUrl + path)).status).toBe(200);
      expect((await gateway.ask(path)).status).toBe(200);
    }
    for (const path of [
      BUNDLE,
      calendarPath('base'),
      '/api/v1/keys',
      '/api/v1/entitlements',
      '/problems/gone',
    ]) {
      const response = await fetch(gateway.operatorUrl + path, { headers: { 'X-API-Key': key } });
      expect(await readProblemCode(response)).toBe('not-found');
    }
  });
});

describe('the metrics', () => {
  it.each([
    [BUNDLE, '', TEMPLATES[1], 'redirect', 307],
    [MANIFEST, '?redirect=false', TEMPLATES[2], 'document', 200],
    [DAY, '', TEMPLATES[3], 'redirect', 307],
    [calendarPath('base'), '', TEMPLATES[6], 'sent', 200],
    ['/api/v1/entitlements', '', '/api/v1/entitlements', 'answered', 200],
    ['/api/v1/files/x', '', TEMPLATES[0], 'not-found', 404],
    ['/x', '', 'none', 'not-found', 404],
  ])(
    'count %s%s by its template, what was decided and the status',
    async (path, query, route = '', decision, status) => {
      const before = await valueOf(counted(route, decision, status));
      const timed = await valueOf(`gateway_request_duration_seconds_count{route="${route}"}`);
      expect((await ask(path + query)).status).toBe(status);
      expect(await valueOf(counted(route, decision, status))).toBe(before + 1);
      expect(await valueOf(`gateway_request_duration_seconds_count{route="${route}"}`)).toBe(timed + 1);
    },
  );

  it('tell of the release, of signatures, of failures of stores and of the process', async () => {
    const signed = await valueOf('gateway_url_signing_duration_seconds_count');
    const failed = await valueOf('gateway_store_errors_total{store="accounts"}');
    await ask(BUNDLE);
    const unknown = await gateway.createKey({ plan: 'research' });
    accounts.mood = 'down';
    expect((await ask(BUNDLE, { headers: { 'X-API-Key': unknown } })).status).toBe(503);
    accounts.mood = 'up';
    expect(await valueOf('gateway_url_signing_duration_seconds_count')).toBe(signed + 1);
    expect(await valueOf('gateway_store_errors_total{store="accounts"}')).toBe(failed + 1);
    expect(await valueOf('gateway_release_sequence')).toBe(1);
    expect(await valueOf('gateway_release_age_seconds')).toBeGreaterThan(0);
    expect(await valueOf('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(await readMetrics()).toContain('nodejs_eventloop_lag_seconds');
  });

  it('count a caller who leaves before the answer', async () => {
    const before = await valueOf(counted(TEMPLATES[3] ?? '', 'none', 499));
    const { port } = new URL(gateway.url);
    const ahead = dayPath('gold', 'base', '2022-01-31'); // waits for a look at the store
    const now = (): Promise<number> => valueOf(counted(TEMPLATES[3] ?? '', 'none', 499));
    // On a busy machine a caller may have left before it was heard, or after the answer.
    for (let waitMs = 100; waitMs < 5_000 && (await now()) === before; waitMs *= 2) {
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`GET ${ahead} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
      await sleep(waitMs);
      socket.destroy();
      for (let i = 0; i < 20 && (await now()) === before; i += 1) await sleep(50);
    }
    expect(await now()).toBe(before + 1);
  });
});

describe('under requests that were made up', () => {
  it('labels are templates, decisions and statuses from closed lists, and no more come of more requests', async () => {
    const random = createRandom(5);
    const makeUp = (): string =>
      Array.from({ length: 8 }, () => Math.floor(random() * 36).toString(36)).join('');
    const bases = [
      '/',
      '/api/v1/',
      '/api/v1/files/',
      `${BUNDLE}/`,
      '/problems/',
      '/_objects/',
      `${DAY}?`,
      '/healthz/',
    ];
    const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE', 'PURGE', 'MKCOL'];
    const flood = async (): Promise<number> => {
      for (let sent = 0; sent < 200; sent += 1) {
        const target = pick(bases, random) + makeUp();
        await askRaw(gateway.url, {
          method: pick(methods, random),
          target,
          headers: [['X-API-Key', makeUp()]],
        });
      }
      const labelled = [...(await readMetrics()).matchAll(/^gateway_\w+\{(.*)\} /gm)].map(
        ([, labels = '']) => labels,
      );
      for (const labels of labelled) {
        const { route, decision, status } = Object.fromEntries(
          [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
        );
        if (route !== undefined) expect(TEMPLATES).toContain(route);
        if (decision !== undefined && status !== '499') expect(DECISIONS).toContain(decision);
        if (status !== undefined) expect(status).toMatch(/^[2-5]\d\d$/);
      }
      return labelled.length;
    };
    const first = await flood();
    expect(await flood()).toBeLessThan(first + 20); // a rare pair of decision and status may still come
    expect(first).toBeLessThan(400);
  });

  it('a line of the log has a few members, and a method from a closed list', () => {
    const lines = gateway
      .log()
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>); // our own log
    const ofRequests = lines.filter((line) => 'route' in line);
    const members = new Set(ofRequests.flatMap((line) => Object.keys(line)));
    expect([...members].sort()).toEqual([
      'decision',
      'id',
      'key',
      'level',
      'method',
      'ms',
      'route',
      'status',
      'time',
    ]);
    expect(new Set(ofRequests.map(({ method }) => method))).toEqual(
      new Set(['GET', 'HEAD', 'OPTIONS', 'POST', 'DELETE', 'other']),
    );
    expect(ofRequests.filter(({ route }) => !TEMPLATES.includes(String(route)))).toEqual([]);
  });
});
