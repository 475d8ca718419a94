import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { sha256Hex } from '../../schemas/digest.js';
import { dayPath, manifestPath } from '../../schemas/paths.js';
import { startGatewayProcess, type GatewayProcess } from '../fixtures/gateway-process.js';
import { isTold, startObjectHost, type ObjectHost } from '../fixtures/object-host.js';
import { installClients, type Clients, type ClientTerms } from '../fixtures/python-clients.js';
import { runProgram } from '../fixtures/run-program.js';
import { createTestBucket, type TestBucket } from '../fixtures/s3-bucket.js';
import {
  BUNDLE,
  CALENDAR,
  digestOf,
  LAST_DATE,
  prepareServedRelease,
  publishedRows,
  type ServedRelease,
} from '../fixtures/served-release.js';
import { s3Environment } from '../fixtures/staged-run.js';
import { createTemporaryFolder, type TemporaryFolder } from '../fixtures/temporary-folder.js';

const INSTALL_MS = 300_000;
const SLOW_MS = 60_000;
const FOLDER = path.join(import.meta.dirname, '../clients');

/** What we give to customers: these take a path and a file to write, */
const DOWNLOADS = ['download.sh', 'download.py', 'download.mjs'];
/** and these a chain. */
const READERS = ['with_pandas.py', 'with_polars.py', 'with_duckdb.py'];
/** What others do with a bundle. */
const FOLLOWERS = ['requests-redirect', 'pandas-redirect'];
const LINK_READERS = ['pandas-link', 'polars-link'];

const FILES = [BUNDLE, dayPath('meta', 'base', LAST_DATE), manifestPath('gold', 'base')];

let clients: Clients;
let folder: TemporaryFolder;
let bucket: TestBucket;
let inDirectory: ServedRelease;
let inS3: ServedRelease;
beforeAll(async () => {
  clients = installClients();
  folder = await createTemporaryFolder();
  bucket = await createTestBucket();
  const below = (name: string): string => path.join(folder.path, name);
  inDirectory = await prepareServedRelease({
    store: `file:${below('store')}`,
    accounts: `file:${below('accounts')}`,
    folder: below('input'),
  });
  inS3 = await prepareServedRelease({
    store: bucket.address('releases'),
    accounts: bucket.address('accounts'),
    folder: below('input'),
    env: s3Environment(),
  });
}, INSTALL_MS);
afterAll(() => Promise.all([folder.dispose(), bucket.dispose()]), SLOW_MS);

const curl = async (...args: readonly string[]): Promise<string> => {
  const run = await runProgram('curl', ['-sS', '--fail', ...args], { PATH: process.env['PATH'] ?? '' });
  if (run.code !== 0) throw new Error(`curl ended with ${run.code}: ${run.stderr}`);
  return run.stdout;
};

describe.each([
  ['a directory', () => inDirectory, false],
  ['S3', () => inS3, true],
])('from %s', (_place, released, isS3) => {
  let release: ServedRelease;
  let publicHost: ObjectHost;
  let gateway: GatewayProcess;
  let terms: ClientTerms;
  beforeAll(async () => {
    release = released();
    publicHost = await startObjectHost(release.store);
    const base = isS3 ? { CRD_PUBLIC_BASE_URL: publicHost.endpoint } : {};
    gateway = await startGatewayProcess({ ...release.env, ...base });
    terms = { gateway: gateway.url, key: release.key };
  }, SLOW_MS);
  afterAll(() => Promise.all([gateway.stop(), publicHost.dispose()]));

  it.each(DOWNLOADS)(
    '%s gets the very bytes of a bundle, a day and a manifest',
    async (script) => {
      for (const file of FILES) {
        const out = path.join(folder.path, 'out');
        await clients.run(script, [file, out], terms);
        expect([file, sha256Hex(await readFile(out))]).toEqual([file, await digestOf(release, file)]);
      }
    },
    SLOW_MS,
  );

  it.each(READERS)(
    '%s reads the published rows, of a subscriber file and of the public calendar',
    async (script) => {
      const rows: unknown = JSON.parse(await clients.run(script, ['base'], terms));
      const { joined } = await publishedRows(release);
      expect([joined.length, joined.at(-1)?.date]).toEqual([7, LAST_DATE]);
      expect(new Set(joined.map(({ regime }) => regime)).size).toBe(2);
      expect(rows).toEqual(joined);
      expect(publicHost.takeVisits().filter((visit) => isTold(visit, release.key))).toEqual([]);
    },
    SLOW_MS,
  );

  it.each([...FOLLOWERS, ...LINK_READERS])(
    'the published rows are what a library reads by itself: %s',
    async (how) => {
      const rows: unknown = JSON.parse(await clients.run('others/read_days.py', [how, BUNDLE], terms));
      expect(rows).toEqual((await publishedRows(release)).days);
    },
    SLOW_MS,
  );

  it(
    'Polars may scan the public calendar, by HEAD and in parts',
    async () => {
      publicHost.takeVisits();
      const rows: unknown = JSON.parse(await clients.run('others/scan_calendar.py', [CALENDAR], terms));
      expect(rows).toEqual((await publishedRows(release)).calendar);
      expect(publicHost.takeVisits().some(({ method }) => method === 'HEAD')).toBe(isS3);
    },
    SLOW_MS,
  );

  it('curl -L and fetch follow the redirect to the very bytes', async () => {
    for (const file of FILES) {
      const url = `${gateway.url}${file}`;
      const digest = await digestOf(release, file);
      expect(sha256Hex(await curl('-L', '-H', `X-API-Key: ${release.key}`, url))).toBe(digest);
      const response = await fetch(url, { headers: { 'X-API-Key': release.key } });
      expect(sha256Hex(new Uint8Array(await response.arrayBuffer()))).toBe(digest);
    }
  });

  it('curl and fetch get the public calendar without a key', async () => {
    const digest = await digestOf(release, CALENDAR);
    expect(sha256Hex(await curl('-L', `${gateway.url}${CALENDAR}`))).toBe(digest);
    expect(sha256Hex(await (await fetch(`${gateway.url}${CALENDAR}`)).text())).toBe(digest);
  });
});

describe('what we give away', () => {
  let host: ObjectHost;
  let gateway: GatewayProcess;
  let terms: ClientTerms;
  const told = (): boolean[] => host.takeVisits().map((visit) => isTold(visit, terms.key));
  const watched = [
    ...DOWNLOADS.map((script) => [script, () => [BUNDLE, path.join(folder.path, script)]] as const),
    ...READERS.map((script) => [script, () => ['base']] as const),
  ];
  beforeAll(async () => {
    host = await startObjectHost(inDirectory.store);
    gateway = await startGatewayProcess({ ...inDirectory.env, CRD_PUBLIC_BASE_URL: host.endpoint });
    terms = { gateway: gateway.url, key: inDirectory.key };
  }, SLOW_MS);
  afterEach(() => {
    host.takeVisits();
    host.damage((bytes) => bytes);
  });
  afterAll(() => Promise.all([gateway.stop(), host.dispose()]));

  it('is all run by this suite', async () => {
    const scripts = (await readdir(FOLDER)).filter((name) => /\.(py|sh|mjs)$/.test(name));
    expect(scripts.sort()).toEqual(watched.map(([script]) => script).sort());
  });

  it.each(watched)(
    '%s tells no key to where the link leads',
    async (script, args) => {
      await clients.run(script, args(), terms);
      expect(told()).toEqual([false]);
    },
    SLOW_MS,
  );

  it.each(watched)(
    '%s fails by name of the problem, and asks for nothing else, with a bad key',
    async (script, args) => {
      const run = clients.run(script, args(), { ...terms, key: `${terms.key}x` });
      await expect(run).rejects.toThrow('api-key-invalid');
      expect(told()).toEqual([]);
    },
    SLOW_MS,
  );

  it.each(DOWNLOADS)(
    '%s keeps nothing of a file that was altered or cut short',
    async (script) => {
      for (const change of [flipFirst, (bytes: Uint8Array) => bytes.subarray(1)]) {
        host.damage(change);
        const out = path.join(folder.path, 'damaged');
        await expect(clients.run(script, [BUNDLE, out], terms)).rejects.toThrow(/damaged|did NOT match/);
        expect(existsSync(out)).toBe(false);
      }
    },
    SLOW_MS,
  );

  it('is not curl -L or a fetch that follows: from these the key does arrive', async () => {
    await curl('-L', '-H', `X-API-Key: ${terms.key}`, `${terms.gateway}${BUNDLE}`);
    await (await fetch(`${terms.gateway}${BUNDLE}`, { headers: { 'X-API-Key': terms.key } })).text();
    expect(told()).toEqual([true, true]);
  });

  it.each(LINK_READERS)(
    'may be read from the link by itself, which tells no key: %s',
    async (how) => {
      await clients.run('others/read_days.py', [how, BUNDLE], terms);
      expect(new Set(told())).toEqual(new Set([false]));
    },
    SLOW_MS,
  );

  it.each(FOLLOWERS)(
    'is not a library that follows: the key does arrive by %s',
    async (how) => {
      await clients.run('others/read_days.py', [how, BUNDLE], terms);
      expect(told()).toEqual([true]);
    },
    SLOW_MS,
  );
});

function flipFirst(bytes: Uint8Array): Uint8Array {
  return bytes.map((byte, i) => (i === 0 ? byte ^ 1 : byte));
}
