import { createS3UrlSigner } from '../../../gateway/io/signing/s3-url-signer.js';
import { readS3Address } from '../../../infra/store/s3/s3-address.js';
import { resolveS3Signing } from '../../../infra/store/s3/s3-signing.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { objectKey } from '../../../schemas/paths.js';
import { META } from '../../contract/store-use.js';
import { createTestBucket, type TestBucket } from '../../support/s3/s3-bucket.js';

const ROLE = 'arn:aws:iam::000000000000:role/crd-signer';
const body = Buffer.from('{"chain":"base","date":"2026-08-20"}');
const file = { sha256: sha256Hex(body), mediaType: 'application/json', disposition: 'inline' };

let bucket: TestBucket;
const before = process.env['AWS_ENDPOINT_URL_STS'];
beforeAll(async () => {
  bucket = await createTestBucket();
  await (await bucket.store('data')).putIfAbsent(objectKey(file.sha256), body, META);
  process.env['AWS_ENDPOINT_URL_STS'] = bucket.endpoint;
});
afterAll(() => {
  if (before === undefined) delete process.env['AWS_ENDPOINT_URL_STS'];
  else process.env['AWS_ENDPOINT_URL_STS'] = before;
  bucket.dispose();
});

it('a URL is signed with credentials of STS for the role, and serves the object', async () => {
  const { location, getCredentials } = await resolveS3Signing(readS3Address(bucket.address('data')), ROLE);
  const credentials = await getCredentials();
  expect(credentials.accessKeyId).not.toBe(process.env['AWS_ACCESS_KEY_ID']);
  expect(credentials.sessionToken).toMatch(/.{20}/);
  expect(Number(credentials.expiration) - Date.now()).toBeGreaterThan(3_000_000);
  const onError = (error: unknown): never => {
    throw error as Error;
  };
  const signer = createS3UrlSigner({
    location,
    getCredentials,
    ttlSeconds: 300,
    now: () => Date.now(),
    onError,
  });
  const { url } = await signer.sign(file);
  const query = new URL(url).searchParams;
  expect(query.get('X-Amz-Credential')).toMatch(/^(?!test\/)[A-Z0-9]{16,}\//);
  expect(query.get('X-Amz-Security-Token')).toMatch(/.{20}/);
  const response = await fetch(url);
  expect([response.status, Buffer.from(await response.arrayBuffer())]).toEqual([200, body]);
});
