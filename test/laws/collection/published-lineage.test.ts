import { copyStore } from '../../../generator/upkeep/copy/copy-store.js';
import { SILENT } from '../../../generator/run/progress.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { formatLedger } from '../../../generator/core/collection/ledger.js';
import { EMPTY_STATE, readCollection } from '../../../generator/collect/collection-store.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { lineageManifestPath, objectKey, PUBLIC_PATHS } from '../../../schemas/paths.js';
import type { Manifest, Status } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { META } from '../../contract/store-use.js';
import { rollBack, runGc } from '../../support/release/operate.js';
import { collectValues, publishCollection } from '../../support/release/publish-collection.js';
import { readCurrent } from '../../support/release/read-release.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { snapshotStore } from '../../support/stores/store-snapshot.js';

let store: ObjectStore;
let collection: ObjectStore;
beforeEach(async () => {
  store = createMemoryStore();
  collection = createMemoryStore();
  await collectValues(collection, [
    { date: '2025-01-01', txCount: 5 },
    { date: '2025-01-02', txCount: 6 },
  ]);
  expect(await publishCollection(store, collection, '2025-01-11')).toMatchObject({ outcome: 'published' });
});

async function lineagesOf(each: ObjectStore): Promise<Manifest> {
  const entry = (await readCurrent(each)).manifests[lineageManifestPath('base')];
  const found = await each.get(objectKey(entry?.sha256 ?? ''));
  return JSON.parse(Buffer.from(found?.bytes ?? []).toString('utf8')) as Manifest; // verified elsewhere
}

async function statusOfBase(each: ObjectStore): Promise<unknown> {
  const entry = (await readCurrent(each)).public[PUBLIC_PATHS.status];
  const found = await each.get(objectKey(entry?.sha256 ?? ''));
  const status = JSON.parse(Buffer.from(found?.bytes ?? []).toString('utf8')) as Status; // verified elsewhere
  return status.chains.base;
}

const faultsOf = async (each: ObjectStore): Promise<unknown> =>
  (await verifyStore(each, { deep: true })).faults;

it('the lineage of every published date is in the release, and the store verifies', async () => {
  const { dates } = await lineagesOf(store);
  const lines = (await readCollection(collection)).ledgers.get('base') ?? [];
  expect(dates.map(({ date, ledger_sha256: sha256 }) => [date, sha256])).toEqual(
    lines.map((line) => [line.date, sha256Hex(formatLedger([line]))]),
  );
  expect(await faultsOf(store)).toEqual([]);
});

it('publishing the same collection again changes nothing', async () => {
  const before = await snapshotStore(store);
  expect(await publishCollection(store, collection, '2025-01-12')).toMatchObject({ outcome: 'unchanged' });
  expect(await snapshotStore(store)).toEqual(before);
});

it('a revision supersedes the lineage of its date only, and gc, copy and a rollback keep all of them', async () => {
  await collectValues(collection, [{ date: '2025-01-02', txCount: 7, reason: 'revised' }]);
  await publishCollection(store, collection, '2025-01-12');
  const { dates } = await lineagesOf(store);
  expect(dates.map(({ superseded }) => superseded.length)).toEqual([0, 1]);
  await rollBack(store, { to: '2025-01-11.000001', reason: 'wrong', asOf: '2025-01-13' });
  expect((await lineagesOf(store)).dates[1]?.sha256).toBe(dates[1]?.superseded[0]?.sha256);
  await runGc(store);
  expect(await faultsOf(store)).toEqual([]);
  const copy = createMemoryStore();
  const { signal } = new AbortController();
  await copyStore({ from: store, to: copy, progress: SILENT, signal, clock: () => 0 });
  expect(await faultsOf(copy)).toEqual([]);
  expect(await lineagesOf(copy)).toEqual(await lineagesOf(store));
});

it('verify finds a lineage that is missing, or whose bytes were replaced', async () => {
  const { dates } = await lineagesOf(store);
  const key = objectKey(dates[0]?.sha256 ?? '');
  const etag = (await store.head(key))?.etag ?? null;
  await store.compareAndSwap(key, Buffer.from('{}'), etag, META);
  // Its digest, its schema, and that nothing was recomputed.
  expect(await faultsOf(store)).toMatchObject([{ key }, { key }, { key: 'verify --deep' }]);
  await store.delete(key);
  expect(await faultsOf(store)).toMatchObject([{ key }, { key: 'verify --deep' }]);
});

it('the schedule of the collection is published, the release verifies, and a changed one makes a release', async () => {
  const schedule = { source: 'files', first_try_hours: 6.25, deadline_hours: 12, settling_days: 7 };
  await collectValues(collection, [], { ...EMPTY_STATE, schedule });
  expect(await publishCollection(store, collection, '2025-01-12')).toMatchObject({ outcome: 'published' });
  const chain = await statusOfBase(store);
  expect(chain).toMatchObject({
    expected_next_by: '2025-01-04T13:00:00Z',
    next: {
      date: '2025-01-03',
      first_try_at: '2025-01-04T06:15:00Z',
      deadline_at: '2025-01-04T12:00:00Z',
      settled_at: '2025-01-11T00:00:00Z',
    },
  });
  expect(await faultsOf(store)).toEqual([]);
  await collectValues(collection, [], { ...EMPTY_STATE, schedule: { ...schedule, deadline_hours: 20 } });
  expect(await publishCollection(store, collection, '2025-01-13')).toMatchObject({ outcome: 'published' });
  expect(await statusOfBase(store)).toMatchObject({ expected_next_by: '2025-01-04T21:00:00Z' });
  expect(await faultsOf(store)).toEqual([]);
});

it('a date whose lineage the collection lacks has none, and the others keep theirs', async () => {
  const before = await lineagesOf(store);
  await collectValues(collection, [{ date: '2025-01-03', txCount: 8 }]);
  for await (const { key } of collection.list('collected/'))
    if (await isLineage(key)) await collection.delete(key);
  expect(await publishCollection(store, collection, '2025-01-12')).toMatchObject({ outcome: 'published' });
  expect((await lineagesOf(store)).dates).toEqual(before.dates);
  expect(await faultsOf(store)).toEqual([]);
});

async function isLineage(key: string): Promise<boolean> {
  return Buffer.from((await collection.get(key))?.bytes ?? [])
    .toString('utf8')
    .includes('"schema":"lineage/1"');
}
