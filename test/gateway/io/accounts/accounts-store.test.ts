import { randomBytes } from 'node:crypto';
import type { Stats } from 'node:fs';
import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import pMap from 'p-map';
import { createAccounts } from '../../../../gateway/io/accounts/accounts.js';
import { openAccountsStore } from '../../../../gateway/io/accounts/accounts-store.js';
import type { ObjectStore } from '../../../../infra/store/object-store.js';
import { openStore } from '../../../../infra/store/open-store.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../../support/process/temporary-folder.js';

const META = { contentType: 'application/json', cacheControl: 'no-cache' };
let folder: TemporaryFolder;
let root: string;
let umask: number;

beforeEach(async () => {
  folder = await createTemporaryFolder();
  root = path.join(folder.path, 'root');
  umask = process.umask(0o022);
});
afterEach(async () => {
  process.umask(umask);
  await folder.dispose();
});

/** Returns the permissions of the root and of everything in it, such as `folder 755`. */
async function readPermissions(): Promise<Set<string>> {
  const names = await readdir(root, { recursive: true });
  const found = await Promise.all(['', ...names].map(async (name) => stat(path.join(root, name))));
  return new Set(
    found.map((each) => `${each.isFile() ? 'file' : 'folder'} ${(each.mode & 0o777).toString(8)}`),
  );
}

async function writeAccounts(store: ObjectStore): Promise<void> {
  const random = (size: number): Uint8Array => randomBytes(size);
  const accounts = createAccounts(store, { now: () => Date.now(), random, mode: 'test' });
  const { id } = await accounts.createKey('an-account', { label: null, needsGrant: false });
  await accounts.recordUsage(id, '2026-08-20');
  await accounts.revokeKey('an-account', id);
}

describe('an accounts store in a directory', () => {
  it.each(['022', '002', '000', '077'])(
    'can be read by nobody but its owner, under umask %s',
    async (mask) => {
      process.umask(Number.parseInt(mask, 8));
      await writeAccounts(await openAccountsStore(`file:${root}`));
      expect(await readPermissions()).toEqual(new Set(['folder 700', 'file 600']));
    },
  );

  it('has a lock that nobody else can read while it is held', async () => {
    const store = await openAccountsStore(`file:${root}`);
    const writing = pMap(
      Array.from({ length: 200 }, (_, i) => `accounts/${i}`),
      (key) => store.compareAndSwap(key, Buffer.from('{}'), null, META),
      { concurrency: 1 },
    );
    let lock: Stats | undefined;
    while (lock === undefined) lock = await stat(path.join(root, '.lock')).catch(() => undefined);
    await writing;
    expect((lock.mode & 0o777).toString(8)).toBe('600');
  });
});

it('other stores in a directory leave the permissions to the umask, because public files are read by others', async () => {
  const store = await openStore(`file:${root}`);
  await store.putIfAbsent('public/a.json', Buffer.from('{}'), META);
  await store.compareAndSwap('current.json', Buffer.from('{}'), null, META);
  expect(await readPermissions()).toEqual(new Set(['folder 755', 'file 644']));
});
