import { CHECK_PREFIX, STORE_CHECK_KEY } from '../../../schemas/paths.js';
import { checkStore, type StoreReport } from '../../../infra/store/check-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { openStore } from '../../../infra/store/open-store.js';
import { ensureSafe, readVerdict } from '../../../infra/store/store-safety.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';
import { type Manner, SEEN, type SmallS3, startSmallS3 } from '../../support/s3/small-s3.js';

const NOW = { now: Date.now };
const before = { ...process.env };
let folder: TemporaryFolder;
let server: SmallS3 | undefined;

beforeAll(() => {
  const credentials = { AWS_ACCESS_KEY_ID: 'test', AWS_SECRET_ACCESS_KEY: 'test', AWS_REGION: 'us-east-1' };
  Object.assign(process.env, credentials);
});
afterAll(() => {
  process.env = before;
});
beforeEach(async () => {
  folder = await createTemporaryFolder();
});
afterEach(async () => {
  await server?.dispose();
  server = undefined;
  await folder.dispose();
});

async function open(manner: Manner = {}): Promise<ObjectStore> {
  server = await startSmallS3(manner);
  return openStore(server.address);
}

/** Returns the rows of a report that do not hold, by what they are about. */
function faultsOf({ rows }: StoreReport): Record<string, string> {
  const faults = rows.filter(({ result }) => result !== 'holds');
  return Object.fromEntries(faults.map(({ what, result, saw }) => [what, `${result}: ${saw}`]));
}

describe('the check of a store', () => {
  it('calls a server safe that keeps every promise, in about 200 requests, and leaves nothing there', async () => {
    const report = await checkStore(await open(), NOW);
    expect(faultsOf(report)).toEqual({});
    expect(report).toMatchObject({ verdict: 'safe', server: 'small-s3' });
    expect(server?.requests()).toBeLessThan(220); // a refused swap is followed by a HEAD
    expect([...(server?.objects.keys() ?? [])]).toEqual([]);
  });

  it('calls a directory safe', async () => {
    const report = await checkStore(await openStore(`file:${folder.path}/store`), NOW);
    expect([report.verdict, faultsOf(report), report.server]).toEqual(['safe', {}, null]);
  });

  it.each<[keyof typeof SEEN, StoreReport['verdict'], Record<string, unknown>]>([
    [
      'Garage 2.5.0 and s3rver 3.7.1',
      'one-writer',
      {
        'a second create': 'one-writer: overwrites the first: If-None-Match is ignored',
        'a swap with an old ETag': 'one-writer: overwrites: If-Match is ignored',
        'a swap of an absent key': 'one-writer: creates it: If-Match is ignored',
        '8 creates at once': 'one-writer: 8 of 8 were told that they won, in race 1',
        '8 swaps at once': 'one-writer: 8 of 8 were told that they won, in race 1',
      },
    ],
    [
      'S3Proxy 4.1.0 (nio2)',
      'one-writer',
      { '8 swaps at once': expect.stringMatching(/^one-writer: [2-8] of 8 were told that they won/) },
    ],
    [
      'S3Mock 5.2.0 and moto 5.2.5',
      'one-writer',
      {
        '8 creates at once': expect.stringMatching(/^one-writer: [2-8] of 8 were told/),
        '8 swaps at once': expect.stringMatching(/^one-writer: [2-8] of 8 were told/),
        'a GET without a signature': 'public: is answered: anybody can read the bucket',
        'a GET with a wrong signature': 'public: is answered: signatures are not checked',
        'a GET after the link has ended': 'public: is answered: links never end',
      },
    ],
    [
      'Ceph RGW 16.2.15',
      'unusable',
      {
        'a swap with the current ETag': 'unusable: is refused (412)',
        '8 swaps at once': 'one-writer: 0 of 8 were told that they won, in race 1',
      },
    ],
    ['s3rver 3.7.1', 'unusable', { 'a list': expect.stringMatching(/^unusable: is not in the order/) }],
    [
      'rclone 1.76.0 after a restart',
      'safe',
      {
        'the SHA-256 of an object':
          'note: is not in the answer to HEAD, so every object is read to compare it',
      },
    ],
  ])('says of a server like %s that it is %s', async (name, verdict, faults) => {
    const report = await checkStore(await open(SEEN[name]), NOW);
    expect([report.verdict, faultsOf(report)]).toEqual([verdict, faults]);
    expect([...(server?.objects.keys() ?? [])].filter((key) => key.includes(CHECK_PREFIX))).toEqual([]);
  });
});

describe('a server', () => {
  it('is checked once, and keeps the verdict', async () => {
    const store = await open();
    expect(await ensureSafe(store, NOW)).toBe(false);
    const requests = server?.requests() ?? 0;
    expect(await ensureSafe(store, NOW)).toBe(true);
    expect((server?.requests() ?? 0) - requests).toBe(1);
    expect((await readVerdict(store))?.value).toMatchObject({ server: 'small-s3', verdict: 'safe' });
  });

  it('that loses writes is refused, unless somebody promises that one process writes', async () => {
    const store = await open(SEEN['S3Proxy 4.1.0 (nio2)']);
    await expect(ensureSafe(store, NOW)).rejects.toThrow(
      /^s3:\/\/bucket\/data\S+: this server of small-s3 loses writes without an error when two processes write at once: 8 swaps at once [2-8] of 8 were told that they won, in race \d+\. Nothing was published\. Use another server: "generator store check --store s3:/,
    );
    const promise = { ...NOW, singleWriter: true };
    await expect(ensureSafe(store, { ...NOW, singleWriter: false })).rejects.toThrow(
      'Use another server, or promise with --single-writer that one process at a time writes: ',
    );
    expect(await readVerdict(store)).toBeUndefined();
    expect(await ensureSafe(store, promise)).toBe(false);
    await expect(ensureSafe(store, NOW)).resolves.toBe(false); // passes, and is not called safe
    expect((await readVerdict(store))?.value).toMatchObject({ verdict: 'one-writer', single_writer: true });
  });

  it('that refuses every swap is refused in any case', async () => {
    const store = await open(SEEN['Ceph RGW 16.2.15']);
    await expect(ensureSafe(store, { ...NOW, singleWriter: true })).rejects.toMatchObject({
      code: 'unsafe',
      message: expect.stringContaining('cannot be used as a store: a swap with the current ETag is refused'),
    });
  });

  it('whose verdict cannot be read is checked again', async () => {
    const store = await open();
    await store.putIfAbsent(STORE_CHECK_KEY, Buffer.from('{'), { contentType: '', cacheControl: '' });
    expect(await ensureSafe(store, NOW)).toBe(false);
    expect(await ensureSafe(store, NOW)).toBe(true);
  });

  it('of Amazon needs no check, also in China, and an endpoint of the environment does', async () => {
    const isAmazon = async (address: string): Promise<boolean | undefined> =>
      (await openStore(address)).server?.isAmazon();
    expect(await isAmazon('s3://bucket/data?region=eu-west-1')).toBe(true);
    expect(await isAmazon('s3://bucket/data?region=cn-north-1')).toBe(true);
    expect(await isAmazon('s3://bucket/data?endpoint=https://amazonaws.com.example.com')).toBe(false);
    process.env['AWS_ENDPOINT_URL_S3'] = 'http://127.0.0.1:1';
    expect(await isAmazon('s3://bucket/data?region=eu-west-1')).toBe(false);
    Reflect.deleteProperty(process.env, 'AWS_ENDPOINT_URL_S3');
  });
});

it('a swap that is refused although its ETag is the current one is named, and no conflict', async () => {
  const store = await open({ swap: 'quoted' });
  const meta = { contentType: 'text/plain', cacheControl: 'no-store' };
  await store.putIfAbsent('current.json', Buffer.from('one'), meta);
  const etag = (await store.head('current.json'))?.etag ?? null;
  await expect(store.compareAndSwap('current.json', Buffer.from('two'), etag, meta)).rejects.toMatchObject({
    code: 'unsafe',
    message: expect.stringContaining(
      's3://bucket/data/current.json: the server refuses a write whose condition holds: 412 to If-Match with the current ETag.',
    ),
  });
  await expect(store.compareAndSwap('current.json', Buffer.from('two'), '"other"', meta)).resolves.toBe(
    'conflict',
  );
});
