import { openStore } from '../../../../infra/store/open-store.js';
import { s3Error, startFakeS3, type FakeS3 } from '../../../support/s3/fake-s3.js';

const DATE = 'Wed, 19 Aug 2026 06:00:00 GMT';

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
});
