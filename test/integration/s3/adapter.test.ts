import { GetObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3';
import { sha256Hex } from '../../../schemas/digest.js';
import { openStore } from '../../../infra/store/open-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { META } from '../../contract/store-use.js';
import { startFlakyS3, type Choose, type FlakyS3 } from '../../support/s3/flaky-s3.js';
import { createTestBucket, type TestBucket } from '../../support/s3/s3-bucket.js';
import { runOnS3 } from '../../support/s3/s3-run.js';

const text = Buffer.from('some text');
const base64 = (hex: string): string => Buffer.from(hex, 'hex').toString('base64');

let bucket: TestBucket;
const running: FlakyS3[] = [];
beforeAll(async () => {
  bucket = await createTestBucket();
}, 300_000);
afterAll(async () => {
  await Promise.all(running.map((proxy) => proxy.dispose()));
  bucket.dispose();
}, 300_000);

async function openBehind(choose: Choose, prefix: string, signal?: AbortSignal): Promise<ObjectStore> {
  const proxy = await startFlakyS3(bucket.endpoint, choose);
  running.push(proxy);
  return openStore(bucket.address(prefix, proxy.endpoint), signal && { signal });
}

describe('an object in S3', () => {
  const read = (key: string) =>
    bucket.client.send(new HeadObjectCommand({ Bucket: bucket.name, Key: key, ChecksumMode: 'ENABLED' }));

  it('has its SHA-256, content type, cache control and content disposition', async () => {
    const store = await bucket.store('meta');
    await store.putIfAbsent('put', text, {
      contentType: 'text/csv; charset=utf-8',
      cacheControl: 'public, max-age=31536000, immutable',
      contentDisposition: 'attachment; filename="calendar.csv"',
    });
    expect(await read('meta/put')).toMatchObject({
      ChecksumSHA256: base64(sha256Hex(text)),
      ContentType: 'text/csv; charset=utf-8',
      CacheControl: 'public, max-age=31536000, immutable',
      ContentDisposition: 'attachment; filename="calendar.csv"',
      ContentLength: text.length,
    });
  });

  it('gets new headers when it is swapped, and no content disposition if none is set', async () => {
    const store = await bucket.store('meta');
    const other = Buffer.from('another text');
    await store.putIfAbsent('swap', text, { ...META, contentDisposition: 'attachment; filename="a"' });
    const { etag } = (await store.get('swap')) ?? {};
    await store.compareAndSwap('swap', other, etag ?? null, {
      contentType: 'text/plain',
      cacheControl: 'no-store',
    });
    const head = await read('meta/swap');
    expect(head).toMatchObject({
      ChecksumSHA256: base64(sha256Hex(other)),
      ContentType: 'text/plain',
      CacheControl: 'no-store',
    });
    expect(head.ContentDisposition).toBeUndefined();
  });

  it('has the digest of its bytes if it was written without a SHA-256', async () => {
    await bucket.put('foreign/object', text);
    const store = await bucket.store('foreign');
    expect(await store.head('object')).toMatchObject({ sizeBytes: text.length, sha256: sha256Hex(text) });
  });

  it('is not listed if it is the placeholder of a folder that the AWS console created', async () => {
    await bucket.put('folders/', Buffer.alloc(0));
    await bucket.put('folders/below/', Buffer.alloc(0));
    await bucket.put('folders/below/object', text);
    const keys = [];
    for await (const { key } of (await bucket.store('folders')).list('')) keys.push(key);
    expect(keys).toEqual(['below/object']);
  });

  it('is visible only to the store of its prefix, even if another prefix starts the same', async () => {
    const [a, ab] = await Promise.all(['a', 'ab'].map((prefix) => bucket.store(prefix)));
    await ab?.putIfAbsent('c', text, META);
    await a?.putIfAbsent('b', text, META);
    const keysOf = async (store: ObjectStore | undefined): Promise<string[]> => {
      const keys = [];
      for await (const { key } of store?.list('') ?? []) keys.push(key);
      return keys;
    };
    expect([await keysOf(a), await keysOf(ab)]).toEqual([['b'], ['c']]);
    expect([await a?.get('c'), await ab?.get('b')]).toEqual([undefined, undefined]);
  });

  it('is not stored if its bytes were damaged in transit', async () => {
    const store = await openBehind(() => 'corrupt body', 'corrupt');
    await expect(store.putIfAbsent('object', text, META)).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringMatching(/the bytes were damaged in transit \(.+\)\. Run again\.$/),
    });
    expect(await bucket.keys('corrupt/')).toEqual([]);
  });
});

describe('aborting the signal of a store', () => {
  const LIMIT_MS = 1_000;

  async function expectAborted(
    choose: Choose,
    work: (store: ObjectStore) => Promise<unknown>,
  ): Promise<void> {
    const abort = new AbortController();
    const store = await openBehind(choose, 'abort', abort.signal);
    const ended = work(store).catch((error: unknown) => error);
    await new Promise((resolve) => setTimeout(resolve, 300));
    const abortedMs = performance.now();
    abort.abort();
    expect(await ended).toMatchObject({ name: 'AbortError' });
    expect(performance.now() - abortedMs).toBeLessThan(LIMIT_MS);
    await expect(work(store)).rejects.toMatchObject({ name: 'AbortError' });
  }

  const list = async (store: ObjectStore): Promise<void> => {
    for await (const { key } of store.list('')) expect(key).toBeDefined();
  };

  it.each<[string, (store: ObjectStore) => Promise<unknown>]>([
    ['a read', (store) => store.get('key')],
    ['a head', (store) => store.head('key')],
    ['a write', (store) => store.putIfAbsent('key', text, META)],
    ['a swap', (store) => store.compareAndSwap('key', text, null, META)],
    ['a list', list],
    ['a deletion', (store) => store.delete('key')],
  ])('ends %s immediately while it waits for a response', (_name, work) =>
    expectAborted(() => 'silence', work),
  );

  it('ends the delay before a retry', () =>
    expectAborted(
      () => 'slow down',
      (store) => store.get('key'),
    ));
});

describe('the generator exits with the right code and a remedy when', () => {
  const verify = (address: string, changed?: Record<string, string>): ReturnType<typeof runOnS3> =>
    runOnS3(['verify', '--store', address], changed);

  it.each(['publish', 'plan', 'verify', 'status', 'gc', 'repair', 'hold', 'unhold', 'rollback'])(
    'the bucket does not exist: %s',
    async (command) => {
      const options: Record<string, string[]> = {
        publish: ['--input', 'scripts/sample', '--as-of', '2026-08-19'],
        plan: ['--input', 'scripts/sample', '--as-of', '2026-08-19'],
        repair: ['--input', 'scripts/sample'],
        hold: ['--reason', 'a test'],
        rollback: ['--to', '2026-08-18.000001', '--reason', 'a test'],
      };
      const address = bucket.address('store').replace(bucket.name, 'crd-test-no-such-bucket');
      const run = await runOnS3([command, '--store', address, ...(options[command] ?? [])]);
      expect(run).toMatchObject({ code: 2, stdout: '' });
      expect(run.stderr).toMatch(
        /bucket crd-test-no-such-bucket does not exist \(.+\)\. Create it or correct the address\./,
      );
    },
    300_000,
  );

  it('no credentials are set', async () => {
    const nothing = { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: '', HOME: '/nonexistent' };
    const run = await verify(bucket.address('store'), { ...nothing, AWS_EC2_METADATA_DISABLED: 'true' });
    expect(run).toMatchObject({ code: 7, stdout: '' });
    expect(run.stderr).toMatch(/no credentials were found \(.+\)\. Set AWS_ACCESS_KEY_ID/);
  });

  it('no region is set', async () => {
    const run = await verify(bucket.address('store'), { AWS_REGION: '', HOME: '/nonexistent' });
    expect(run).toMatchObject({ code: 2, stdout: '' });
    expect(run.stderr).toMatch(
      /no valid region is set \(.+\)\. Add \?region=REGION to the address or set AWS_REGION\./,
    );
  });

  it('nothing listens at the endpoint, after at most a minute', async () => {
    const proxy = await startFlakyS3(bucket.endpoint, () => undefined);
    await proxy.dispose();
    const run = await verify(bucket.address('store', proxy.endpoint));
    expect(run).toMatchObject({ code: 7, stdout: '' });
    expect(run.stderr).toContain(`${proxy.endpoint} cannot be reached or does not answer (`);
    expect(run.stderr).toContain('Check the network');
    expect(run.seconds).toBeLessThan(60);
  }, 300_000);
});

it('stores every byte value unchanged', async () => {
  const bytes = Buffer.from(Array.from({ length: 256 }, (_, i) => i));
  await (await bucket.store('bytes')).putIfAbsent('object', bytes, META);
  const found = await bucket.client.send(new GetObjectCommand({ Bucket: bucket.name, Key: 'bytes/object' }));
  expect(Buffer.from((await found.Body?.transformToByteArray()) ?? [])).toEqual(bytes);
});
