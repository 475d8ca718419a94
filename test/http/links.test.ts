import type { ObjectStore } from '../../infra/store/object-store.js';
import { sha256Hex } from '../../schemas/digest.js';
import { bundlePath, manifestPath } from '../../schemas/paths.js';
import { createObjectLinks } from '../../gateway/core/signing/object-link.js';
import { LINK_SECRET, startGateway, type GatewayServer } from '../support/gateway/gateway-server.js';
import { readProblem, readProblemCode } from '../support/gateway/http-answers.js';
import { openSmallRelease } from '../support/release/small-release.js';

const NOW = Date.parse('2022-01-05T00:00:00Z');
const BUNDLE = bundlePath('gold', 'base', '7d');
let store: ObjectStore;
let nowMs = NOW;
let gateway: GatewayServer;
let key: string;
let link: URL;
let sha256: string;

beforeAll(async () => {
  store = await openSmallRelease();
  gateway = await startGateway({ store, now: () => nowMs });
  key = await gateway.createKey({ plan: 'research' });
  ({ link, sha256 } = await linkTo(BUNDLE));
});
beforeEach(() => (nowMs = NOW));
afterAll(() => gateway.stop());

async function linkTo(path: string): Promise<{ link: URL; sha256: string }> {
  const { headers } = await gateway.request(path, { headers: { 'X-API-Key': key } });
  return {
    link: new URL(headers.get('location') ?? ''),
    sha256: headers.get('x-content-sha256') ?? '',
  };
}

/** Follows a link to the plain bytes: fetch asks for compressed ones by default. */
const follow = (to: URL | string, headers: Record<string, string> = {}, method = 'GET'): Promise<Response> =>
  fetch(to, { headers: { 'Accept-Encoding': 'identity', ...headers }, method });

async function bytesOf(response: Response): Promise<Uint8Array> {
  return new Uint8Array(await response.arrayBuffer());
}

/** Returns the link with one part replaced. */
function alter(change: (parts: Record<string, string>) => Record<string, string>): URL {
  const digest = link.pathname.slice('/_objects/'.length);
  const { digest: altered = '', ...query } = change({ digest, ...Object.fromEntries(link.searchParams) });
  return new URL(`/_objects/${encodeURIComponent(altered)}?${new URLSearchParams(query).toString()}`, link);
}

/** Returns every text that differs from `text` by one changed, added or removed character. */
function neighbours(text: string): string[] {
  return Array.from(text).flatMap((character, i) => {
    const [before, after] = [text.slice(0, i), text.slice(i + 1)];
    const others = ['0', 'a', 'A', character.toUpperCase(), ' ', '\n'].filter((each) => each !== character);
    return [
      ...others.map((other) => before + other + after),
      before + after,
      before + character + character + after,
    ];
  });
}

describe('a link', () => {
  it('returns the bytes of its digest with type and name, cacheable forever', async () => {
    const response = await follow(link);
    expect([response.status, sha256Hex(await bytesOf(response))]).toEqual([200, sha256]);
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'application/json',
      'content-disposition': 'attachment; filename="base-gold-7d-latest.json"',
      'cache-control': 'private, max-age=31536000, immutable',
      etag: `"sha256:${sha256}"`,
      'accept-ranges': 'bytes',
      'x-content-type-options': 'nosniff',
      'content-security-policy': "default-src 'none';frame-ancestors 'none'",
    });
  });

  it('answers HEAD like GET and ignores Range', async () => {
    const [get, head] = [await follow(link), await follow(link, { Range: 'bytes=0-9' }, 'HEAD')];
    expect([head.status, await head.text()]).toEqual([200, '']);
    for (const name of ['content-type', 'content-length', 'content-disposition', 'etag', 'accept-ranges']) {
      expect([name, head.headers.get(name)]).toEqual([name, get.headers.get(name)]);
    }
  });

  it('answers 304 to a matching ETag', async () => {
    for (const etag of [`"sha256:${sha256}"`, `W/"sha256:${sha256}"`, `"x", "sha256:${sha256}"`, '*']) {
      for (const method of ['GET', 'HEAD']) {
        const response = await follow(link, { 'If-None-Match': etag }, method);
        expect([response.status, await response.text(), response.headers.get('etag')]).toEqual([
          304,
          '',
          `"sha256:${sha256}"`,
        ]);
      }
    }
    expect((await follow(link, { 'If-None-Match': '"sha256:other"' })).status).toBe(200);
  });

  it('sends the requested range', async () => {
    const whole = await bytesOf(await follow(link));
    const parts = {
      '0-0': [0, 1],
      '5-14': [5, 15],
      '-7': [-7],
      '9-': [9],
      '-99999999': [0],
      '0-3,4-7': [0, 8],
    };
    for (const [range, [start, end]] of Object.entries(parts)) {
      const response = await follow(link, { Range: `bytes=${range}` });
      expect([range, response.status, sha256Hex(await bytesOf(response))]).toEqual([
        range,
        206,
        sha256Hex(whole.slice(start, end)),
      ]);
      expect(response.headers.get('content-range')).toMatch(new RegExp(`^bytes \\d+-\\d+/${whole.length}$`));
    }
    for (const range of ['bytes=0-1,8-9', 'chars=0-1', 'nonsense']) {
      expect([range, (await follow(link, { Range: range })).status]).toEqual([range, 200]);
    }
    const outside = await follow(link, { Range: `bytes=${whole.length}-` });
    expect(outside.headers.get('content-range')).toBe(`bytes */${whole.length}`);
    expect(await readProblemCode(outside)).toBe('range-not-satisfiable');
  });

  it('respects If-Range', async () => {
    const statusOf = async (ifRange: string): Promise<number> =>
      (await follow(link, { Range: 'bytes=0-9', 'If-Range': ifRange })).status;
    expect(await statusOf(`"sha256:${sha256}"`)).toBe(206);
    expect(await statusOf(`W/"sha256:${sha256}"`)).toBe(200);
    expect(await statusOf('"sha256:other"')).toBe(200);
  });

  it('needs no key', async () => {
    expect((await follow(link, { 'X-API-Key': 'nonsense', Authorization: 'Bearer x' })).status).toBe(200);
  });
});

describe('a link that was altered', () => {
  it.each(['digest', 'expires', 'type', 'name', 'signature'])(
    'in one character of its %s is invalid',
    async (part) => {
      const all = neighbours(partOf(part)); // the signer's own tests change every character
      for (const value of all.filter((_, i) => i % 16 === 0)) {
        const response = await follow(alter((parts) => ({ ...parts, [part]: value })));
        const code = await readProblemCode(response);
        const isPath = part === 'digest' && !/^\w*$/.test(value); // `guardPath` rejects such a path first
        expect([value, code]).toEqual([
          value,
          isPath ? expect.stringMatching(/^(not-found|request-malformed)$/) : 'link-invalid',
        ]);
      }
    },
  );

  it('is invalid with the digest of another object', async () => {
    const other = await linkTo(manifestPath('gold', 'base'));
    const response = await follow(alter((parts) => ({ ...parts, digest: other.sha256 })));
    expect((await readProblem(response)).code).toBe('link-invalid');
    const swapped = new URL(other.link);
    swapped.search = link.search;
    expect(await readProblemCode(await follow(swapped))).toBe('link-invalid');
  });

  it('is invalid with an additional, missing or repeated parameter', async () => {
    const names = [...link.searchParams.keys()];
    const queries = names.flatMap((name) => {
      const without = new URLSearchParams(link.search);
      without.delete(name);
      const value = link.searchParams.get(name) ?? '';
      const twice = `${link.search}&${name}=${encodeURIComponent(value)}`;
      return [without.toString(), twice, `${twice}x`, `${without.toString()}&${name}`];
    });
    const others = [
      '',
      '?',
      `${link.search}&x=1`,
      `${link.search}&x`,
      `${link.search}&Name=x`,
      `?x&${link.search.slice(1)}`,
    ];
    for (const query of [...queries, ...others]) {
      const altered = new URL(link);
      altered.search = query;
      expect([query, await readProblemCode(await follow(altered))]).toEqual([query, 'link-invalid']);
    }
  });

  it('stays valid when its parameters are reordered or escaped differently', async () => {
    const altered = new URL(link);
    altered.search = new URLSearchParams([...link.searchParams].reverse()).toString().replaceAll('%2F', '/');
    expect((await follow(altered)).status).toBe(200);
  });
});

/** Returns the value of a part of the link. */
function partOf(part: string): string {
  return part === 'digest' ? sha256 : (link.searchParams.get(part) ?? '');
}

describe('a link over time', () => {
  it('works until the second at which it expires', async () => {
    const expiresMs = Number(link.searchParams.get('expires')) * 1000;
    expect(expiresMs).toBe(NOW + 301_000); // rounded up, so that links of the same second are equal
    nowMs = expiresMs - 1;
    expect((await follow(link)).status).toBe(200);
    for (const at of [expiresMs, expiresMs + 1, expiresMs + 86_400_000]) {
      nowMs = at;
      const { code, detail } = await readProblem(await follow(link));
      expect([code, detail]).toEqual([
        'link-invalid',
        'This link expired at 2022-01-05T00:05:01Z. Request the file at its own address again to get a new link.',
      ]);
      expect(await readProblemCode(await follow(link, { 'If-None-Match': '*' }))).toBe('link-invalid');
    }
  });

  it('does not say when it expired, or that it did, if it was altered', async () => {
    nowMs = NOW + 86_400_000;
    for (const part of ['expires', 'signature', 'digest']) {
      const altered = alter((parts) => ({
        ...parts,
        [part]: (parts[part] ?? '').replace(/.$/, (last) => (last === '1' ? '2' : '1')),
      }));
      const { detail } = await readProblem(await follow(altered));
      expect(detail).toBe('The link has expired or was altered. Request the file again to get a new link.');
    }
  });

  it('works for as long as the operator says, at most 12 hours', async () => {
    const patient = await startGateway({
      store,
      now: () => nowMs,
      configuration: { urlTtlSeconds: 43_200 },
    });
    const headers = { 'X-API-Key': await patient.createKey({ plan: 'research' }) };
    const redirect = await patient.request(BUNDLE, { headers });
    expect(redirect.headers.get('x-url-expires-in')).toBe('43200');
    const long = redirect.headers.get('location') ?? '';
    nowMs += 43_200_000;
    expect((await follow(long)).status).toBe(200);
    nowMs += 1_000;
    expect(await readProblemCode(await follow(long))).toBe('link-invalid');
    await patient.stop();
  });

  it('works with both secrets of a rotation and with no other', async () => {
    const second = 'another secret of at least thirty-two bytes';
    const object = { sha256, mediaType: 'text/plain', disposition: 'attachment; filename="x.txt"' };
    const format = (secret: string): string => createObjectLinks([secret]).format(object, NOW / 1000 + 60);
    const both = await startGateway({
      store,
      now: () => nowMs,
      configuration: { linkSecrets: [second, LINK_SECRET] },
    });
    for (const secret of [second, LINK_SECRET]) expect((await both.request(format(secret))).status).toBe(200);
    expect((await gateway.request(format(LINK_SECRET))).headers.get('content-type')).toBe('text/plain');
    expect(await readProblemCode(await gateway.request(format(second)))).toBe('link-invalid');
    await both.stop();
  });
});

it('an address can follow five links for each request of a key, and forged links do not use that up', async () => {
  const limits = { keyPerMinute: 1, addressPerMinute: 2 };
  const limited = await startGateway({ store, now: () => nowMs, configuration: { limits } });
  const at = (url: URL): string => limited.url + url.pathname + url.search;
  const forged = alter((parts) => ({ ...parts, signature: '0'.repeat(64) }));
  const statuses: number[] = [];
  for (const each of [...Array<URL>(3).fill(forged), ...Array<URL>(6).fill(link)]) {
    const { status, headers } = await follow(at(each), { 'If-None-Match': '*' });
    statuses.push(status);
    expect([status, headers.has('ratelimit')]).toEqual([status, status >= 400]);
  }
  expect(statuses).toEqual([403, 403, 429, 304, 304, 304, 304, 304, 429]);
  const refused = await follow(at(link));
  expect(refused.headers.get('ratelimit-policy')).toBe('"links";q=5;w=60');
  expect(await readProblemCode(refused)).toBe('rate-limited');
  await limited.stop();
});

it('does not log any part of a link', async () => {
  await follow(link);
  await follow(alter((parts) => ({ ...parts, name: 'planted' })));
  const log = gateway.log();
  expect(log).toContain('"route":"/_objects/{digest}"');
  for (const part of ['signature', 'expires=', 'planted', sha256, link.searchParams.get('signature') ?? '']) {
    expect(log).not.toContain(part);
  }
});
