import path from 'node:path';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { copyStore } from '../../generator/io/copy-store.js';
import { SILENT } from '../../generator/io/progress.js';
import { openStore } from '../../infra/store/open-store.js';
import { GENRES } from '../../schemas/catalog.js';
import { bundlePath, calendarPath, POINTER_KEY, publicKey } from '../../schemas/paths.js';
import { createStoreEditor, keyOfPath } from '../fixtures/edit-store.js';
import { runInProcess, type GeneratorRun } from '../fixtures/generator-run.js';
import { createPublishedStore, type PublishedStore } from '../fixtures/published-store.js';
import { createTestBucket, type TestBucket } from '../fixtures/s3-bucket.js';
import { differingKeys, snapshotStore } from '../fixtures/store-snapshot.js';
import { watchStore } from '../fixtures/watched-store.js';

let bucket: TestBucket;
let published: PublishedStore;
beforeAll(async () => {
  bucket = await createTestBucket();
  published = await createPublishedStore();
}, 60_000);
afterAll(async () => {
  await bucket.dispose();
  await published.dispose();
}, 60_000);

const copy = (from: string, to: string): Promise<GeneratorRun> =>
  runInProcess(['copy', '--from', from, '--to', to, '--json']);

async function expectEqual(one: string, other: string): Promise<void> {
  const [first, second] = [await openStore(one), await openStore(other)];
  expect(differingKeys(await snapshotStore(first), await snapshotStore(second))).toEqual([]);
  expect(await runInProcess(['verify', '--store', other])).toMatchObject({ code: 0, stderr: '' });
}

it('copies a directory to S3, S3 to S3 and S3 to a directory, and the last copy is the first store', async () => {
  const addresses = [
    `file:${published.root}`,
    bucket.address('copies/first'),
    bucket.address('copies/second'),
    `file:${path.join(path.dirname(published.root), 'back')}`,
  ];
  for (const [i, to] of addresses.slice(1).entries()) {
    const { code, stdout, stderr } = await copy(addresses[i] ?? '', to);
    expect({ code, stderr, ...JSON.parse(stdout) }).toMatchObject({ code: 0, outcome: 'copied', stderr: '' });
    await expectEqual(addresses[i] ?? '', to);
    expect(JSON.parse((await copy(addresses[i] ?? '', to)).stdout)).toMatchObject({ outcome: 'unchanged' });
  }
  await expectEqual(addresses[0] ?? '', addresses.at(-1) ?? '');
}, 180_000);

it('gives each object the type, the cache control and the name that a publication gives it', async () => {
  const to = bucket.address('published/headers');
  await copy(`file:${published.root}`, to);
  const editor = createStoreEditor(published.root);
  const headersOf = async (key: string): Promise<unknown> => {
    const name = { Bucket: bucket.name, Key: `published/headers/${key}` };
    const { ContentType, CacheControl, ContentDisposition } = await bucket.client.send(
      new HeadObjectCommand(name),
    );
    return [ContentType, CacheControl, ContentDisposition];
  };
  const forever = 'public, max-age=31536000, immutable';
  expect(await headersOf(await keyOfPath(editor, bundlePath('gold', 'bitcoin', '7d')))).toEqual([
    'application/json',
    forever,
    'attachment; filename="bitcoin-gold-7d-latest.json"',
  ]);
  const calendar = calendarPath('bitcoin');
  const named = ['text/csv; charset=utf-8', 'attachment; filename="bitcoin-regime-calendar.csv"'];
  expect(await headersOf(await keyOfPath(editor, calendar))).toEqual([named[0], forever, named[1]]);
  expect(await headersOf(publicKey(calendar))).toEqual([
    named[0],
    'public, max-age=300, stale-while-revalidate=86400',
    named[1],
  ]);
  expect(await headersOf(POINTER_KEY)).toEqual(['application/json', 'no-cache', undefined]);
}, 60_000);

it('goes on where an interrupted copy stopped, and reads no file twice', async () => {
  const from = await openStore(`file:${published.root}`);
  const to = await bucket.store('interrupted');
  const controller = new AbortController();
  let puts = 0;
  const target = watchStore(to, async (operation, run) => {
    const result = await run();
    if (operation.name === 'putIfAbsent' && (puts += 1) === 100) controller.abort();
    return result;
  });
  const terms = { from, clock: () => performance.now(), progress: SILENT };
  await expect(copyStore({ ...terms, to: target, signal: controller.signal })).rejects.toMatchObject({
    exit: 'interrupted',
    message: expect.stringContaining('was not moved'),
  });
  expect(await to.head(POINTER_KEY)).toBeUndefined();
  const held = new Set(
    (await bucket.keys('interrupted/objects/')).map((key) => key.replace('interrupted/', '')),
  );
  expect(held.size).toBeGreaterThan(60);
  const again = new Set<string>();
  const source = watchStore(from, ({ name, key }, run) => {
    if (name === 'get' && held.has(key)) again.add(key);
    return run();
  });
  await copyStore({ ...terms, from: source, to, signal: new AbortController().signal });
  expect(again.size).toBeLessThanOrEqual(2 * GENRES.length); // the manifests, which say what to copy
  await expectEqual(`file:${published.root}`, bucket.address('interrupted'));
}, 120_000);

it('repair mends S3 as it mends a directory: objects, copies and a lost pointer', async () => {
  const address = bucket.address('repaired');
  await copy(`file:${published.root}`, address);
  const editor = createStoreEditor(published.root);
  const [missing, damaged] = [
    await keyOfPath(editor, bundlePath('gold', 'bitcoin', '30d')),
    await keyOfPath(editor, calendarPath('arbitrum')),
  ];
  await bucket.remove(`repaired/${missing}`);
  await bucket.put(`repaired/${damaged}`, 'spoilt');
  await bucket.put(`repaired/${publicKey(calendarPath('arbitrum'))}`, 'spoilt');
  await bucket.remove(`repaired/${POINTER_KEY}`);
  const args = ['repair', '--store', address, '--input', published.input, '--json'];
  const { code, stdout } = await runInProcess([...args, '--pointer', '2025-02-02.000001']);
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 0,
    outcome: 'repaired',
    pointer: 'restored',
    restored: [missing, damaged].sort(),
    aliases: { objects: 1 },
  });
  await expectEqual(`file:${published.root}`, address);
}, 120_000);
