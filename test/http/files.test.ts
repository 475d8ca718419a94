import { randomBytes } from 'node:crypto';
import { createApiKey } from '../../gateway/core/access/api-key.js';
import { sha256Hex } from '../../schemas/digest.js';
import { bundlePath, dayPath, manifestPath } from '../../schemas/paths.js';
import type { ReleaseRecord } from '../../schemas/types.generated.js';
import { createMemoryStore } from '../support/stores/memory-store.js';
import { startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { rollBack } from '../support/release/operate.js';
import { readCurrent, readManifests } from '../support/release/read-release.js';
import { publishSeries } from '../support/release/publish-series.js';
import { editSeries, randomSeries } from '../support/release/random-series.js';

const series = (days: number) => randomSeries({ chain: 'base', seed: 7, days });
const bitcoin = randomSeries({ chain: 'bitcoin', seed: 3, days: 8 });
const BUNDLE = bundlePath('gold', 'base', '7d');
/** Time after which an account is read again. */
const REFRESH_MS = 1_000;
const store = createMemoryStore();
let record: ReleaseRecord;
let gateway: GatewayServer;
let key: string;
let single: string;

beforeAll(async () => {
  await publishSeries(store, { inputs: [series(10), bitcoin], asOf: '2022-01-11' });
  const edited = editSeries(series(11), 'tx_count', '2022-01-05', 4242);
  await publishSeries(store, { inputs: [edited], asOf: '2022-01-12', acceptance: { reason: 'corrected' } });
  await rollBack(store, { to: '2022-01-11.000001', reason: 'that was wrong', asOf: '2022-01-13' });
  record = await readCurrent(store);
  gateway = await startGateway({ store });
  key = await gateway.createKey({ plan: 'research' });
  single = await gateway.createKey({ plan: 'single-chain', chain: 'base' });
});
afterAll(() => gateway.stop());

const send = (
  path: string,
  headers: Record<string, string> = {},
  init: RequestInit = {},
): Promise<Response> => gateway.request(path, { ...init, headers: { 'X-API-Key': key, ...headers } });

/** A parsed JSON object. */
type Document = Record<string, unknown>;

const documentOf = async (response: Response): Promise<Document> => (await response.json()) as Document;

async function problemOf(response: Response): Promise<unknown> {
  expect(response.headers.get('content-type')).toBe('application/problem+json');
  expect(response.headers.get('cache-control')).toBe('no-store');
  const problem = await documentOf(response);
  expect(problem.status).toBe(response.status);
  expect(problem.type).toBe(`/problems/${String(problem.code)}`);
  expect(problem.instance).toBe(response.headers.get('x-request-id'));
  return problem.code;
}

describe('GET of an entitled file', () => {
  it('redirects to a link that returns exactly the bytes, type and name of the object', async () => {
    const entry = record.bundles[BUNDLE];
    const response = await send(BUNDLE);
    expect(response.status).toBe(307);
    expect(await response.text()).toBe('');
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'cache-control': 'private, no-store',
      vary: 'X-API-Key, Authorization, Accept, Origin',
      'x-content-sha256': entry?.sha256,
      'x-published-revision': entry?.revision,
      'x-url-expires-in': '300',
      'x-content-type-options': 'nosniff',
    });
    expect(response.headers.get('etag')).toBeNull(); // that of the file is in the answer of the link
    const object = await fetch(response.headers.get('location') ?? '');
    const bytes = new Uint8Array(await object.arrayBuffer());
    expect([object.status, sha256Hex(bytes)]).toEqual([200, entry?.sha256]);
    expect(object.headers.get('content-type')).toBe('application/json');
    expect(object.headers.get('content-disposition')).toBe('attachment; filename="base-gold-7d-latest.json"');
  });

  it.each([
    ['?redirect=false', {}],
    ['', { Accept: 'application/json; profile="signed-url"' }],
  ])('returns a document with the URL on request: %s %j', async (query, headers) => {
    const entry = record.bundles[BUNDLE];
    const response = await send(`${BUNDLE}${query}`, headers);
    const { url, ...rest } = await documentOf(response);
    expect([response.status, response.headers.get('etag')]).toEqual([200, null]);
    expect(rest).toEqual({
      expires_in: 300,
      sha256: entry?.sha256,
      bytes: entry?.bytes,
      media_type: 'application/json',
      published_revision: entry?.revision,
    });
    expect(sha256Hex(await (await fetch(String(url))).text())).toBe(entry?.sha256);
  });

  it('serves every bundle, manifest and day of the release', async () => {
    const manifests = await readManifests(store, record);
    const days = [...manifests.values()].flatMap(({ dates }) => dates);
    const expected = [
      ...Object.entries(record.bundles).map(([path, { sha256 }]) => [path, sha256]),
      ...Object.entries(record.manifests).map(([path, { sha256 }]) => [path, sha256]),
      ...days.map(({ path, sha256, status }) => [path, status === 'withdrawn' ? 'gone' : sha256]),
    ];
    for (const [path = '', expectedDigest] of expected) {
      const response = await send(path);
      const digest =
        response.status === 410 ? await problemOf(response) : response.headers.get('x-content-sha256');
      expect([path, digest]).toEqual([path, expectedDigest]);
    }
  });

  it('serves a day as of a revision, and answers 404, 410 or 400 for other revisions', async () => {
    const day = dayPath('gold', 'base', '2022-01-05');
    const manifest = (await readManifests(store, record)).get('gold base');
    const entry = manifest?.dates.find(({ date }) => date === '2022-01-05');
    const readAsOf = async (revision: string, path = day): Promise<unknown> => {
      const response = await send(`${path}?revision=${revision}`);
      return response.status === 307 ? response.headers.get('x-content-sha256') : problemOf(response);
    };
    expect(await readAsOf('2022-01-11.000001')).toBe(entry?.sha256);
    expect(await readAsOf('2022-01-12.000001')).toBe(entry?.superseded[1]?.sha256);
    expect(await readAsOf('2022-01-13.000001')).toBe(entry?.sha256);
    expect(await readAsOf('2022-01-12.000007')).toBe('not-found');
    expect(await readAsOf('2022-01-10.000001')).toBe('not-found');
    expect(await readAsOf('2022-01-14.000001')).toBe('not-found');
    expect(await readAsOf('2022-01-14')).toBe('request-malformed');
    const withdrawn = dayPath('gold', 'base', '2022-01-11');
    expect(await readAsOf('2022-01-13.000001', withdrawn)).toBe('gone');
    expect(await readAsOf('2022-01-12.000001', withdrawn)).toMatch(/^[0-9a-f]{64}$/);
    expect(await readAsOf('2022-01-11.000001', withdrawn)).toBe('not-found');
  });
});

describe('a conditional request', () => {
  it.each(['exact', 'weak', 'list', 'star'])('is answered with 304 and no URL on %s match', async (kind) => {
    const etag = `"sha256:${record.bundles[BUNDLE]?.sha256 ?? ''}"`;
    const values: Record<string, string> = {
      exact: etag,
      weak: `W/${etag}`,
      list: `"other", ${etag}`,
      star: '*',
    };
    const response = await send(BUNDLE, { 'If-None-Match': values[kind] ?? '' });
    expect([response.status, response.headers.get('location'), await response.text()]).toEqual([
      304,
      null,
      '',
    ]);
    expect([response.headers.get('etag'), response.headers.get('cache-control')]).toEqual([
      etag,
      'private, no-store',
    ]);
  });

  it('is answered with the file when the ETag is of another file', async () => {
    expect((await send(BUNDLE, { 'If-None-Match': '"sha256:other"' })).status).toBe(307);
  });
});

describe('HEAD', () => {
  it('redirects to a link that answers HEAD with the size, type and ETag of the file', async () => {
    const entry = record.bundles[BUNDLE];
    const response = await send(BUNDLE, {}, { method: 'HEAD' });
    expect([response.status, response.headers.get('etag')]).toEqual([307, null]);
    const file = await fetch(response.headers.get('location') ?? '', {
      method: 'HEAD',
      headers: { 'Accept-Encoding': 'identity' },
    });
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-length': String(entry?.bytes),
      'content-type': 'application/json',
      etag: `"sha256:${entry?.sha256 ?? ''}"`,
    });
  });

  it('of a document has the size of the document', async () => {
    const [get, head] = [
      await send(`${BUNDLE}?redirect=false`),
      await send(`${BUNDLE}?redirect=false`, {}, { method: 'HEAD' }),
    ];
    expect([head.status, await head.text()]).toEqual([200, '']);
    expect(head.headers.get('content-type')).toBe('application/json');
    expect(Number(head.headers.get('content-length'))).toBe(Buffer.byteLength(await get.text()));
  });

  it('answers 304, 401, 403 and 404 as GET does', async () => {
    const head = (path: string, headers: Record<string, string>) =>
      gateway.request(path, { method: 'HEAD', headers });
    const etag = `"sha256:${record.bundles[BUNDLE]?.sha256 ?? ''}"`;
    expect((await head(BUNDLE, { 'X-API-Key': key, 'If-None-Match': etag })).status).toBe(304);
    expect((await head(BUNDLE, {})).status).toBe(401);
    expect((await head(manifestPath('gold', 'base'), { 'X-API-Key': single })).status).toBe(403);
    expect((await head(dayPath('gold', 'base', '2021-01-01'), { 'X-API-Key': key })).status).toBe(404);
  });
});

describe('a caller without entitlement', () => {
  it.each([
    ['no key', undefined, 401, 'api-key-missing'],
    ['a malformed key', 'crd_test_x', 401, 'api-key-invalid'],
    ['two keys in one header', 'twice', 401, 'api-key-invalid'],
  ])('with %s is rejected: %s %i %s', async (_name, sent, status, code) => {
    const value = sent === 'twice' ? `${key}, ${key}` : sent;
    const response = await gateway.request(BUNDLE, {
      headers: value === undefined ? {} : { 'X-API-Key': value },
    });
    expect([response.status, response.headers.get('www-authenticate')]).toEqual([
      status,
      `Bearer realm="files"${code === 'api-key-missing' ? '' : ', error="invalid_token"'}`,
    ]);
    expect(await problemOf(response)).toBe(code);
  });

  it('gets the same body for a key that is unknown, revoked, mistyped, of another mode or too long', async () => {
    const revoked = await gateway.createKey({ account: 'gone', plan: 'research' });
    await gateway.accounts.revokeKey('gone', revoked.slice(9, 17));
    const mistyped = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    const unknown = createApiKey('test', randomBytes).text;
    const keys = [unknown, revoked, mistyped, key.replace('_test_', '_live_'), 'x'.repeat(10_000)];
    const bodies = await Promise.all(
      keys.map(async (each) => {
        const { instance: _id, ...rest } = await documentOf(await send(BUNDLE, { 'X-API-Key': each }));
        return JSON.stringify(rest);
      }),
    );
    expect(new Set(bodies).size).toBe(1);
  });

  it('receives a problem that names the plan with the file', async () => {
    const response = await send(manifestPath('gold', 'base'), { 'X-API-Key': single });
    const problem = await documentOf(response);
    expect([response.status, problem.code]).toEqual([403, 'not-entitled']);
    expect(problem.detail).toContain('Research');
  });

  it('cannot tell whether a file exists', async () => {
    const pairs = [
      [dayPath('gold', 'base', '2022-01-05'), dayPath('gold', 'base', '2009-01-05')],
      [dayPath('gold', 'bitcoin', '2022-01-05'), dayPath('gold', 'ethereum', '2022-01-05')],
      [bundlePath('gold', 'bitcoin', '7d'), bundlePath('gold', 'ethereum', '7d')],
      [dayPath('gold', 'base', '2022-01-05'), dayPath('gold', 'base', '2022-01-11')],
    ] as const;
    for (const caller of [single, await gateway.createKey(), undefined]) {
      for (const pair of pairs) {
        const responses = await Promise.all(
          pair.map(async (path) => {
            const headers: Record<string, string> = caller === undefined ? {} : { 'X-API-Key': caller };
            const response = await gateway.request(path, { headers });
            const { instance: _id, ...rest } = await documentOf(response);
            const names = [...response.headers.keys()].sort();
            return JSON.stringify({ rest, names }).replaceAll('ethereum', 'bitcoin');
          }),
        );
        expect(responses[0]).toBe(responses[1]);
      }
    }
  });

  it('has access a second after it is granted', async () => {
    const late = await gateway.createKey({ account: 'late' });
    expect(await problemOf(await send(BUNDLE, { 'X-API-Key': late }))).toBe('subscription-inactive');
    await gateway.accounts.grant('late', {
      plan: 'research',
      chain: null,
      until: '2999-01-01T00:00:00Z',
      reason: 'paid',
    });
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
    expect((await send(BUNDLE, { 'X-API-Key': late })).status).toBe(307);
  });

  it('can read more a second after a higher plan is granted', async () => {
    const manifest = manifestPath('gold', 'base');
    const rising = await gateway.createKey({ account: 'rising', plan: 'single-chain', chain: 'base' });
    expect(await problemOf(await send(manifest, { 'X-API-Key': rising }))).toBe('not-entitled');
    await gateway.accounts.grant('rising', {
      plan: 'research',
      chain: null,
      until: '2999-01-01T00:00:00Z',
      reason: 'paid more',
    });
    await new Promise((resolve) => setTimeout(resolve, REFRESH_MS));
    expect((await send(manifest, { 'X-API-Key': rising })).status).toBe(307);
  });

  it('can be a bearer token, and the same in both headers', async () => {
    const Authorization = `Bearer ${key}`;
    for (const headers of [
      { Authorization },
      { Authorization, 'X-API-Key': '' },
      { Authorization: `bearer  ${key}` },
      { Authorization, 'X-API-Key': key },
    ]) {
      const response = await gateway.request(BUNDLE, { headers });
      expect(response.status).toBe(307);
      expect(response.headers.get('vary')?.split(', ')).toEqual(
        expect.arrayContaining(['X-API-Key', 'Authorization']),
      );
    }
  });

  it('counts once towards the limit when both headers have it', async () => {
    const headers = { Authorization: `Bearer ${key}`, 'X-API-Key': key };
    const remaining = async (): Promise<number> =>
      Number(
        /r=(\d+)/.exec((await gateway.request(BUNDLE, { headers })).headers.get('ratelimit') ?? '')?.[1],
      );
    const before = await remaining();
    expect(await remaining()).toBe(before - 1);
  });

  it.each(['Bearer eyJh.eyJh.eyJh', 'Bearer x', 'Bearer', 'Bearer undefined', 'Basic eDp5'])(
    'is missing if Authorization has something else: %s',
    async (authorization) => {
      const response = await gateway.request(BUNDLE, { headers: { Authorization: authorization } });
      expect(response.headers.get('www-authenticate')).toBe('Bearer realm="files"');
      expect(await response.json()).toMatchObject({
        code: 'api-key-missing',
        detail: 'Authorization has no API key. Send it as "Authorization: Bearer crd_…".',
      });
    },
  );

  it('is rejected as a bearer token for the same reasons and with the same words', async () => {
    const wrong = `${key.slice(0, -1)}${key.endsWith('0') ? '1' : '0'}`;
    const answers = [{ 'X-API-Key': wrong }, { Authorization: `Bearer ${wrong}` }].map(async (headers) => {
      const response = await gateway.request(BUNDLE, { headers });
      const { instance: _id, ...problem } = (await response.json()) as Record<string, unknown>;
      return { problem, challenge: response.headers.get('www-authenticate') };
    });
    const [header, bearer] = await Promise.all(answers);
    expect(bearer).toEqual(header);
    expect(bearer?.problem['code']).toBe('api-key-invalid');
    expect(bearer?.challenge).toBe('Bearer realm="files", error="invalid_token"');
  });

  it('is rejected beside another credential or in the URL', async () => {
    const other = await gateway.createKey({ account: 'someone' });
    for (const authorization of ['Bearer x', 'Basic eDp5', `Bearer ${other}`]) {
      expect(await problemOf(await send(BUNDLE, { Authorization: authorization }))).toBe('request-malformed');
    }
    const response = await gateway.request(`${BUNDLE}?api_key=${key}`);
    expect(response.status).toBe(400);
    expect(await response.text()).not.toContain(key);
    expect(gateway.log()).not.toContain(key);
  });
});
