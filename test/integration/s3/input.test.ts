import { readFile, readdir } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '../../../infra/store/open-store.js';
import { createTestBucket, type TestBucket } from '../../support/s3/s3-bucket.js';
import { runOnS3 } from '../../support/s3/s3-run.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { differingKeys, snapshotStore } from '../../support/stores/store-snapshot.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const AS_OF = '2025-06-01T06:00:00Z';
const SLOW_MS = 300_000;

let bucket: TestBucket;
let temporary: TemporaryFolder;
let directory: string;
beforeAll(async () => {
  bucket = await createTestBucket();
  temporary = await createTemporaryFolder();
  directory = await writeSmallInput(path.join(temporary.path, 'metrics'), {
    days: { base: 12, ethereum: 9 },
  });
  for (const name of await readdir(directory)) {
    await bucket.put(`metrics/${name}`, await readFile(path.join(directory, name)));
  }
}, SLOW_MS);
afterAll(async () => {
  bucket.dispose();
  await temporary.dispose();
}, SLOW_MS);

const publish = (input: string, store: string): ReturnType<typeof runOnS3> =>
  runOnS3(['publish', '--input', input, '--store', store, '--as-of', AS_OF, '--json']);

it(
  'an input below a prefix of a bucket makes the same store as the same input in a directory',
  async () => {
    const fromBucket = path.join(temporary.path, 'from-bucket');
    const fromDirectory = path.join(temporary.path, 'from-directory');
    expect(await publish(bucket.address('metrics'), `file:${fromBucket}`)).toMatchObject({ code: 0 });
    expect(await publish(directory, `file:${fromDirectory}`)).toMatchObject({ code: 0 });
    const [one, other] = [await openStore(`file:${fromBucket}`), await openStore(`file:${fromDirectory}`)];
    expect(differingKeys(await snapshotStore(one), await snapshotStore(other))).toEqual([]);
    const repair = [
      'repair',
      '--input',
      bucket.address('metrics'),
      '--store',
      `file:${fromBucket}`,
      '--json',
    ];
    expect(JSON.parse((await runOnS3(repair)).stdout)).toMatchObject({ outcome: 'sound' });
  },
  SLOW_MS,
);

it(
  'a missing input is a usage error with its address, and nothing is written',
  async () => {
    const store = bucket.address('never');
    const absent = [
      [bucket.address('nothing'), 'contains none of bitcoin.csv'],
      [bucket.address('metrics').replace(bucket.name, 'no-such-bucket-of-ours'), 'no-such-bucket-of-ours'],
      ['s3://Not_A_Bucket', 'is not an S3 address'],
    ];
    for (const [input = '', message = ''] of absent) {
      const { code, stderr } = await publish(input, store);
      expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
    }
    expect(await bucket.keys('never/')).toEqual([]);
  },
  SLOW_MS,
);
