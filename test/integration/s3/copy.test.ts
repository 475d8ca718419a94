import path from 'node:path';
import { HeadObjectCommand } from '@aws-sdk/client-s3';
import { openStore } from '../../../infra/store/open-store.js';
import { bundlePath, calendarPath, POINTER_KEY, publicKey, STORE_CHECK_KEY } from '../../../schemas/paths.js';
import { createStoreEditor, keyOfPath } from '../../support/release/edit-store.js';
import { runInProcess, type GeneratorRun } from '../../support/process/generator-run.js';
import { createPublishedStore, type PublishedStore } from '../../support/release/published-store.js';
import { createTestBucket, type TestBucket } from '../../support/s3/s3-bucket.js';
import { differingKeys, snapshotStore } from '../../support/stores/store-snapshot.js';

let bucket: TestBucket;
let published: PublishedStore;
/** Address of a copy of it on S3. */
let replica: string;
beforeAll(async () => {
  bucket = await createTestBucket();
  published = await createPublishedStore();
  replica = bucket.address('copied');
  await copy(`file:${published.root}`, replica);
}, 300_000);
afterAll(async () => {
  bucket.dispose();
  await published.dispose();
}, 300_000);

const copy = (from: string, to: string): Promise<GeneratorRun> =>
  runInProcess(['copy', '--from', from, '--to', to, '--json']);

async function expectEqual(one: string, other: string): Promise<void> {
  const [first, second] = [await openStore(one), await openStore(other)];
  const differing = differingKeys(await snapshotStore(first), await snapshotStore(second));
  expect(differing.filter((key) => key !== STORE_CHECK_KEY)).toEqual([]); // a verdict about a server is not copied
  expect(await runInProcess(['verify', '--store', other])).toMatchObject({ code: 0, stderr: '' });
}

it('copies from a directory to S3 and back without a difference', async () => {
  const back = `file:${path.join(path.dirname(published.root), 'back')}`;
  const { code, stdout, stderr } = await copy(replica, back);
  expect({ code, stderr, ...JSON.parse(stdout) }).toMatchObject({ code: 0, outcome: 'copied', stderr: '' });
  await expectEqual(`file:${published.root}`, replica);
  await expectEqual(replica, back);
  expect(JSON.parse((await copy(back, replica)).stdout)).toMatchObject({ outcome: 'unchanged' });
}, 180_000);

it('writes each object with the same headers as a publication', async () => {
  const editor = createStoreEditor(published.root);
  const headersOf = async (key: string): Promise<unknown> => {
    const name = { Bucket: bucket.name, Key: `copied/${key}` };
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
}, 300_000);

it('repair restores objects, public copies and a lost pointer on S3', async () => {
  const editor = createStoreEditor(published.root);
  const [missing, damaged] = [
    await keyOfPath(editor, bundlePath('gold', 'bitcoin', '30d')),
    await keyOfPath(editor, calendarPath('arbitrum')),
  ];
  await bucket.remove(`copied/${missing}`);
  await bucket.put(`copied/${damaged}`, 'corrupt');
  await bucket.put(`copied/${publicKey(calendarPath('arbitrum'))}`, 'corrupt');
  await bucket.remove(`copied/${POINTER_KEY}`);
  const args = ['repair', '--store', replica, '--input', published.input, '--json'];
  const { code, stdout } = await runInProcess([...args, '--pointer', '2025-02-02.000001']);
  expect({ code, ...JSON.parse(stdout) }).toMatchObject({
    code: 0,
    outcome: 'repaired',
    pointer: 'restored',
    restored: [missing, damaged].sort(),
    aliases: { objects: 1 },
  });
  await expectEqual(`file:${published.root}`, replica);
}, 120_000);
