import { createS3UrlSigner } from '../../../gateway/io/signing/s3-url-signer.js';
import { readS3Address } from '../../../infra/store/s3/s3-address.js';
import { resolveS3Signing } from '../../../infra/store/s3/s3-signing.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { objectKey } from '../../../schemas/paths.js';
import { META } from '../../contract/store-use.js';
import { createTestBucket, type TestBucket } from '../../support/s3/s3-bucket.js';

const TTL_SECONDS = 300;
const TYPE = 'text/csv; charset=utf-8';
const DISPOSITION = 'attachment; filename="base-gold-2026-08-20.json"';

const body = Buffer.from('{"chain":"base","date":"2026-08-20"}');
const other = Buffer.from('{"chain":"bitcoin","date":"2026-08-20"}');

let bucket: TestBucket;

beforeAll(async () => {
  bucket = await createTestBucket();
  const store = await bucket.store('year=2026/data');
  for (const bytes of [body, other]) await store.putIfAbsent(objectKey(sha256Hex(bytes)), bytes, META);
});
afterAll(() => bucket.dispose());

/** Returns a URL of the first object, signed by a clock that is behind. */
async function sign({ lateSeconds = 0 } = {}): Promise<string> {
  const signer = createS3UrlSigner({
    ...(await resolveS3Signing(readS3Address(bucket.address('year=2026/data')))),
    ttlSeconds: TTL_SECONDS,
    now: () => Date.now() - lateSeconds * 1000,
    onError: (error) => {
      throw error;
    },
  });
  const signed = await signer.sign({ sha256: sha256Hex(body), mediaType: TYPE, disposition: DISPOSITION });
  expect(signed.expiresInSeconds).toBe(TTL_SECONDS);
  return signed.url;
}

async function statusOf(url: string, init?: RequestInit): Promise<number> {
  const response = await fetch(url, init);
  await response.arrayBuffer();
  return response.status;
}

/** Returns the URL with the first match of `pattern` replaced. */
function alter(url: string, pattern: RegExp, replacement: string | ((match: string) => string)): string {
  const change = typeof replacement === 'string' ? () => replacement : replacement;
  const altered = url.replace(pattern, change);
  expect(altered).not.toBe(url);
  return altered;
}

const otherDigit = (digit: string): string => (digit === '0' ? '1' : '0');

describe('a signed URL', () => {
  it('serves the bytes of its object with the requested type and name', async () => {
    const response = await fetch(await sign());
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe(TYPE);
    expect(response.headers.get('content-disposition')).toBe(DISPOSITION);
    expect(sha256Hex(new Uint8Array(await response.arrayBuffer()))).toBe(sha256Hex(body));
  });

  it('serves a range', async () => {
    const response = await fetch(await sign(), { headers: { Range: 'bytes=2-6' } });
    expect(response.status).toBe(206);
    expect(response.headers.get('content-range')).toBe(`bytes 2-6/${body.length}`);
    expect(await response.text()).toBe('chain');
  });

  it('works for as long as it was signed for', async () => {
    expect(await statusOf(await sign({ lateSeconds: TTL_SECONDS - 60 }))).toBe(200);
  });

  it('is refused after it has expired', async () => {
    expect(await statusOf(await sign({ lateSeconds: TTL_SECONDS + 60 }))).toBe(403);
  });

  it.each<[string, RegExp, string | ((match: string) => string)]>([
    ['signature', /(?<=X-Amz-Signature=)[0-9a-f]/, otherDigit],
    ['expiry', /(?<=X-Amz-Expires=)\d+/, '3600'],
    ['date', /(?<=X-Amz-Date=\d{8}T\d{5})\d/, otherDigit],
    ['key', new RegExp(sha256Hex(body)), sha256Hex(other)],
    ['prefix', /data(?=\/objects)/, 'Data'],
    ['type', /(?<=response-content-type=)[^&]+/, 'text%2Fhtml'],
    ['name', /base-gold/, 'base-meta'],
  ])('is refused when its %s was changed', async (_what, pattern, replacement) => {
    expect(await statusOf(alter(await sign(), pattern, replacement))).toBe(403);
  });

  it('is refused without its signature', async () => {
    expect(await statusOf(alter(await sign(), /&X-Amz-Signature=[0-9a-f]+/, ''))).toBeGreaterThanOrEqual(400);
  });

  it.each(['PUT', 'DELETE'])('is refused for %s', async (method) => {
    expect(await statusOf(await sign(), { method })).toBe(403);
    expect(await bucket.keys('year=2026/data/objects/')).toHaveLength(2);
  });
});
