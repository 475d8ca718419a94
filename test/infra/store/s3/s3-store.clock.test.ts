import { openStore } from '../../../../infra/store/open-store.js';
import { s3Error, startFakeS3, type FakeS3 } from '../../../support/s3/fake-s3.js';

const DATE = 'Wed, 19 Aug 2026 06:00:00 GMT';

/** A SHA-256 that S3 verified. */
const CHECKSUM = { 'x-amz-checksum-sha256': Buffer.alloc(32, 1).toString('base64') };

describe('the clock of an S3 store', () => {
  const before = { ...process.env };
  let server: FakeS3;
  beforeAll(async () => {
    Object.assign(process.env, {
      AWS_ACCESS_KEY_ID: 'test',
      AWS_SECRET_ACCESS_KEY: 'test',
      AWS_REGION: 'us-east-1',
    });
    server = await startFakeS3(() => ({ ...s3Error(404, 'NoSuchKey', 'none'), headers: { date: DATE } }));
  });
  afterAll(async () => {
    process.env = before;
    await server.dispose();
  });

  it('is known from the Date of any answer, even if the answer is that an object is missing', async () => {
    const store = await openStore(`s3://bucket/prefix?endpoint=${server.endpoint}&path-style=true`);
    expect(store.now?.()).toBeUndefined();
    expect(await store.get('missing')).toBeUndefined();
    const aheadMs = (store.now?.() ?? NaN) - Date.parse(DATE);
    expect(aheadMs).toBeGreaterThanOrEqual(0);
    expect(aheadMs).toBeLessThan(60_000);
  });

  it('dates what is known about an object, so that ages do not depend on the clock of this machine', async () => {
    const found = await startFakeS3(() => ({
      status: 200,
      headers: { date: DATE, etag: '"1"', 'last-modified': 'Wed, 19 Aug 2026 05:00:00 GMT', ...CHECKSUM },
    }));
    const store = await openStore(`s3://bucket/prefix?endpoint=${found.endpoint}&path-style=true`);
    const { answeredAtMs = NaN, modifiedAtMs = NaN } = (await store.head('key')) ?? {};
    await found.dispose();
    expect([answeredAtMs, answeredAtMs - modifiedAtMs]).toEqual([Date.parse(DATE), 3_600_000]);
  });
});
