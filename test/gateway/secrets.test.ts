import { bundlePath, dayPath, manifestPath } from '../../schemas/paths.js';
import { createMemoryStore } from '../../infra/store/memory-store.js';
import { StoreError } from '../../infra/store/object-store.js';
import { LINK_SECRET, startGateway, type GatewayServer } from '../fixtures/gateway-server.js';
import { startIdentityProvider, type IdentityProvider } from '../fixtures/identity-provider.js';
import { publishSeries } from '../fixtures/publish-series.js';
import { randomSeries } from '../fixtures/random-series.js';
import { watchStore } from '../fixtures/watched-store.js';

const BUCKET = 'planted-bucket-of-ours';
const BUNDLE = bundlePath('gold', 'base', '7d');

describe('what a gateway says and writes', () => {
  const secrets: string[] = [LINK_SECRET, BUCKET];
  const emitted: string[] = [];
  let isFailing = false;
  let provider: IdentityProvider;
  let gateway: GatewayServer;

  /** Asks, and keeps everything that came back but the address of a redirect. */
  async function ask(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await gateway.ask(path, init);
    const headers = [...response.headers].filter(([name]) => name !== 'location');
    const text = await response.clone().text();
    const isHandedOut =
      path.includes('redirect=false') || (init.method === 'POST' && response.status === 201);
    emitted.push(JSON.stringify(headers), isHandedOut ? '' : text);
    return response;
  }

  beforeAll(async () => {
    const store = createMemoryStore();
    await publishSeries(store, {
      inputs: [randomSeries({ chain: 'base', seed: 7, days: 10 })],
      asOf: '2022-01-11',
    });
    provider = await startIdentityProvider(() => Date.now());
    const failing = (address: string) =>
      watchStore(address === 'accounts' ? createMemoryStore() : store, (_operation, run) => {
        const words = `s3://${BUCKET}/keys: https://${BUCKET}.s3.eu-west-1.amazonaws.com/x?X-Amz-Signature=aa`;
        return isFailing ? Promise.reject(new StoreError('unavailable', words)) : run();
      });
    gateway = await startGateway({
      store: failing('releases'),
      accountsStore: failing('accounts'),
      configuration: {
        sessions: {
          jwks: { kind: 'url', url: provider.jwksUrl },
          issuer: provider.issuer,
          audience: provider.audience,
        },
      },
      hidden: [BUCKET],
    });
    const key = await gateway.createKey({ account: 'acme', plan: 'research' });
    const single = await gateway.createKey({ plan: 'single-chain', chain: 'bitcoin' });
    const token = await provider.sign({ account: 'acme' });
    secrets.push(key, single, token);

    const withKey = { headers: { 'X-API-Key': key } };
    const location = (await ask(BUNDLE, withKey)).headers.get('location') ?? '';
    const query = new URL(location).search;
    secrets.push(new URLSearchParams(query).get('signature') ?? '');
    await ask(`${BUNDLE}?redirect=false`, withKey);
    await ask(new URL(location).pathname + query);
    await ask(`${new URL(location).pathname}${query.replace('expires=', 'expires=1')}`);
    await ask(BUNDLE, { ...withKey, method: 'HEAD' });
    await ask(BUNDLE, { headers: { 'X-API-Key': single } });
    await ask(BUNDLE, { headers: { 'X-API-Key': `${key}x` } });
    await ask(BUNDLE, { headers: { 'X-API-Key': key, Authorization: `Bearer ${token}` } });
    await ask(`${BUNDLE}?api_key=${key}`, withKey);
    await ask(`/${key}`);
    await ask(`/api/v1/files/${token}`, withKey);
    await ask(manifestPath('gold', 'base'), { method: 'POST', ...withKey, body: key });
    await ask(dayPath('gold', 'base', '2022-02-30'), withKey);
    const session = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const created = await ask('/api/v1/keys', { method: 'POST', headers: session, body: '{"label":"one"}' });
    secrets.push(((await created.json()) as { key: string }).key);
    await ask('/api/v1/keys', { headers: session });
    await ask('/api/v1/keys', { headers: { Authorization: `Bearer ${token}x` } });
    await ask(`/api/v1/keys?id=${key}`, { method: 'DELETE', headers: session });
    await ask('/api/v1/keys', { method: 'POST', headers: session, body: `{"label":"${key}",` });
    await ask('/api/v1/entitlements', withKey);
    isFailing = true;
    await ask('/api/v1/status', withKey);
    await ask(BUNDLE, { headers: { 'X-API-Key': single } });
    await ask('/api/v1/keys', { headers: session });
    await ask('/api/v1/entitlements', { headers: session });
    await ask(dayPath('gold', 'base', '2022-01-12'), withKey);
    emitted.push(await (await fetch(`${gateway.operatorUrl}/metrics`)).text(), gateway.log());
  });
  afterAll(async () => {
    await gateway.stop();
    await provider.dispose();
  });

  it('holds no key, token, link, secret or bucket', () => {
    const all = emitted.join('\n');
    expect(all.length).toBeGreaterThan(10_000);
    expect(secrets.filter((secret) => secret === '' || all.includes(secret))).toEqual([]);
    expect(all).not.toMatch(/X-Amz-Signature=|signature=[0-9a-f]/);
  });

  it('holds no stack: what failed was no fault of ours', () =>
    expect(emitted.join('\n')).not.toMatch(/\\n +at |\.[jt]s:\d/));

  it('names routes by their templates, in log and metrics', () => {
    const log = gateway.log();
    expect(log).toContain('"route":"/api/v1/files/{genre}/{chain}/{window}/latest.json"');
    expect(log).not.toContain('/api/v1/files/gold');
    expect(log).not.toContain('redirect=false');
    expect(log).not.toContain('127.0.0.1');
    expect(log).toContain('a store cannot be read');
  });
});
