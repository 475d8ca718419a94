import { GetObjectCommand, S3Client } from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import fc from 'fast-check';
import { objectKey } from '../../../../schemas/paths.js';
import { createPresigner, type SignedRead, type SigningKey } from '../../../../gateway/core/signing/sigv4.js';
import type { S3Address } from '../../../../schemas/store-address.js';
import { resolveS3Signing } from '../../../../infra/store/s3/s3-signing.js';
import { anyText } from '../../../support/random/any-text.js';

/** Splits a URL without normalizing it; the order of its parameters does not matter. */
function takeApart(url: string): { readonly where: string; readonly parameters: readonly string[] } {
  const at = url.indexOf('?');
  return {
    where: url.slice(0, at),
    parameters: url
      .slice(at + 1)
      .split('&')
      .sort(),
  };
}

type Case = {
  readonly at: S3Address & { readonly region: string };
  readonly credentials: SigningKey;
  readonly get: SignedRead;
  readonly nowMs: number;
};

/** Signs with the AWS SDK. */
async function signBySdk({ at, credentials, get, nowMs }: Case): Promise<string> {
  const client = new S3Client({
    region: at.region,
    credentials,
    forcePathStyle: at.pathStyle,
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...(at.endpoint === undefined ? {} : { endpoint: at.endpoint }),
  });
  const command = new GetObjectCommand({
    Bucket: at.bucket,
    Key: at.prefix + get.key,
    ResponseContentType: get.responseType,
    ResponseContentDisposition: get.responseDisposition,
  });
  const { expiresInSeconds: expiresIn } = get;
  return getSignedUrl(client, command, { expiresIn, signingDate: new Date(nowMs) });
}

async function signHere({ at, credentials, get, nowMs }: Case): Promise<string> {
  const { location } = await resolveS3Signing(at);
  return createPresigner(location, credentials).presign(get, nowMs);
}

const segment = fc.stringMatching(/^[A-Za-z0-9_-][A-Za-z0-9._-]{0,19}$/);
const plainKey = fc.array(segment, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'));
const strangeKey = fc.oneof(
  anyText({ minLength: 1, maxLength: 30 }),
  fc.string({
    unit: fc.constantFrom(...Array.from(' !\'()*+,/:;=?@[]&$%#~\\"<>é\u2028€𝄞ab.')),
    minLength: 1,
    maxLength: 20,
  }),
);
const key = fc.oneof(plainKey, fc.stringMatching(/^[0-9a-f]{64}$/).map(objectKey), strangeKey);
const prefix = fc
  .array(fc.stringMatching(/^[A-Za-z0-9_=-][A-Za-z0-9._=-]{0,9}$/), { maxLength: 3 })
  .map((parts) => parts.map((part) => `${part}/`).join(''));

const BORDERS = [
  '2024-02-28T23:59:59.999Z',
  '2024-02-29T00:00:00.000Z',
  '2024-02-29T23:59:59.000Z',
  '2024-03-01T00:00:00.000Z',
  '2025-12-31T23:59:59.999Z',
  '2026-01-01T00:00:00.000Z',
  '2026-08-31T23:59:59.500Z',
  '2026-09-09T09:09:09.009Z',
];
const clock = fc.oneof(
  fc.constantFrom(...BORDERS).map((text) => Date.parse(text)),
  fc.integer({ min: Date.parse('2020-01-01'), max: Date.parse('2099-12-31') }),
);

const base64 = (size: number) => fc.base64String({ minLength: size, maxLength: size });
const credentials = fc.record(
  {
    accessKeyId: fc.stringMatching(/^A(KIA|SIA)[A-Z0-9]{16}$/),
    secretAccessKey: base64(40),
    sessionToken: fc.oneof(base64(340), fc.constant('a+b/c=d==')),
  },
  { requiredKeys: ['accessKeyId', 'secretAccessKey'] },
);

const bucket = fc.constantFrom('releases', 'my-bucket-1', 'dotted.bucket.name', 'abc');
const region = fc.constantFrom('us-east-1', 'eu-central-1', 'ap-southeast-3', 'cn-north-1', 'us-gov-west-1');
const endpoint = fc.constantFrom(
  'http://127.0.0.1:4566',
  'https://s3.example.com',
  'https://s3.example.com:9443',
  'http://localhost:80',
  'https://objects.example.com/base/path',
);
const at = fc
  .record(
    { bucket, prefix, region, pathStyle: fc.boolean(), endpoint },
    { requiredKeys: ['bucket', 'prefix', 'region', 'pathStyle'] },
  )
  .filter((each) => each.pathStyle || !/dotted.*127/.test(`${each.bucket} ${each.endpoint ?? ''}`)); // otherwise the URL is invalid

const header = fc.oneof(
  fc.constantFrom(
    'application/json',
    'text/csv; charset=utf-8',
    'attachment; filename="base-gold-7d-latest.json"',
    `attachment; filename="it's (one) *file*.json"; filename*=UTF-8''na%C3%AFve.json`,
  ),
  anyText({ minLength: 1, maxLength: 30 }),
);
const get = fc.record({
  key,
  expiresInSeconds: fc.integer({ min: 60, max: 3600 }),
  responseType: header,
  responseDisposition: header,
});

describe('a presigned GET', () => {
  it('equals the URL of the AWS SDK for any key, bucket, credentials, clock and response headers', async () => {
    await fc.assert(
      fc.asyncProperty(fc.record({ at, credentials, get, nowMs: clock }), async (each) => {
        const [byUs, bySdk] = await Promise.all([signHere(each), signBySdk(each)]);
        expect(takeApart(byUs)).toEqual(takeApart(bySdk));
      }),
      { numRuns: 50 },
    );
  });

  it('equals the URL of the AWS SDK when one presigner signs on different days', async () => {
    const place = { bucket: 'releases', prefix: 'data/', region: 'eu-west-1', pathStyle: false };
    const fixedCredentials = { accessKeyId: 'AKIAIOSFODNN7EXAMPLE', secretAccessKey: 'secret' };
    const presigner = createPresigner((await resolveS3Signing(place)).location, fixedCredentials);
    const options = { key: 'k', expiresInSeconds: 300, responseType: 'a/b', responseDisposition: 'inline' };
    for (const text of [...BORDERS, ...BORDERS.toReversed()]) {
      const nowMs = Date.parse(text);
      const bySdk = await signBySdk({ at: place, credentials: fixedCredentials, get: options, nowMs });
      expect(takeApart(presigner.presign(options, nowMs))).toEqual(takeApart(bySdk));
    }
  });

  it('is this URL for the credentials of the AWS documentation', () => {
    const place = {
      origin: 'https://examplebucket.s3.us-east-1.amazonaws.com',
      path: '/',
      region: 'us-east-1',
    };
    const presigner = createPresigner(place, {
      accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
      secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    });
    const url = presigner.presign(
      {
        key: 'test.txt',
        expiresInSeconds: 3600,
        responseType: 'application/json',
        responseDisposition: 'attachment; filename="test.json"',
      },
      Date.parse('2013-05-24T00:00:00Z'),
    );
    expect(takeApart(url)).toEqual({
      where: 'https://examplebucket.s3.us-east-1.amazonaws.com/test.txt',
      parameters: [
        'X-Amz-Algorithm=AWS4-HMAC-SHA256',
        'X-Amz-Content-Sha256=UNSIGNED-PAYLOAD',
        'X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2Faws4_request',
        'X-Amz-Date=20130524T000000Z',
        'X-Amz-Expires=3600',
        'X-Amz-Signature=831a8b78d69e01b19d5384c8de406a5779c98305bc09080212829b443986ea1a',
        'X-Amz-SignedHeaders=host',
        'response-content-disposition=attachment%3B%20filename%3D%22test.json%22',
        'response-content-type=application%2Fjson',
        'x-id=GetObject',
      ],
    });
  });

  it('signs only the host, and adds no checksum, and no token without a session', () => {
    const place = { origin: 'https://b.s3.eu-west-1.amazonaws.com', path: '/', region: 'eu-west-1' };
    const presigner = createPresigner(place, { accessKeyId: 'A', secretAccessKey: 'b' });
    const url = presigner.presign(
      { key: 'a/b', expiresInSeconds: 60, responseType: 'a/b', responseDisposition: 'inline' },
      0,
    );
    const { searchParams } = new URL(url);
    expect(searchParams.get('X-Amz-SignedHeaders')).toBe('host');
    expect(searchParams.get('X-Amz-Date')).toBe('19700101T000000Z');
    expect([...searchParams.keys()].filter((name) => /checksum|token/i.test(name))).toEqual([]);
  });
});
