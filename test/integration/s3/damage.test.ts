import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { GetObjectCommand, PutObjectCommand } from '@aws-sdk/client-s3';
import { openStore } from '../../../infra/store/open-store.js';
import { POINTER_KEY } from '../../../schemas/paths.js';
import { createTestBucket, type TestBucket } from '../../support/s3/s3-bucket.js';
import { runOnS3, type TimedRun } from '../../support/s3/s3-run.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { differingKeys, snapshotStore } from '../../support/stores/store-snapshot.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const FIRST = '2025-02-01T06:00:00Z';
const SECOND = '2025-02-02T06:00:00Z';

let folder: TemporaryFolder;
let bucket: TestBucket;
let second: string;
/** Keys of the objects and the record that the second release adds. */
let added: readonly string[];
beforeAll(async () => {
  folder = await createTemporaryFolder();
  bucket = await createTestBucket();
  const first = await writeSmallInput(path.join(folder.path, 'first'), { days: { bitcoin: 9 } });
  second = await writeSmallInput(path.join(folder.path, 'second'), { days: { bitcoin: 10 } });
  expect(await publish(bucket.address('damaged'), first, FIRST)).toMatchObject({ code: 0, stderr: '' });
  for (const [input, asOf] of [
    [first, FIRST],
    [second, SECOND],
  ] as const) {
    const before = await snapshotStore(await openStore(undisturbed()));
    expect(await publish(undisturbed(), input, asOf)).toMatchObject({ code: 0, stderr: '' });
    const after = await snapshotStore(await openStore(undisturbed()));
    added = differingKeys(before, after).filter((key) => /^(objects|releases)\//.test(key));
  }
}, 300_000);
afterAll(async () => {
  bucket.dispose();
  await folder.dispose();
}, 300_000);

/** A directory store with the same releases as the store on S3, and no damage. */
const undisturbed = (): string => `file:${path.join(folder.path, 'undisturbed')}`;

function publish(store: string, input: string, asOf: string): Promise<TimedRun> {
  return runOnS3(['publish', '--input', input, '--store', store, '--as-of', asOf, '--quiet']);
}

async function readText(key: string): Promise<string> {
  const found = await bucket.client.send(new GetObjectCommand({ Bucket: bucket.name, Key: key }));
  return (await found.Body?.transformToString()) ?? '';
}

/** Writes wrong bytes to a key, with or without their own checksum. */
async function writeWrongBytes(key: string, body: string, withChecksum: boolean): Promise<void> {
  const checksum = createHash('sha256').update(body).digest('base64');
  await bucket.client.send(
    new PutObjectCommand({
      Bucket: bucket.name,
      Key: `damaged/${key}`,
      Body: body,
      ...(withChecksum ? { ChecksumSHA256: checksum } : {}),
    }),
  );
}

describe('before it moves the pointer, publish finds wrong bytes in place of', () => {
  it.each([
    ['an artifact, of equal length, without a checksum', 'objects/', 0, false],
    ['an artifact, of equal length, with their own checksum', 'objects/', 0, true],
    ['the release record, one byte longer, with their own checksum', 'releases/', 1, true],
  ])(
    '%s',
    async (_where, prefix, more, withChecksum) => {
      const key = added.find((each) => each.startsWith(prefix)) ?? '';
      const right = (await readFile(path.join(folder.path, 'undisturbed', key))).toString();
      const pointer = await readText(`damaged/${POINTER_KEY}`);
      await writeWrongBytes(key, `x${right.slice(1)}${'x'.repeat(more)}`, withChecksum);
      const run = await publish(bucket.address('damaged'), second, SECOND);
      expect(run).toMatchObject({ code: 8, stdout: '' });
      expect(run.stderr).toContain(`${key} has other bytes than its digest says`);
      expect(await readText(`damaged/${POINTER_KEY}`)).toBe(pointer);
      await bucket.remove(`damaged/${key}`);
    },
    300_000,
  );
});
