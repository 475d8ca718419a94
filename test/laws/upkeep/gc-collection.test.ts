import type { ObjectStore } from '../../../infra/store/object-store.js';
import { COLLECTED_PREFIX, collectedKey, COLLECTION_KEY, GC_KEY } from '../../../schemas/paths.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { LedgerLine } from '../../../schemas/types.generated.js';
import {
  commitCollection,
  readCollection,
  type Collection,
  type CollectionChange,
} from '../../../generator/collect/collection-store.js';
import { SILENT } from '../../../generator/run/progress.js';
import { MIN_GRACE_MS } from '../../../generator/state/gc-policy.js';
import { type CollectionGcResult, gcCollection, isCollection } from '../../../generator/upkeep/gc-store.js';
import { META } from '../../contract/store-use.js';
import {
  createStoreWithClock,
  publishDaily,
  type StoreWithClock,
} from '../../support/stores/store-with-clock.js';
import { interceptStore } from '../../support/stores/intercept-store.js';

const { signal } = new AbortController();
const HOUR_MS = 3_600_000;

const lineageOf = (date: string): CollectionChange['lineages'][number] => {
  const text = JSON.stringify({ date });
  return { source: 'files', text, sha256: sha256Hex(text) };
};

/** Returns a change that adds a date of base, with its lineage. */
function changeOf(date: string): CollectionChange {
  const line: LedgerLine = {
    chain: 'base',
    date,
    values: { tx_count: '5' },
    source: 'files',
    rule: 'day',
    reason: null,
    lineage: lineageOf(date).sha256,
    accepted_at: '2026-08-20T06:15:00Z',
  };
  return { lines: new Map([['base', [line]]]), lineages: [lineageOf(date)], states: new Map() };
}

const OPTIONS = {
  asOfMs: Date.parse('2026-08-20T06:15:00Z'),
  sources: { files: { name: 'files', licence: 'CC0' } },
};

async function collect(store: ObjectStore, date: string): Promise<Collection> {
  return commitCollection(store, await readCollection(store), changeOf(date), OPTIONS);
}

const runGc = (store: ObjectStore, apply = true): Promise<CollectionGcResult> =>
  gcCollection(store, { apply, graceMs: MIN_GRACE_MS, progress: SILENT, signal, clock: () => 0 });

async function filesOf(store: ObjectStore): Promise<string[]> {
  const keys: string[] = [];
  for await (const { key } of store.list(COLLECTED_PREFIX)) keys.push(key);
  return keys;
}

/** Returns the keys that a collection reads: those that would be missed. */
async function neededKeys(store: ObjectStore): Promise<string[]> {
  const pointer = JSON.parse(Buffer.from((await store.get(COLLECTION_KEY))?.bytes ?? []).toString('utf8'));
  const { ledgers, files, changes, state } = pointer;
  const named = [...Object.values(ledgers), ...Object.values(files), changes, state] as { sha256: string }[];
  const lines = [...(await readCollection(store)).ledgers.values()].flat();
  const digests = [...named.map(({ sha256 }) => sha256), ...lines.map(({ lineage }) => lineage)];
  return [...new Set(digests)].map(collectedKey).sort();
}

/** A collection of three dates, whose earlier files are older than the grace period. */
let clocked: StoreWithClock;
beforeEach(async () => {
  clocked = createStoreWithClock();
  for (const date of ['2026-08-17', '2026-08-18', '2026-08-19']) await collect(clocked.store, date);
  clocked.clock.nowMs += MIN_GRACE_MS + 1;
});

describe('garbage collection of a collection', () => {
  it('deletes the files of earlier collections, and keeps the input, the ledgers and the lineage of every date', async () => {
    const { store } = clocked;
    const before = await readCollection(store);
    const needed = await neededKeys(store);
    const all = await filesOf(store);
    expect(all.length).toBeGreaterThan(needed.length);
    const garbage = { objects: all.length - needed.length };
    expect(await runGc(store, false)).toMatchObject({ outcome: 'dry-run', sequence: 3, garbage, young: 0 });
    expect(await filesOf(store)).toEqual(all);
    expect(await runGc(store)).toMatchObject({ outcome: 'deleted', sequence: 3, garbage });
    expect(await filesOf(store)).toEqual(needed);
    expect(await readCollection(store)).toEqual(before);
    expect(await runGc(store)).toMatchObject({ garbage: { objects: 0, bytes: 0 }, young: 0 });
  });

  it('keeps files within the grace period, and files that it did not write', async () => {
    const { store, clock } = clocked;
    clock.nowMs -= 1;
    await store.putIfAbsent(`${COLLECTED_PREFIX}notes.txt`, Buffer.from('mine'), META);
    const all = await filesOf(store);
    expect(await runGc(store)).toMatchObject({
      garbage: { objects: 0 },
      young: all.length - 1 - (await neededKeys(store)).length,
    });
    clock.nowMs += 1;
    await runGc(store);
    expect(await filesOf(store)).toContain(`${COLLECTED_PREFIX}notes.txt`);
  });

  it('waits an hour after a commit, because a publish may still read the files before it', async () => {
    const { store, clock } = clocked;
    await collect(store, '2026-08-20');
    const all = await filesOf(store);
    clock.nowMs += HOUR_MS - 1;
    await expect(runGc(store)).rejects.toMatchObject({ exit: 'conflict' });
    expect(await filesOf(store)).toEqual(all);
    clock.nowMs += 1;
    expect(await runGc(store)).toMatchObject({ outcome: 'deleted' });
    expect(await filesOf(store)).toEqual(await neededKeys(store));
  });

  it('deletes nothing more once another collection was committed', async () => {
    const { store } = clocked;
    let commits = 0;
    const racing = interceptStore(store, async ({ name, key }, run) => {
      // The pointer moves when this run has its lease, past the watch of the writer.
      if (name === 'head' && key.startsWith(COLLECTED_PREFIX) && (commits += 1) === 1)
        await store.compareAndSwap(
          COLLECTION_KEY,
          Buffer.from('{}'),
          (await store.head(COLLECTION_KEY))?.etag ?? null,
          META,
        );
      return run();
    });
    const all = await filesOf(store);
    await expect(runGc(racing)).rejects.toMatchObject({
      exit: 'conflict',
      message: expect.stringContaining('Another collection was committed during this run'),
    });
    expect(await filesOf(store)).toEqual(all);
  });

  it('deletes nothing of a damaged collection', async () => {
    const { store } = clocked;
    const [ledger = ''] = await ledgersOf(store);
    await store.delete(ledger);
    const all = await filesOf(store);
    await expect(runGc(store)).rejects.toMatchObject({ exit: 'damaged' });
    expect(await filesOf(store)).toEqual(all);
  });

  it('is told from a release store', async () => {
    const released = createStoreWithClock();
    expect(await isCollection(released.store)).toBe(false);
    await publishDaily(released, 1);
    expect([await isCollection(released.store), await isCollection(clocked.store)]).toEqual([false, true]);
  });
});

async function ledgersOf(store: ObjectStore): Promise<string[]> {
  const { bytes } = (await store.get(COLLECTION_KEY)) ?? { bytes: new Uint8Array() };
  const { ledgers } = JSON.parse(Buffer.from(bytes).toString('utf8')) as {
    ledgers: Record<string, { sha256: string }>;
  };
  return Object.values(ledgers).map(({ sha256 }) => collectedKey(sha256));
}

describe('a collection beside its garbage collection', () => {
  /** Leaves a garbage collection that runs, as another process would see it. */
  async function holdLease(store: ObjectStore): Promise<void> {
    const held = interceptStore(store, ({ name }, run) =>
      name === 'delete' ? Promise.reject(new Error('killed')) : run(),
    );
    await expect(runGc(held)).rejects.toThrow('killed');
  }

  it('commits nothing while files are deleted, until the lease of a dead run has ended', async () => {
    const { store, clock } = clocked;
    await holdLease(store);
    await expect(collect(store, '2026-08-20')).rejects.toMatchObject({ exit: 'conflict' });
    expect((await readCollection(store)).sequence).toBe(3);
    clock.nowMs += HOUR_MS + 1;
    expect(await collect(store, '2026-08-20')).toMatchObject({ sequence: 4 });
  });

  it('commits nothing if a garbage collection ran since its first write', async () => {
    const { store } = clocked;
    let ran = false;
    const racing = interceptStore(store, async ({ name, key }, run) => {
      const result = await run();
      if (name === 'putIfAbsent' && key.startsWith(COLLECTED_PREFIX) && !ran) {
        ran = true;
        await runGc(store);
      }
      return result;
    });
    await expect(collect(racing, '2026-08-20')).rejects.toMatchObject({ exit: 'conflict' });
    expect((await readCollection(store)).sequence).toBe(3);
    expect(await store.head(GC_KEY)).toBeDefined();
  });

  it('rewrites an old file that it needs again, so that garbage collection does not delete it', async () => {
    const { store, clock } = clocked;
    const { sha256, text } = lineageOf('2026-08-20');
    await store.putIfAbsent(collectedKey(sha256), Buffer.from(text), META);
    clock.nowMs += MIN_GRACE_MS + 1;
    await collect(store, '2026-08-20');
    const head = await store.head(collectedKey(sha256));
    expect(head?.modifiedAtMs).toBe(clock.nowMs);
  });
});
