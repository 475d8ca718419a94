import { describeObjectStore } from '../../contract/object-store.js';
import { createTestBucket, type TestBucket } from '../../support/s3/s3-bucket.js';

let bucket: TestBucket;
let stores = 0;
beforeAll(async () => {
  bucket = await createTestBucket();
}, 300_000);
afterAll(() => bucket.dispose());

describeObjectStore('an S3 store below a prefix', async () => ({
  store: await bucket.store(`contract/${(stores += 1)}`),
  dispose: () => Promise.resolve(),
}));
