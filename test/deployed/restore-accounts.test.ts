import {
  CopyObjectCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectVersionsCommand,
  ListObjectsV2Command,
  S3Client,
} from '@aws-sdk/client-s3';
import { accountKey } from '../../schemas/account-key.js';
import { bundlePath } from '../../schemas/paths.js';
import { openStore } from '../../infra/store/open-store.js';
import { bucketNames } from '../support/aws/deploy-store.js';
import { startGateway } from '../support/gateway/gateway-server.js';
import { runGateway } from '../support/gateway/gateway-run.js';
import { s3Environment } from '../support/process/staged-run.js';
import { publishSeries } from '../support/release/publish-series.js';
import { randomSeries } from '../support/release/random-series.js';
import { createTestBucket, type TestBucket } from '../support/s3/s3-bucket.js';
import { createMemoryStore } from '../support/stores/memory-store.js';

const SLOW_MS = 300_000;
const BUNDLE = bundlePath('gold', 'base', '7d');

/** The deployment whose accounts are lost, and the one in whose bucket they are restored. */
let lost: TestBucket;
let restored: TestBucket;
let client: S3Client;
beforeAll(async () => {
  lost = await createTestBucket();
  restored = await createTestBucket();
  client = new S3Client({ endpoint: lost.endpoint, forcePathStyle: true });
}, SLOW_MS);
afterAll(() => {
  for (const each of [lost, restored]) each.dispose();
  client.destroy();
});

const accountsOf = ({ name }: TestBucket): string =>
  `s3://${bucketNames(name).accounts}?endpoint=${encodeURIComponent(lost.endpoint)}&path-style=true&region=${s3Environment()['AWS_REGION'] ?? ''}`;

/** Runs a command of the gateway, and returns its output. */
async function gateway(...args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await runGateway(args, {
    env: { ...s3Environment(), CRD_KEY_MODE: 'test' },
  });
  expect([code, stderr]).toEqual([0, expect.anything()]);
  return stdout;
}

/** Copies the newest version of each document into another bucket, as S3 replicates them, and as "aws s3 sync" does. */
async function copyBucket(from: string, to: string): Promise<void> {
  const { Contents = [] } = await client.send(new ListObjectsV2Command({ Bucket: from }));
  for (const { Key = '' } of Contents)
    await client.send(new CopyObjectCommand({ Bucket: to, Key, CopySource: `${from}/${Key}` }));
}

async function createKey(account: string): Promise<{ readonly key: string; readonly id: string }> {
  const store = ['--accounts-store', accountsOf(lost)];
  await gateway(
    'grant',
    '--account',
    account,
    '--plan',
    'research',
    '--until',
    '2999-01-01',
    '--reason',
    'a test',
    ...store,
  );
  return JSON.parse(await gateway('keys', 'create', '--account', account, '--json', ...store)) as {
    key: string;
    id: string;
  };
}

it(
  'nobody can delete a version of an account',
  async () => {
    const { accounts } = bucketNames(lost.name);
    await createKey('locked');
    const Key = accountKey('locked');
    const found = await client.send(new HeadObjectCommand({ Bucket: accounts, Key }));
    expect(found).toMatchObject({ ObjectLockMode: 'COMPLIANCE' });
    const { Versions = [] } = await client.send(
      new ListObjectVersionsCommand({ Bucket: accounts, Prefix: Key }),
    );
    expect(Versions.length).toBeGreaterThan(1); // the grant, and the key
    for (const { VersionId } of Versions) {
      const removal = client.send(
        new DeleteObjectCommand({ Bucket: accounts, Key, VersionId, BypassGovernanceRetention: true }),
      );
      await expect(removal).rejects.toMatchObject({ name: 'AccessDenied' });
    }
  },
  SLOW_MS,
);

it(
  'the drill: accounts are restored from the replica, valid keys work and revoked ones do not',
  async () => {
    const [kept, revoked] = [await createKey('kept'), await createKey('revoked')];
    const { accounts } = bucketNames(lost.name);
    const { VersionId: beforeRevocation } = await client.send(
      new HeadObjectCommand({ Bucket: accounts, Key: accountKey('revoked') }),
    );
    const revoke = ['keys', 'revoke', '--account', 'revoked', '--id', revoked.id];
    await gateway(...revoke, '--accounts-store', accountsOf(lost));
    const { replica } = bucketNames(lost.name);
    await copyBucket(accounts, replica); // LocalStack only configures the replication
    await copyBucket(replica, bucketNames(restored.name).accounts);

    const store = createMemoryStore();
    await publishSeries(store, {
      inputs: [randomSeries({ chain: 'base', seed: 3, days: 10 })],
      asOf: '2022-01-11',
    });
    const server = await startGateway({ store, accountsStore: await openStore(accountsOf(restored)) });
    try {
      const statusOf = async (key: string): Promise<number> =>
        (await server.request(BUNDLE, { headers: { 'X-API-Key': key } })).status;
      expect([await statusOf(kept.key), await statusOf(revoked.key)]).toEqual([307, 401]);
    } finally {
      await server.stop();
    }

    // This is why the newest version is restored, never an older one.
    const { Body } = await client.send(
      new GetObjectCommand({ Bucket: accounts, Key: accountKey('revoked'), VersionId: beforeRevocation }),
    );
    const { keys } = JSON.parse((await Body?.transformToString()) ?? '') as {
      keys: Record<string, { revoked_at?: string | null }>;
    };
    expect(keys[revoked.id]?.revoked_at ?? null).toBeNull();
  },
  SLOW_MS,
);
