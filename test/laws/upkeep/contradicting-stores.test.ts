import { sha256Hex } from '../../../schemas/digest.js';
import { canonicalJson } from '../../../schemas/canonical-json.js';
import { parseInstant } from '../../../schemas/dates.js';
import {
  ALIASES_KEY,
  GC_KEY,
  objectKey,
  parseObjectKey,
  parseReleaseKey,
  POINTER_KEY,
  PUBLIC_PATHS,
  publicKey,
  REFUSAL_KEY,
  releaseKey,
  statementKey,
} from '../../../schemas/paths.js';
import { RENEWAL_AGE_MS } from '../../../generator/state/gc-policy.js';
import { readPointer, readRecord } from '../../../generator/state/published-state.js';
import { SILENT } from '../../../generator/run/progress.js';
import { RELEASE_LIST_KEY } from '../../../generator/signing/signed-history.js';
import { refreshTrustFiles, STATEMENT_COPY_KEY, TIMESTAMP_KEY } from '../../../generator/signing/signing.js';
import { copyStore } from '../../../generator/upkeep/copy/copy-store.js';
import { repairStore } from '../../../generator/upkeep/repair/repair-store.js';
import { verifyStore, type Verification } from '../../../generator/verify/verify-store.js';
import { assertKey } from '../../../infra/store/object-key.js';
import { MAX_OBJECT_BYTES, type ObjectHead, type ObjectStore } from '../../../infra/store/object-store.js';
import type { ReleaseRecord } from '../../../schemas/types.generated.js';
import { runGc } from '../../support/release/operate.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { createSignedSite, type SignedSite } from '../../support/release/signed-store.js';
import { createMemoryCopies, type MemoryCopies } from '../../support/stores/memory-copies.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';

const FIRST = '2022-02-01T00:00:00Z';
const SECOND = '2022-02-02T00:00:00Z';
const META = { contentType: 'application/json', cacheControl: 'no-cache' };
const LOST_RACE = { code: 'unavailable', message: expect.stringContaining('had just changed') };
const { signal } = new AbortController();
const inputs = [randomSeries({ chain: 'arbitrum', seed: 1, days: 4 })];

let site: SignedSite;
/** Copies of a signed store with two releases. */
let signed: MemoryCopies;
beforeAll(async () => {
  site = await createSignedSite(FIRST);
  const store = createMemoryStore();
  await site.install(store);
  const days = [randomSeries({ chain: 'arbitrum', seed: 1, days: 3 })];
  await publishSeries(store, { inputs: days, asOf: FIRST, signing: site.signingAt(FIRST) });
  await publishSeries(store, { inputs, asOf: SECOND, signing: site.signingAt(SECOND) });
  signed = await createMemoryCopies(store);
}, 300_000);

const now = (): number => parseInstant(SECOND) ?? NaN;

const verify = (store: ObjectStore): Promise<Verification> =>
  verifyStore(store, { deep: false, now, trust: site.anchor });

const copy = (from: ObjectStore, to: ObjectStore): Promise<unknown> =>
  copyStore({ from, to, clock: () => 0, progress: SILENT, signal, trust: { anchor: site.anchor, now } });

const repair = (store: ObjectStore, isSigning = false): ReturnType<typeof repairStore> =>
  repairStore(store, { progress: SILENT, signal, ...(isSigning ? { signing: site.signingAt(SECOND) } : {}) });

/** Returns a store that refuses every conditional write of a key, as if another run had just changed it. */
function refusing(store: ObjectStore, isRefused: (key: string) => boolean): ObjectStore {
  return {
    ...store,
    putIfAbsent: (key, body, meta) =>
      isRefused(key) ? Promise.resolve('exists') : store.putIfAbsent(key, body, meta),
    compareAndSwap: (key, body, expected, meta) =>
      isRefused(key) ? Promise.resolve('conflict') : store.compareAndSwap(key, body, expected, meta),
  };
}

/** Returns a store that answers a HEAD of some keys with other metadata. */
function withHead(
  store: ObjectStore,
  change: (key: string, head: ObjectHead | undefined) => ObjectHead | undefined,
): ObjectStore {
  return { ...store, head: async (key) => change(key, await store.head(key)) };
}

describe('a store that refuses every write of an object', () => {
  it.each([
    ['a public copy', publicKey(PUBLIC_PATHS.landing)],
    ['aliases.json', ALIASES_KEY],
    ['the public statement', STATEMENT_COPY_KEY],
  ])('ends repair of %s with an error', async (_what, key) => {
    const store = await signed.create();
    await store.delete(key);
    await expect(repair(refusing(store, (each) => each === key))).rejects.toMatchObject(LOST_RACE);
  });

  it.each([
    ['the timestamp', TIMESTAMP_KEY],
    ['the list of releases', RELEASE_LIST_KEY],
  ])('ends a refresh of %s with an error', async (_what, key) => {
    const store = await signed.create();
    await store.delete(key);
    const refreshing = refreshTrustFiles(
      refusing(store, (each) => each === key),
      site.signingAt(SECOND),
    );
    await expect(refreshing).rejects.toMatchObject(LOST_RACE);
  });

  it('ends a copy with an error, if HEAD never finds what a write finds', async () => {
    const target = refusing(createMemoryStore(), (key) => parseObjectKey(key) !== undefined);
    await expect(copy(await signed.create(), target)).rejects.toMatchObject(LOST_RACE);
  });

  it('ends a copy with an error, if HEAD answers with an old object of other bytes', async () => {
    const head = { sizeBytes: 1, sha256: 'a'.repeat(64), modifiedAtMs: 0, answeredAtMs: 2 * RENEWAL_AGE_MS };
    const target = withHead(createMemoryStore(), (key, found) =>
      parseObjectKey(key) === undefined ? found : { ...head, etag: '"other"' },
    );
    await expect(copy(await signed.create(), target)).rejects.toMatchObject(LOST_RACE);
  });

  it('ends gc with an error', async () => {
    const store = refusing(await signed.create(), (key) => key === GC_KEY);
    await expect(runGc(store)).rejects.toMatchObject({ exit: 'conflict' });
  });
});

it('repair --input does not rebuild an object twice', async () => {
  const whole = await signed.create();
  const { sha256 = '' } = (await readRelease(whole)).public[PUBLIC_PATHS.landing] ?? {};
  let writes = 0;
  const store: ObjectStore = {
    ...whole,
    get: (key, maxBytes) =>
      key === objectKey(sha256) ? Promise.resolve(undefined) : whole.get(key, maxBytes),
    putIfAbsent: (key, body, meta) => {
      if (key !== objectKey(sha256)) return whole.putIfAbsent(key, body, meta);
      writes += 1;
      return Promise.resolve('created');
    },
  };
  const result = await repairStore(store, { inputs, progress: SILENT, signal });
  expect(writes).toBe(1);
  expect(result).toMatchObject({ outcome: 'damaged', restored: [objectKey(sha256)] });
});

async function readRelease(store: ObjectStore): Promise<ReleaseRecord> {
  const pointer = await readPointer(store);
  if (pointer === undefined) throw new Error('there is no release');
  return readRecord(store, pointer.value);
}

describe('verify --trust', () => {
  it('compares the bytes of a public copy, whatever digest HEAD names', async () => {
    const store = await signed.create();
    const key = publicKey(PUBLIC_PATHS.status);
    const { sha256 = '' } = (await store.head(key)) ?? {};
    const etag = (await store.get(key))?.etag ?? null;
    await store.compareAndSwap(key, Buffer.from('{}'), etag, META);
    const lying = withHead(store, (each, head) => head && (each === key ? { ...head, sha256 } : head));
    expect(await verify(lying)).toMatchObject({ faults: [{ key, message: 'does not match the release' }] });
  });
});

describe('a past release without a list of public files', () => {
  /** Replaces the first release by one without public files, with a statement that somebody signed for another one. */
  async function createForged(): Promise<ObjectStore> {
    const store = await signed.create();
    const { previous, ...last } = await readRelease(store);
    if (previous === null) throw new Error('there is only one release');
    const first = await readRecord(store, previous);
    const text = canonicalJson({ ...first, public: {} });
    const forged = { revision: first.revision, sha256: sha256Hex(text) };
    await store.putIfAbsent(releaseKey(forged.revision, forged.sha256), Buffer.from(text), META);
    const own = await store.get(statementKey(previous.revision, previous.sha256));
    const statement = own?.bytes ?? new Uint8Array();
    await store.putIfAbsent(statementKey(forged.revision, forged.sha256), statement, META);
    const next = canonicalJson({ ...last, previous: forged });
    await store.putIfAbsent(releaseKey(last.revision, sha256Hex(next)), Buffer.from(next), META);
    const { etag = null, value } = (await readPointer(store)) ?? {};
    const pointer = canonicalJson({ ...value, sha256: sha256Hex(next) });
    await store.compareAndSwap(POINTER_KEY, Buffer.from(pointer), etag, META);
    return store;
  }

  const fault = { message: `does not list ${PUBLIC_PATHS.release}` };

  it('is damage for verify, copy and repair', async () => {
    const store = await createForged();
    const { faults } = await verify(store);
    expect(faults).toContainEqual(expect.objectContaining(fault));
    const copying = copyStore({
      from: store,
      to: createMemoryStore(),
      clock: () => 0,
      progress: SILENT,
      signal,
    });
    await expect(copying).rejects.toMatchObject({ exit: 'damaged' });
    expect(await repair(store)).toMatchObject({ outcome: 'damaged' });
  });

  it('is not signed by repair --sign', async () => {
    const store = await createForged();
    for (const fault of (await verify(store)).faults)
      if (fault.key.endsWith('.jws')) await store.delete(fault.key);
    expect(await repair(store, true)).toMatchObject({ outcome: 'damaged' });
  });
});

describe('a list without an end', () => {
  const withList = (store: ObjectStore, listed: (prefix: string) => string): ObjectStore => ({
    ...store,
    async *list(prefix) {
      yield* store.list(prefix);
      for (let i = 0; ; i += 1) yield { key: listed(`${prefix}${i}`), sizeBytes: 1, modifiedAtMs: 0 };
    },
  });

  it('is damage for verify', async () => {
    const { faults } = await verify(withList(await signed.create(), (key) => key));
    expect(faults).toContainEqual({ key: 'public/', message: 'has more than 100000 objects' });
  });

  it('is damage for a repair that needs all records', async () => {
    const store = await signed.create();
    await store.delete(POINTER_KEY);
    await store.delete(ALIASES_KEY);
    const repairing = repair(withList(store, () => 'releases/x'));
    await expect(repairing).rejects.toMatchObject({ fault: { message: 'has more than 200000 objects' } });
  });
});

it('a key that no store has is refused in the target of a copy', async () => {
  const target = await signed.create();
  await target.delete(POINTER_KEY);
  const listing: ObjectStore = {
    ...target,
    async *list(prefix) {
      await Promise.resolve();
      yield { key: `${prefix}../x`, sizeBytes: 1, modifiedAtMs: 0 };
    },
  };
  const source = await signed.create();
  const strict: ObjectStore = { ...source, head: async (key) => source.head(assertKey(key)) };
  await expect(copy(strict, listing)).rejects.toMatchObject({ exit: 'usage' });
});

describe('an endless answer', () => {
  /** Returns a store that answers some keys with as many bytes as it is asked for, and the largest numbers that it was asked for. */
  function createEndless(
    store: ObjectStore,
    isEndless: (key: string) => boolean,
  ): { readonly store: ObjectStore; readonly asked: Map<string, number> } {
    const asked = new Map<string, number>();
    return {
      asked,
      store: {
        ...store,
        get: (key, maxBytes = MAX_OBJECT_BYTES) => {
          if (!isEndless(key)) return store.get(key, maxBytes);
          asked.set(key, Math.max(maxBytes, asked.get(key) ?? 0));
          return Promise.resolve({ bytes: Buffer.alloc(maxBytes, ' '), etag: '"endless"' });
        },
      },
    };
  }

  it.each([
    ['the pointer', 10_001, (key: string) => key === POINTER_KEY],
    ['aliases.json', 10_001, (key: string) => key === ALIASES_KEY],
    ['gc.json', 10_001, (key: string) => key === GC_KEY],
    ['refusal.json', 1_000_001, (key: string) => key === REFUSAL_KEY],
    ['a release record', 4_000_001, (key: string) => parseReleaseKey(key) !== undefined],
    ['a statement', 1_000_000, (key: string) => key.endsWith('.jws')],
    ['the list of releases', 100_000, (key: string) => key === RELEASE_LIST_KEY],
    ['every artifact', 2_000_000, (key: string) => parseObjectKey(key) !== undefined],
    ['every public copy', 2_000_000, (key: string) => key.startsWith('public/') && !key.endsWith('.jws')],
  ])('in place of %s is cut, and is damage', async (_what, limit, isEndless) => {
    const endless = createEndless(await signed.create(), isEndless);
    const { faults } = await verify(endless.store);
    expect(faults.length).toBeGreaterThan(0);
    expect(Math.max(...endless.asked.values())).toBeLessThanOrEqual(limit);
  });

  it('of a copied object is cut at its listed size', async () => {
    const source = await signed.create();
    const { public: listed } = await readRelease(source);
    const { sha256 = '', bytes = 0 } = listed[PUBLIC_PATHS.landing] ?? {};
    const endless = createEndless(source, (key) => key === objectKey(sha256));
    await expect(copy(endless.store, createMemoryStore())).rejects.toMatchObject({ exit: 'damaged' });
    expect(endless.asked.get(objectKey(sha256))).toBe(bytes + 1);
  });
});
