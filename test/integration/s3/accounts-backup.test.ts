import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { openStore } from '../../../infra/store/open-store.js';
import { readTexts } from '../../support/gateway/accounts-scene.js';
import { runGateway } from '../../support/gateway/gateway-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { createTestBucket, type TestBucket } from '../../support/s3/s3-bucket.js';

let folder: TemporaryFolder;
let bucket: TestBucket;
beforeAll(async () => {
  folder = await createTemporaryFolder();
  bucket = await createTestBucket();
  await writeFile(path.join(folder.path, 'backup.key'), randomBytes(32).toString('base64'));
}, 300_000);
afterAll(async () => {
  bucket.dispose();
  await folder.dispose();
});

/** Runs a command on a store, and returns the document that it prints. */
async function run(store: string, ...args: readonly string[]): Promise<Record<string, unknown>> {
  const { code, stdout, stderr } = await runGateway([...args, '--json', '--accounts-store', store]);
  expect([args, code, code === 0 ? '' : stderr]).toEqual([args, 0, '']);
  return JSON.parse(stdout) as Record<string, unknown>;
}

const backUp = (store: string, name: string): Promise<Record<string, unknown>> =>
  run(
    store,
    'accounts',
    'export',
    '--key-file',
    path.join(folder.path, 'backup.key'),
    '--to',
    path.join(folder.path, name),
  );
const restore = (store: string, name: string): Promise<Record<string, unknown>> =>
  run(
    store,
    'accounts',
    'import',
    '--key-file',
    path.join(folder.path, 'backup.key'),
    '--from',
    path.join(folder.path, name),
  );

it('moves accounts from a bucket into an empty bucket or a directory, and undoes no revocation', async () => {
  const source = bucket.address('source');
  for (let n = 0; n < 40; n += 1) {
    const account = `account-${n}`;
    await run(
      source,
      'grant',
      '--account',
      account,
      '--plan',
      'research',
      '--until',
      '2026-12-31',
      '--reason',
      'trial',
    );
    await run(source, 'keys', 'create', '--account', account);
  }
  const { id } = await run(source, 'keys', 'create', '--account', 'account-0');
  expect(await backUp(source, 'a.jwe')).toMatchObject({ accounts: 40, keys: 41 });
  const exported = await readTexts(await bucket.store('source'));

  for (const target of [bucket.address('target'), `file:${path.join(folder.path, 'accounts')}`]) {
    expect(await restore(target, 'a.jwe')).toMatchObject({
      accounts: { created: 40 },
      keys: { created: 41 },
    });
    expect(await readTexts(await openStore(target))).toEqual(exported);
    expect(await restore(target, 'a.jwe')).toMatchObject({ accounts: { kept: 40 }, keys: { kept: 41 } });
  }

  await run(source, 'keys', 'revoke', '--account', 'account-0', '--id', String(id));
  const revoked = await readTexts(await bucket.store('source'));
  expect(await restore(source, 'a.jwe')).toMatchObject({ accounts: { kept: 40 }, keys: { created: 0 } });
  expect(await readTexts(await bucket.store('source'))).toEqual(revoked);
}, 120_000);
