import { bundlePath, dayPath, manifestPath } from '../../schemas/paths.js';
import { createMemoryStore } from '../support/stores/memory-store.js';
import { StoreError } from '../../infra/store/object-store.js';
import { LINK_SECRET, startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { startIdentityProvider, type IdentityProvider } from '../support/gateway/identity-provider.js';
import { openSmallRelease } from '../support/release/small-release.js';
import { interceptStore } from '../support/stores/intercept-store.js';

const BUCKET = 'planted-bucket-of-ours';
const BUNDLE = bundlePath('gold', 'base', '7d');

describe('responses, log and metrics', () => {
  const secrets: string[] = [LINK_SECRET, BUCKET];
  const emitted: string[] = [];
  let isFailing = false;
  let provider: IdentityProvider;
  let gateway: GatewayServer;

  /** Sends a request and keeps the response, except the address of a redirect. */
  async function send(path: string, init: RequestInit = {}): Promise<Response> {
    const response = await gateway.request(path, init);
    const headers = [...response.headers].filter(([name]) => name !== 'location');
    const text = await response.clone().text();
    const isHandedOut =
      path.includes('redirect=false') || (init.method === 'POST' && response.status === 201);
    emitted.push(JSON.stringify(headers), isHandedOut ? '' : text);
    return response;
  }

  beforeAll(async () => {
    const store = await openSmallRelease();
    provider = await startIdentityProvider(() => Date.now());
    const failing = (address: string) =>
      interceptStore(address === 'accounts' ? createMemoryStore() : store, (_operation, run) => {
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
    const location = (await send(BUNDLE, withKey)).headers.get('location') ?? '';
    const query = new URL(location).search;
    secrets.push(new URLSearchParams(query).get('signature') ?? '');
    await send(`${BUNDLE}?redirect=false`, withKey);
    await send(new URL(location).pathname + query);
    await send(`${new URL(location).pathname}${query.replace('expires=', 'expires=1')}`);
    await send(BUNDLE, { ...withKey, method: 'HEAD' });
    await send(BUNDLE, { headers: { 'X-API-Key': single } });
    await send(BUNDLE, { headers: { 'X-API-Key': `${key}x` } });
    await send(BUNDLE, { headers: { 'X-API-Key': key, Authorization: `Bearer ${token}` } });
    for (const sent of [key, single, `${key}x`])
      await send(BUNDLE, { headers: { Authorization: `Bearer ${sent}` } });
    await send(`${BUNDLE}?api_key=${key}`, withKey);
    await send(`/${key}`);
    await send(`/api/v1/files/${token}`, withKey);
    await send(manifestPath('gold', 'base'), { method: 'POST', ...withKey, body: key });
    await send(dayPath('gold', 'base', '2022-02-30'), withKey);
    const session = { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json' };
    const created = await send('/api/v1/keys', { method: 'POST', headers: session, body: '{"label":"one"}' });
    secrets.push(((await created.json()) as { key: string }).key);
    await send('/api/v1/keys', { headers: session });
    await send('/api/v1/keys', { headers: { Authorization: `Bearer ${token}x` } });
    await send(`/api/v1/keys?id=${key}`, { method: 'DELETE', headers: session });
    await send('/api/v1/keys', { method: 'POST', headers: session, body: `{"label":"${key}",` });
    await send('/api/v1/entitlements', withKey);
    isFailing = true;
    await send('/api/v1/status', withKey);
    await send(BUNDLE, { headers: { 'X-API-Key': single } });
    await send('/api/v1/keys', { headers: session });
    await send('/api/v1/entitlements', { headers: session });
    await send(dayPath('gold', 'base', '2022-01-12'), withKey);
    emitted.push(await (await fetch(`${gateway.operatorUrl}/metrics`)).text(), gateway.log());
  });
  afterAll(async () => {
    await gateway.stop();
    await provider.dispose();
  });

  it('contain no key, token, link, secret or bucket', () => {
    const output = emitted.join('\n');
    expect(output.length).toBeGreaterThan(10_000);
    expect(secrets.filter((secret) => secret === '' || output.includes(secret))).toEqual([]);
    expect(output).not.toMatch(/X-Amz-Signature=|signature=[0-9a-f]/);
  });

  it('contain no stack trace, because nothing unexpected failed', () =>
    expect(emitted.join('\n')).not.toMatch(/\\n +at |\.[jt]s:\d/));

  it('name routes by their templates', () => {
    const log = gateway.log();
    expect(log).toContain('"route":"/api/v1/files/{genre}/{chain}/{window}/latest.json"');
    expect(log).not.toContain('/api/v1/files/gold');
    expect(log).not.toContain('redirect=false');
    expect(log).not.toContain('127.0.0.1');
    expect(log).toContain('a store, or the credentials for it, failed');
  });
});
