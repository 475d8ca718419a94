import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { bundlePath, calendarPath, dayPath, manifestPath } from '../../schemas/paths.js';
import { createMemoryStore } from '../support/stores/memory-store.js';
import { PROBLEMS } from '../../gateway/core/problems.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { readProblemCode } from '../support/gateway/http-answers.js';
import { createOutageStore } from '../support/stores/outage-store.js';
import { openSmallRelease } from '../support/release/small-release.js';
import { sendRaw } from '../support/gateway/raw-http.js';
import { createRandom } from '../support/random/seeded.js';
import { pick } from '../support/random/seeded.js';

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
  '/health/freshness',
  '/metrics',
  'none',
];
const SUCCESSES = ['redirect', 'document', 'described', 'not-modified', 'sent', 'answered', 'options', 'ready', 'degraded', 'not-ready', 'current', 'stale', 'listed', 'key-created', 'key-revoked']; // prettier-ignore
const DECISIONS = [...SUCCESSES, ...Object.keys(PROBLEMS)];

const accounts = createOutageStore(createMemoryStore());
let gateway: GatewayServer;
let key: string;
beforeAll(async () => {
  const store = await openSmallRelease();
  gateway = await startGateway({ store, accountsStore: accounts.store });
  key = await gateway.createKey({ plan: 'research' });
});
afterAll(() => gateway.stop());

const readMetrics = async (): Promise<string> => (await fetch(`${gateway.operatorUrl}/metrics`)).text();

/** Returns the value of one metric, or 0 if it is missing. */
async function valueOf(name: string): Promise<number> {
  const line = (await readMetrics()).split('\n').find((each) => each.startsWith(`${name} `));
  return Number(line?.slice(name.length + 1) ?? 0);
}

const counted = (route: string, decision: string, status: number): string =>
  `gateway_requests_total{route="${route}",decision="${decision}",status="${status}"}`;

const send = (path: string, init: RequestInit = {}): Promise<Response> =>
  gateway.request(path, { headers: { 'X-API-Key': key }, ...init });

describe('a gateway with two ports', () => {
  it('serves metrics only on the operator’s port', async () => {
    expect(await readProblemCode(await send('/metrics'))).toBe('not-found');
    const response = await fetch(`${gateway.operatorUrl}/metrics`);
    expect([response.status, response.headers.get('cache-control')]).toEqual([200, 'no-store']);
    expect(response.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(await (await fetch(`${gateway.operatorUrl}/metrics`, { method: 'HEAD' })).text()).toBe('');
    const refused = await fetch(`${gateway.operatorUrl}/metrics`, { method: 'POST', body: 'x' });
    expect(await readProblemCode(refused)).toBe('method-not-allowed');
  });

  it('serves health on the operator’s port too, but no files and no accounts', async () => {
    for (const path of ['/healthz', '/readyz']) {
      expect((await fetch(gateway.operatorUrl + path)).status).toBe(200);
      expect((await gateway.request(path)).status).toBe(200);
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

  it('says on the operator’s port which paths it has', async () => {
    const response = await fetch(`${gateway.operatorUrl}/`);
    expect(response.status).toBe(404);
    const { detail } = (await response.json()) as { readonly detail: string };
    const paths = detail.match(/\/[a-z/]+/g) ?? [];
    expect(paths).toEqual(['/healthz', '/readyz', '/health/freshness', '/metrics']);
    for (const path of paths)
      expect((await fetch(gateway.operatorUrl + path)).headers.get('content-type')).not.toContain('problem');
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
  ])('count %s%s by template, decision and status', async (path, query, route = '', decision, status) => {
    const before = await valueOf(counted(route, decision, status));
    const timed = await valueOf(`gateway_request_duration_seconds_count{route="${route}"}`);
    expect((await send(path + query)).status).toBe(status);
    expect(await valueOf(counted(route, decision, status))).toBe(before + 1);
    expect(await valueOf(`gateway_request_duration_seconds_count{route="${route}"}`)).toBe(timed + 1);
  });

  it('describe the release, signing, store failures and the process', async () => {
    const signed = await valueOf('gateway_url_signing_duration_seconds_count');
    const failed = await valueOf('gateway_store_errors_total{store="accounts"}');
    await send(BUNDLE);
    const unknown = await gateway.createKey({ plan: 'research' });
    accounts.state = 'down';
    expect((await send(BUNDLE, { headers: { 'X-API-Key': unknown } })).status).toBe(503);
    accounts.state = 'up';
    expect(await valueOf('gateway_url_signing_duration_seconds_count')).toBe(signed + 1);
    expect(await valueOf('gateway_store_errors_total{store="accounts"}')).toBe(failed + 1);
    expect(await valueOf('gateway_release_sequence')).toBe(1);
    expect(await valueOf('gateway_release_age_seconds')).toBeGreaterThan(0);
    expect(await valueOf('process_resident_memory_bytes')).toBeGreaterThan(1e6);
    expect(await readMetrics()).toContain('nodejs_eventloop_lag_seconds');
  });

  it('count a client that disconnects before the response', async () => {
    const before = await valueOf(counted(TEMPLATES[3] ?? '', 'none', 499));
    const { port } = new URL(gateway.url);
    const ahead = dayPath('gold', 'base', '2022-01-31'); // waits for a poll of the store, a second after the last one
    const currentCount = (): Promise<number> => valueOf(counted(TEMPLATES[3] ?? '', 'none', 499));
    // On a busy machine a client may disconnect before its request is read, or after the response.
    for (let waitMs = 100; waitMs < 5_000 && (await currentCount()) === before; waitMs *= 2) {
      await send(ahead);
      const socket = connect(Number(port), '127.0.0.1');
      socket.write(`GET ${ahead} HTTP/1.1\r\nHost: x\r\nX-API-Key: ${key}\r\n\r\n`);
      await sleep(waitMs);
      socket.destroy();
      for (let i = 0; i < 20 && (await currentCount()) === before; i += 1) await sleep(50);
    }
    expect(await currentCount()).toBe(before + 1);
  });
});

describe('with random requests', () => {
  it('labels come from closed lists, and more requests add few series', async () => {
    const random = createRandom(5);
    const randomText = (): string =>
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
        const target = pick(bases, random) + randomText();
        await sendRaw(gateway.url, {
          method: pick(methods, random),
          target,
          headers: [['X-API-Key', randomText()]],
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
    expect(await flood()).toBeLessThan(first + 20); // a rare pair of decision and status may still be new
    expect(first).toBeLessThan(400);
  });

  it('a log line has few members, and a method from a closed list', () => {
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
