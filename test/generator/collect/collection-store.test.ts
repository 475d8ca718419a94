import { collectedKey, COLLECTION_KEY, STORE_KEY } from '../../../schemas/paths.js';
import type { Chain, CollectionPointer, LedgerLine } from '../../../schemas/types.generated.js';
import { assertValid } from '../../../schemas/validate.js';
import { sha256Hex } from '../../../schemas/digest.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import {
  type Collection,
  type CollectionChange,
  commitCollection,
  EMPTY_STATE,
  readCollection,
} from '../../../generator/collect/collection-store.js';
import { toLineage } from '../../../generator/core/collection/ledger.js';
import { openInputFolder } from '../../../generator/input/input-folder.js';
import { readInput, type Input } from '../../../generator/input/read-input.js';
import { META } from '../../contract/store-use.js';
import { createMemoryCopies } from '../../support/stores/memory-copies.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { interceptStore } from '../../support/stores/intercept-store.js';
import { snapshotStore } from '../../support/stores/store-snapshot.js';

const AS_OF = Date.parse('2026-08-20T06:15:00Z');
const REVISED = { rule: 'revision', reason: 'source revised within its settling window' } as const;

/** Returns a line of a ledger. */
function line(chain: Chain, date: string, txCount: number, changes: Partial<LedgerLine> = {}): LedgerLine {
  return {
    chain,
    date,
    values: { tx_count: String(txCount) },
    source: 'files',
    rule: 'day',
    reason: null,
    lineage: '0'.repeat(64),
    accepted_at: '2026-08-20T06:15:00Z',
    ...changes,
  };
}

const FIRST = new Map<Chain, LedgerLine[]>([
  ['arbitrum', [line('arbitrum', '2026-08-18', 5)]],
  ['base', [line('base', '2026-08-18', 8), line('base', '2026-08-19', 9)]],
]);
const SECOND = new Map<Chain, LedgerLine[]>([['base', [line('base', '2026-08-19', 10, REVISED)]]]);

const options = { asOfMs: AS_OF, sources: { files: { name: 'files', licence: 'CC0' } } };

const changeOf = (lines: typeof FIRST): CollectionChange => ({ lines, lineages: [], states: new Map() });

async function commit(store: ObjectStore, added: typeof FIRST): Promise<Collection> {
  return commitCollection(store, await readCollection(store), changeOf(added), options);
}

/** Reads a collection as the input of publish. */
async function readAsInput(store: ObjectStore): Promise<Input> {
  const folder = await openInputFolder('s3://bucket/metrics', () => Promise.resolve(store));
  return readInput({ folder, asOfMs: AS_OF });
}

const countsOf = ({ series }: Input): Record<string, unknown> =>
  Object.fromEntries(series.map(({ chain, metrics }) => [chain, metrics.tx_count]));

let store: ObjectStore;
beforeEach(() => {
  store = createMemoryStore();
});

describe('a collection', () => {
  it('is empty before the first commit, and has every line afterwards', async () => {
    expect(await readCollection(store)).toEqual({
      sequence: 0,
      ledgers: new Map(),
      states: new Map(),
      sources: {},
      etag: null,
    });
    await commit(store, FIRST);
    expect(await readCollection(store)).toMatchObject({ sequence: 1, ledgers: FIRST });
    await commit(store, SECOND);
    const { sequence, ledgers } = await readCollection(store);
    expect([sequence, ledgers.get('arbitrum')]).toEqual([2, FIRST.get('arbitrum')]);
    expect(ledgers.get('base')).toEqual([...(FIRST.get('base') ?? []), ...(SECOND.get('base') ?? [])]);
  });

  it('is the input of publish, with the values of the last lines', async () => {
    await commit(store, FIRST);
    expect(countsOf(await readAsInput(store))).toEqual({ arbitrum: [5], base: [8, 9] });
    await commit(store, SECOND);
    const input = await readAsInput(store);
    expect(countsOf(input)).toEqual({ arbitrum: [5], base: [8, 10] });
    expect(input).toMatchObject({ faults: [], invalid: [] });
    expect(input.series[0]?.sources).toEqual([{ name: 'files', licence: 'CC0' }]);
  });

  it('has the site beside its pointer as the site of the input', async () => {
    await commit(store, FIRST);
    expect(await readAsInput(store)).toMatchObject({ site: null, faults: [] });
    const site = { name: 'Example data', base_url: 'https://data.example.com' };
    await store.putIfAbsent('site.json', Buffer.from(JSON.stringify(site)), META);
    await commit(store, SECOND);
    expect(await readAsInput(store)).toMatchObject({ site, faults: [] });
  });

  it('keeps the lineages that its lines name, before the pointer moves', async () => {
    const day = { chain: 'base', date: '2026-08-19', values: { tx_count: '9' }, counts: {} } as const;
    const lineage = toLineage('files', { ...day, evidence: { kind: 'responses', responses: [] } }, []);
    const written: string[] = [];
    const watched = interceptStore(store, async ({ name, key }, run) => {
      if (name === 'putIfAbsent' || name === 'compareAndSwap') written.push(key);
      return run();
    });
    const lines = new Map([['base', [line('base', '2026-08-19', 9, { lineage: lineage.sha256 })]]] as const);
    const change = { lines, lineages: [lineage], states: new Map() };
    await commitCollection(watched, await readCollection(store), change, options);
    const key = collectedKey(lineage.sha256);
    expect(Buffer.from((await store.get(key))?.bytes ?? []).toString('utf8')).toBe(lineage.text);
    expect(written[0]).toBe(key);
    expect(written.at(-1)).toBe(COLLECTION_KEY);
  });

  it('writes nothing if no line is added', async () => {
    await commit(store, FIRST);
    const before = await snapshotStore(store);
    await commit(store, new Map([['base', []]]));
    expect(await snapshotStore(store)).toEqual(before);
  });

  it('keeps its lineages by their digest, and the state of each chain', async () => {
    const lineage = {
      source: 'files',
      text: '{"date":"2026-08-18"}',
      sha256: sha256Hex('{"date":"2026-08-18"}'),
    };
    const awaited = {
      date: '2026-08-19',
      since: '2026-08-20T06:15:00Z',
      until: '2026-08-20T12:00:00Z',
      overdue: false,
      missing: ['fee_median' as const],
      reasons: [],
      sources: ['files'],
      withheld: {},
    };
    const state = { ...EMPTY_STATE, awaited: [awaited] };
    const change = { lines: FIRST, lineages: [lineage], states: new Map([['base' as const, state]]) };
    await commitCollection(store, await readCollection(store), change, options);
    expect((await store.get(collectedKey(lineage.sha256)))?.bytes).toEqual(Buffer.from(lineage.text));
    const { states } = await commit(store, SECOND);
    expect([states, (await readCollection(store)).states]).toEqual([change.states, change.states]);
  });

  it('has the same bytes however its lines were committed', async () => {
    await commit(store, FIRST);
    await commit(store, SECOND);
    const other = createMemoryStore();
    for (const lines of [...FIRST, ...SECOND].flatMap(([chain, each]) =>
      each.map((one) => [chain, one] as const),
    ))
      await commit(other, new Map([[lines[0], [lines[1]]]]));
    const filesOf = async (each: ObjectStore): Promise<unknown> => {
      const pointer = JSON.parse(Buffer.from((await each.get(COLLECTION_KEY))?.bytes ?? []).toString('utf8'));
      return { ledgers: pointer.ledgers, files: pointer.files, changes: pointer.changes };
    };
    expect(await filesOf(other)).toEqual(await filesOf(store));
  });

  it('is kept apart from a release store', async () => {
    await store.putIfAbsent(STORE_KEY, Buffer.from('{"format":3}'), META);
    await expect(readCollection(store)).rejects.toMatchObject({ exit: 'usage' });
  });
});

describe('two collections at the same time', () => {
  it('the one that commits later is told to run again, and changes nothing', async () => {
    const before = await readCollection(store);
    await commit(store, FIRST);
    await expect(commitCollection(store, before, changeOf(SECOND), options)).rejects.toMatchObject({
      exit: 'conflict',
    });
    expect(await readCollection(store)).toMatchObject({ sequence: 1, ledgers: FIRST });
  });
});

describe('a collection that stops before or after any write', () => {
  it('leaves the input before or the input after, and the next run completes it', async () => {
    await commit(store, FIRST);
    const copies = await createMemoryCopies(store);
    const seen = new Set<string>();
    for (let at = 1, isDone = false; !isDone; at += 1) {
      for (const isLate of [false, true]) {
        const copy = await copies.create();
        let writes = 0;
        const failing = interceptStore(copy, async ({ name }, run) => {
          if (name !== 'putIfAbsent' && name !== 'compareAndSwap') return run();
          writes += 1;
          if (writes === at && isLate) await run();
          if (writes >= at) throw new Error('stopped');
          return run();
        });
        isDone = await commit(failing, SECOND).then(
          () => true,
          () => false,
        );
        const base = JSON.stringify(countsOf(await readAsInput(copy))['base']);
        seen.add(base);
        if (base === '[8,9]') await commit(copy, SECOND);
        expect(countsOf(await readAsInput(copy))).toEqual({ arbitrum: [5], base: [8, 10] });
      }
    }
    expect(seen).toEqual(new Set(['[8,9]', '[8,10]']));
  });
});

describe('damage is named', () => {
  const replace = async (key: string, text: string): Promise<void> => {
    const etag = (await store.head(key))?.etag ?? null;
    await store.compareAndSwap(key, Buffer.from(text), etag, META);
  };
  const pointer = async (): Promise<CollectionPointer> =>
    assertValid(
      'collection',
      JSON.parse(Buffer.from((await store.get(COLLECTION_KEY))?.bytes ?? []).toString('utf8')),
    );
  beforeEach(() => commit(store, FIRST));

  it.each([
    ['no JSON', '{'],
    ['another format', '{"schema":"collection/2"}'],
  ])('when the pointer is %s', async (_what, text) => {
    await replace(COLLECTION_KEY, text);
    await expect(readCollection(store)).rejects.toMatchObject({ exit: 'damaged' });
    await expect(readAsInput(store)).rejects.toMatchObject({ exit: 'damaged' });
  });

  it('when a ledger has other bytes than the pointer says', async () => {
    await replace(collectedKey((await pointer()).ledgers.base?.sha256 ?? ''), '');
    await expect(readCollection(store)).rejects.toMatchObject({ exit: 'damaged' });
  });

  it('when a file of the input has other bytes, or is missing: the other chains are read', async () => {
    const key = collectedKey((await pointer()).files['base.csv']?.sha256 ?? '');
    await replace(key, 'date,tx_count\n2026-08-18,8\n');
    const other = await readAsInput(store);
    expect([countsOf(other), other.invalid]).toEqual([{ arbitrum: [5] }, ['base']]);
    expect(other.faults[0]?.message).toBe('has other bytes than collection.json says');
    await store.delete(key);
    expect((await readAsInput(store)).invalid).toEqual(['base']);
  });
});
