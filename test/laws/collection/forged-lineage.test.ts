import type { ObjectStore } from '../../../infra/store/object-store.js';
import { formatLedger } from '../../../generator/core/collection/ledger.js';
import { verifyStore } from '../../../generator/verify/verify-store.js';
import { sha256Hex } from '../../../schemas/digest.js';
import { lineageManifestPath, lineagePath, objectKey } from '../../../schemas/paths.js';
import type { DayLineage } from '../../../schemas/types.generated.js';
import { META } from '../../contract/store-use.js';
import { putArtifact, readDocument, readListed, type StoreEditor } from '../../support/release/edit-store.js';
import { forgeRelease } from '../../support/release/forge-release.js';
import { collectValues, publishCollection } from '../../support/release/publish-collection.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';

const DATE = '2025-01-02';
const MANIFEST = lineageManifestPath('base');
const MESSAGE = `${lineagePath('base', DATE)}: does not match its lines of the ledger`;

let store: ObjectStore;
beforeEach(async () => {
  store = createMemoryStore();
  const collection = createMemoryStore();
  await collectValues(collection, [
    { date: '2025-01-01', txCount: 5 },
    { date: DATE, txCount: 6 },
  ]);
  await publishCollection(store, collection, '2025-01-11');
});

/**
 * Replaces the lineage of a date, and every digest above it. `ledger` is the digest of its lines in the manifest; the right
 * one by default. Returns the key of the new lineage.
 */
async function forgeLineage(change: (lineage: DayLineage) => DayLineage, ledger?: string): Promise<string> {
  const editor = createMemoryEditor(store);
  const manifest = await readListed(editor, MANIFEST, 'manifest');
  const entry = manifest.dates.find(({ date }) => date === DATE);
  const forged = change(await readDocument(editor, objectKey(entry?.sha256 ?? ''), 'day-lineage'));
  const right = sha256Hex(formatLedger(forged.accepted.map(({ line }) => line)));
  const changed = { ...(await putArtifact(editor, forged)), ledger_sha256: ledger ?? right };
  const dates = manifest.dates.map((each) => (each.date === DATE ? { ...each, ...changed } : each));
  await forgeRelease(editor, { [MANIFEST]: { ...manifest, dates } });
  return objectKey(changed.sha256);
}

type Accepted = DayLineage['accepted'][number];

/** Changes every line of a lineage, with its document. */
const withAccepted =
  (change: (accepted: Accepted) => Accepted) =>
  (lineage: DayLineage): DayLineage => ({
    ...lineage,
    accepted: lineage.accepted.map(change),
  });

const faults = async (): Promise<unknown> => (await verifyStore(store, { deep: false })).faults;

describe('verify, in a store whose keys and lists have the digests of what they name', () => {
  it.each<[string, (lineage: DayLineage) => DayLineage]>([
    ['is of another date', (lineage) => ({ ...lineage, date: '2025-01-01' })],
    ['is of another chain', (lineage) => ({ ...lineage, chain: 'arbitrum' })],
    [
      'has a line of another date',
      withAccepted(({ line, document }) => ({ line: { ...line, date: '2025-01-01' }, document })),
    ],
    [
      'has a line of another chain',
      withAccepted(({ line, document }) => ({ line: { ...line, chain: 'arbitrum' }, document })),
    ],
    [
      'has a document that its line does not name',
      withAccepted(({ line, document }) => ({
        line,
        document: { ...document, values: { ...document.values, tx_count: '7' } },
      })),
    ],
  ])('finds a lineage that %s', async (_what, change) => {
    const key = await forgeLineage(change);
    expect(await faults()).toEqual([{ key, message: MESSAGE }]);
  });

  it('finds a lineage with other lines than the manifest names', async () => {
    const key = await forgeLineage((lineage) => lineage, '0'.repeat(64));
    expect(await faults()).toEqual([{ key, message: MESSAGE }]);
  });

  it('finds nothing if nothing was changed', async () => {
    await forgeLineage((lineage) => lineage);
    expect(await faults()).toEqual([]);
  });
});

function createMemoryEditor(memory: ObjectStore): StoreEditor {
  const write = async (key: string, body: string | Uint8Array): Promise<void> => {
    const etag = (await memory.head(key))?.etag ?? null;
    await memory.compareAndSwap(key, Buffer.from(body), etag, META);
  };
  return {
    root: '',
    write,
    remove: (key) => memory.delete(key),
    undo: () => Promise.resolve(),
    read: async (key) => Buffer.from((await memory.get(key))?.bytes ?? []),
  };
}
