import path from 'node:path';
import { readPointer } from '../../../generator/state/published-state.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { openStore } from '../../../infra/store/open-store.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { META } from '../../contract/store-use.js';
import { STORE_CHECK_KEY } from '../../../schemas/paths.js';
import {
  chooseAtRandom,
  FAULTS,
  startFlakyS3,
  type Choose,
  type Fault,
  type FlakyS3,
} from '../../support/s3/flaky-s3.js';
import { createTestBucket, type TestBucket } from '../../support/s3/s3-bucket.js';
import { runOnS3, type TimedRun } from '../../support/s3/s3-run.js';
import { writeSmallInput } from '../../support/release/small-input.js';
import { snapshotStore } from '../../support/stores/store-snapshot.js';
import { createTemporaryFolder, type TemporaryFolder } from '../../support/process/temporary-folder.js';

const FIRST = '2025-05-01T06:00:00Z';
const SECOND = '2025-05-02T06:00:00Z';
const SEEDS = [1, 2];
const RATE = 0.3;
/** Time limit: at most two requests fail one after the other, each within a minute, and a process has to start. */
const BOUND_SECONDS = 130;

let folder: TemporaryFolder;
let bucket: TestBucket;
let first: string;
let second: string;
const running: FlakyS3[] = [];
beforeAll(async () => {
  folder = await createTemporaryFolder();
  bucket = await createTestBucket();
  first = await writeSmallInput(path.join(folder.path, 'first'), { days: { bitcoin: 16, arbitrum: 4 } });
  second = await writeSmallInput(path.join(folder.path, 'second'), { days: { bitcoin: 17, arbitrum: 5 } });
  await publish('undisturbed', bucket.endpoint, first, FIRST);
}, 300_000);
afterAll(async () => {
  await Promise.all(running.map((proxy) => proxy.dispose()));
  bucket.dispose();
  await folder.dispose();
}, 300_000);

async function startProxy(choose: Choose): Promise<FlakyS3> {
  const proxy = await startFlakyS3(bucket.endpoint, choose);
  running.push(proxy);
  return proxy;
}

function publish(prefix: string, endpoint: string, input: string, asOf: string): Promise<TimedRun> {
  const store = bucket.address(prefix, endpoint);
  return runOnS3(['publish', '--input', input, '--store', store, '--as-of', asOf, '--quiet']);
}

/** Returns the digests of what a publication wrote. The record of the store's check says when it was made, so it differs. */
async function contentOf(prefix: string): Promise<Record<string, string>> {
  const { [STORE_CHECK_KEY]: _, ...written } = Object.fromEntries(
    await snapshotStore(await bucket.store(prefix)),
  );
  return written;
}

describe('with a fault in three of ten requests', () => {
  it('a publication equals an undisturbed one, and the next one completes and verifies', async () => {
    await Promise.all(SEEDS.map((seed) => publishTwice(`flaky-${seed}`, chooseAtRandom(seed, RATE))));
  }, 300_000);

  async function publishTwice(prefix: string, choose: Choose): Promise<void> {
    const { endpoint, seen } = await startProxy(choose);
    expect(await publish(prefix, endpoint, first, FIRST)).toMatchObject({ code: 0, stderr: '' });
    expect(await contentOf(prefix)).toEqual(await contentOf('undisturbed'));
    expect(new Set(seen.map(({ fault }) => fault))).toEqual(new Set([undefined, ...FAULTS]));

    expect(await publish(prefix, endpoint, second, SECOND)).toMatchObject({ code: 0, stderr: '' });
    expect((await verifyStore(await bucket.store(prefix), { deep: false })).faults).toEqual([]);
    const pointer = await readPointer(await bucket.store(prefix));
    expect(pointer?.value).toMatchObject({ revision: '2025-05-02.000001', sequence: 2 });
  }
});

describe('with a fault in every request or every write', () => {
  const everything =
    (fault: Fault): Choose =>
    () =>
      fault;
  const writes =
    (fault: Fault): Choose =>
    ({ method }) =>
      method === 'PUT' ? fault : undefined;

  it('a publication exits 7 in time, names the address and changes nothing visible', async () => {
    const cases: readonly (readonly [string, Choose])[] = [
      ...FAULTS.map((fault) => [`every request: ${fault}`, everything(fault)] as const),
      ['every write: lost answer', writes('lost answer')],
      ['every write: slow down', writes('slow down')],
    ];
    const before = await contentOf('undisturbed');
    const ended = await Promise.all(
      cases.map(async ([name, choose]) => {
        const proxy = await startProxy(choose);
        return { name, run: await publish('undisturbed', proxy.endpoint, second, SECOND), proxy };
      }),
    );
    for (const { name, run, proxy } of ended) {
      expect({ name, ...run }).toMatchObject({ name, code: 7, stdout: '' });
      expect(run.stderr).toContain(`s3://${bucket.name}/undisturbed/`);
      expect(run.stderr).toContain(`${proxy.endpoint} `);
      expect(run.seconds).toBeLessThan(BOUND_SECONDS);
    }
    const after = await contentOf('undisturbed');
    const orphans = Object.keys(after).filter((key) => !(key in before));
    expect(orphans.filter((key) => !key.startsWith('objects/'))).toEqual([]);
    expect(after).toMatchObject(before);
  }, 300_000);
});

describe('when the answer to a write is lost', () => {
  /** Returns a store that loses the answer to its first write, and calls `meanwhile` before the second. */
  async function storeLosingFirstWrite(
    prefix: string,
    meanwhile: () => Promise<unknown> = () => Promise.resolve(),
  ): Promise<ObjectStore> {
    let writes = 0;
    const proxy = await startProxy(async ({ method }) => {
      if (method !== 'PUT') return undefined;
      writes += 1;
      if (writes === 1) return 'lost answer';
      await meanwhile();
      return undefined;
    });
    return openStore(bucket.address(prefix, proxy.endpoint));
  }

  const ours = Buffer.from('ours');
  const theirs = Buffer.from('theirs');

  it('put-if-absent returns created if the stored bytes are its own', async () => {
    const store = await storeLosingFirstWrite('lost/put-ours');
    expect(await store.putIfAbsent('key', ours, META)).toBe('created');
  });

  it('put-if-absent returns exists if other bytes were there before', async () => {
    await bucket.put('lost/put-theirs/key', theirs);
    const store = await storeLosingFirstWrite('lost/put-theirs');
    expect(await store.putIfAbsent('key', ours, META)).toBe('exists');
    expect(Buffer.from((await store.get('key'))?.bytes ?? [])).toEqual(theirs);
  });

  it('compare-and-swap returns the ETag if the stored bytes are its own', async () => {
    const direct = await bucket.store('lost/swap-ours');
    await direct.putIfAbsent('key', theirs, META);
    const before = await direct.get('key');
    const store = await storeLosingFirstWrite('lost/swap-ours');
    const etag = await store.compareAndSwap('key', ours, before?.etag ?? null, META);
    expect(await direct.get('key')).toMatchObject({ etag });
    expect(etag).not.toBe(before?.etag);
  });

  it('compare-and-swap of an absent key returns the ETag if the stored bytes are its own', async () => {
    const store = await storeLosingFirstWrite('lost/swap-absent');
    const etag = await store.compareAndSwap('key', ours, null, META);
    expect(await store.head('key')).toMatchObject({ etag });
  });

  it('compare-and-swap returns conflict if another client has swapped since', async () => {
    const direct = await bucket.store('lost/swap-theirs');
    const store = await storeLosingFirstWrite('lost/swap-theirs', async () => {
      const current = await direct.get('key');
      return direct.compareAndSwap('key', theirs, current?.etag ?? null, META);
    });
    expect(await store.compareAndSwap('key', ours, null, META)).toBe('conflict');
    expect(Buffer.from((await store.get('key'))?.bytes ?? [])).toEqual(theirs);
  });

  it('compare-and-swap returns conflict if another client has removed the key since', async () => {
    const direct = await bucket.store('lost/swap-removed');
    await direct.putIfAbsent('key', theirs, META);
    const before = await direct.get('key');
    const store = await storeLosingFirstWrite('lost/swap-removed', () => direct.delete('key'));
    expect(await store.compareAndSwap('key', ours, before?.etag ?? null, META)).toBe('conflict');
    expect(await direct.get('key')).toBeUndefined();
  });
});
