import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { bundlePath, PUBLIC_PATHS } from '../../../schemas/paths.js';
import { createComposeScene, type ComposeScene } from '../../support/compose/compose-scene.js';
import { unpackDebianPackages } from '../../support/compose/debian-packages.js';
import { assertSuccess } from '../../support/process/run-program.js';
import { createTestBucket, type TestBucket } from '../../support/s3/s3-bucket.js';

const SLOW_MS = 300_000;
const SITE = 'https://localhost';
const CREDENTIALS = '/run/secrets/s3-credentials';

let bucket: TestBucket;
let scene: ComposeScene;

beforeAll(async () => {
  bucket = await createTestBucket();
  const at = (prefix: string): string => `${bucket.address(prefix)}&region=us-east-1`;
  scene = await createComposeScene(unpackDebianPackages(), {
    '.env': {
      CRD_STORE: at('store'),
      CRD_ACCOUNTS_STORE: at('accounts'),
      COLLECTED: at('collected'),
      BACKUP_STORE: `${at('copy')}&profile=copy`,
      AWS_SHARED_CREDENTIALS_FILE: CREDENTIALS,
    },
    'gateway.env': { CRD_LINK_SECRET_FILE: undefined, CRD_PUBLIC_FILES: 'serve' },
  });
  const keys = `aws_access_key_id = ${process.env['AWS_ACCESS_KEY_ID'] ?? ''}\naws_secret_access_key = ${process.env['AWS_SECRET_ACCESS_KEY'] ?? ''}\n`;
  for (const program of ['gateway', 'generator'])
    await writeFile(
      path.join(scene.data, 'secrets', program, path.basename(CREDENTIALS)),
      `[default]\n${keys}[copy]\n${keys}`,
    );
}, SLOW_MS);
afterAll(async () => {
  await scene.dispose();
  bucket.dispose();
}, SLOW_MS);

it(
  'publishes into S3, serves public files, and sends subscribers to S3 for the others',
  async () => {
    assertSuccess(await scene.runLine('first'));
    await scene.start('gateway');
    await scene.start('caddy');
    const doctor = await scene.runLine('gateway doctor');
    const faults = doctor.stdout.match(/^.*  fault  .*$/gm) ?? [];
    expect([doctor.code, faults]).toEqual([
      1,
      [expect.stringMatching(/^links .* anybody can read the bucket/)],
    ]); // as LocalStack lets everybody
    expect((await scene.request(SITE + PUBLIC_PATHS.status)).status).toBe(200);
    assertSuccess(await scene.runLine('gateway grant'));
    const key = assertSuccess(await scene.runLine('keys create')).stdout.trim();
    const file = SITE + bundlePath('gold', 'base', '7d');
    const { status, headers } = await scene.request(file, { headers: { 'X-API-Key': key } });
    const link = headers.location ?? '';
    expect([status, new URL(link).origin]).toEqual([307, bucket.endpoint]);
    const body = Buffer.from(await (await fetch(link)).arrayBuffer());
    expect(createHash('sha256').update(body).digest('hex')).toBe(headers['x-content-sha256']);
  },
  SLOW_MS,
);

it(
  'upkeep copies the store to another address',
  async () => {
    const upkeep = await scene.container('upkeep');
    assertSuccess(await upkeep.run('sh', '/etc/timer.sh', 'upkeep'));
    expect(await bucket.keys('copy/current.json')).toHaveLength(1);
  },
  SLOW_MS,
);
