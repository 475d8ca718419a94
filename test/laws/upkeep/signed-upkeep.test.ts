import { parseInstant } from '../../../schemas/dates.js';
import { POINTER_KEY, statementKey } from '../../../schemas/paths.js';
import { TRUST_FAULTS } from '../../../schemas/trust/trust-error.js';
import type { ReleaseStatement } from '../../../schemas/types.generated.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { SILENT } from '../../../generator/run/progress.js';
import { KEY_SET_KEY, RELEASE_LIST_KEY } from '../../../generator/signing/signed-history.js';
import { signDocument } from '../../../generator/signing/signer.js';
import { refreshTrustFiles, STATEMENT_COPY_KEY, TIMESTAMP_KEY } from '../../../generator/signing/signing.js';
import { copyStore } from '../../../generator/upkeep/copy/copy-store.js';
import { inspectStore } from '../../../generator/upkeep/inspect-store.js';
import { repairStore } from '../../../generator/upkeep/repair/repair-store.js';
import { verifyStore, type Verification } from '../../../generator/verify/verify-store.js';
import { revokeReleaseKey, rotateKeys } from '../../../generator/core/trust/key-set.js';
import { toTimestamp } from '../../../generator/core/trust/timestamp.js';
import { runGc } from '../../support/release/operate.js';
import { publishSeries } from '../../support/release/publish-series.js';
import { randomSeries } from '../../support/release/random-series.js';
import { createSignedSite, makeSigner, type SignedSite } from '../../support/release/signed-store.js';
import { interceptStore } from '../../support/stores/intercept-store.js';
import { createMemoryCopies, type MemoryCopies } from '../../support/stores/memory-copies.js';
import { createMemoryStore } from '../../support/stores/memory-store.js';
import { differingKeys, snapshotStore } from '../../support/stores/store-snapshot.js';

const SLOW_MS = 300_000;
const FIRST = '2022-02-01T00:00:00Z';
const SECOND = '2022-02-02T00:00:00Z';
const META = { contentType: 'application/jose', cacheControl: 'no-cache' };
const { signal } = new AbortController();

let site: SignedSite;
/** Copies of a signed store with two releases. */
let signed: MemoryCopies;
/** Keys of the statements about the first and the second release. */
let statements: readonly string[];
beforeAll(async () => {
  site = await createSignedSite(FIRST);
  const store = createMemoryStore();
  await site.install(store);
  for (const [asOf, days] of [
    [FIRST, 3],
    [SECOND, 4],
  ] as const) {
    const inputs = [randomSeries({ chain: 'arbitrum', seed: 1, days })];
    await publishSeries(store, { inputs, asOf, signing: site.signingAt(asOf) });
  }
  const keys: string[] = [];
  for await (const { key } of store.list('releases/')) if (key.endsWith('.jws')) keys.push(key);
  statements = keys.sort();
  signed = await createMemoryCopies(store);
}, SLOW_MS);

const verify = (store: ObjectStore, at = SECOND): Promise<Verification> =>
  verifyStore(store, { deep: false, now: () => parseInstant(at) ?? NaN, trust: site.anchor });

async function put(store: ObjectStore, key: string, text: string): Promise<void> {
  const found = await store.get(key);
  await store.compareAndSwap(key, Buffer.from(text), found?.etag ?? null, META);
}

/** Returns the id of the key that signed a document. */
async function keyOf(store: ObjectStore, key: string): Promise<unknown> {
  const [header = ''] = (await read(store, key)).split('.');
  return (JSON.parse(Buffer.from(header, 'base64url').toString()) as { kid: unknown }).kid; // the header of a JWS
}

async function read(store: ObjectStore, key: string): Promise<string> {
  return Buffer.from((await store.get(key))?.bytes ?? []).toString();
}

it('status counts no statement as an orphan release', async () => {
  const options = { nowMs: parseInstant(SECOND) ?? NaN, countsObjects: true, formatAccept: () => '' };
  const { orphans } = await inspectStore(await signed.create(), options);
  expect(orphans).toEqual({ objects: 0, bytes: 0, releases: 0 });
});

describe('verify', () => {
  it('proves every release of a sound store', async () => {
    expect(await verify(await signed.create())).toMatchObject({
      faults: [],
      lagging: [],
      signatures: { trusted: true, statements: 2 },
    });
  });

  it.each<
    readonly [what: string, key: () => string, forge: (store: ObjectStore) => Promise<unknown>, fault: RegExp]
  >([
    [
      'a statement that is missing',
      () => statements[0] ?? '',
      (store) => store.delete(statements[0] ?? ''),
      /but this site signs its releases/,
    ],
    [
      'a statement of another release in its place',
      () => statements[0] ?? '',
      async (store) => put(store, statements[0] ?? '', await read(store, statements[1] ?? '')),
      /does not say what the release record/,
    ],
    [
      'an altered statement',
      () => statements[1] ?? '',
      async (store) => {
        const [header, payload = '', signature] = (await read(store, statements[1] ?? '')).split('.');
        await put(
          store,
          statements[1] ?? '',
          [header, payload.replace(/^../, 'ey'), signature].join('.').replace('.eyJ', '.eyI'),
        );
      },
      /altered/,
    ],
    [
      'a timestamp by a key that is not listed',
      () => TIMESTAMP_KEY,
      async (store) => {
        const subject = { site: site.anchor.site, sequence: 2, sha256: 'a'.repeat(64) };
        const at = parseInstant(SECOND) ?? NaN;
        await put(
          store,
          TIMESTAMP_KEY,
          await signDocument(await makeSigner(), 'timestamp', toTimestamp(subject, at)),
        );
      },
      /a key that the key set does not list/,
    ],
    [
      'a timestamp of another release with the same sequence',
      () => TIMESTAMP_KEY,
      async (store) => {
        const subject = { site: site.anchor.site, sequence: 2, sha256: 'a'.repeat(64) };
        const at = parseInstant(SECOND) ?? NaN;
        await put(
          store,
          TIMESTAMP_KEY,
          await signDocument(site.signer, 'timestamp', toTimestamp(subject, at)),
        );
      },
      /two histories exist/,
    ],
    [
      'a public statement about the same record with other files',
      () => STATEMENT_COPY_KEY,
      async (store) => {
        const [, payload = ''] = (await read(store, STATEMENT_COPY_KEY)).split('.');
        const statement = JSON.parse(Buffer.from(payload, 'base64url').toString()) as ReleaseStatement;
        const other = { ...statement, release_sha256: 'a'.repeat(64) };
        await put(store, STATEMENT_COPY_KEY, await signDocument(site.signer, 'release-statement', other));
      },
      /two histories exist/,
    ],
    [
      'a list without a release',
      () => RELEASE_LIST_KEY,
      async (store) => {
        const list = JSON.parse(await read(store, RELEASE_LIST_KEY)) as { releases: object[] };
        await put(store, RELEASE_LIST_KEY, JSON.stringify({ ...list, releases: list.releases.slice(1) }));
      },
      /does not list the releases of the store/,
    ],
    [
      'a key set of another root key',
      () => KEY_SET_KEY,
      async (store) => {
        const other = await createSignedSite(FIRST);
        await put(store, KEY_SET_KEY, await signDocument(other.root, 'key-set', other.keySet));
      },
      new RegExp(TRUST_FAULTS['root-untrusted']),
    ],
    ['no key set', () => KEY_SET_KEY, (store) => store.delete(KEY_SET_KEY), /are not signed/],
  ])('finds %s', async (_what, key, forge, fault) => {
    const store = await signed.create();
    await forge(store);
    const { faults } = await verify(store);
    expect(faults).toContainEqual({ key: key(), message: expect.stringMatching(fault) as string });
  });

  it('finds a pointer to a release that nobody signed', async () => {
    const store = await signed.create();
    const inputs = [randomSeries({ chain: 'arbitrum', seed: 1, days: 5 })];
    await publishSeries(store, { inputs, asOf: '2022-02-03T00:00:00Z' }); // as a program without the key would
    const { revision, sha256 } = JSON.parse(await read(store, POINTER_KEY)) as {
      revision: string;
      sha256: string;
    };
    const { faults } = await verify(store, '2022-02-03T00:00:00Z');
    expect(faults).toEqual([
      { key: statementKey(revision, sha256), message: expect.stringContaining('is missing') as string },
    ]);
  });
});

describe('copy', () => {
  let at = SECOND;
  afterEach(() => (at = SECOND));
  const now = (): number => parseInstant(at) ?? NaN;
  const copy = (from: ObjectStore, to: ObjectStore): Promise<unknown> =>
    copyStore({ from, to, clock: () => 0, progress: SILENT, signal, trust: { anchor: site.anchor, now } });

  it('copies all that proves the releases, so that readers verify the mirror too, and needs no key', async () => {
    const [from, to] = [await signed.create(), createMemoryStore()];
    await copy(from, to);
    expect(differingKeys(await snapshotStore(from), await snapshotStore(to))).toEqual([]);
    expect((await verify(to)).faults).toEqual([]);
  });

  it('takes nothing from a store that another root key signed, and writes nothing', async () => {
    const foreign = await createSignedSite(FIRST, { seed: 'foreign' });
    const [from, to] = [createMemoryStore(), createMemoryStore()];
    await foreign.install(from);
    await publishSeries(from, {
      inputs: [randomSeries({ chain: 'arbitrum', seed: 1, days: 5 })],
      asOf: FIRST,
      signing: foreign.signingAt(FIRST),
    });
    await expect(copy(from, to)).rejects.toThrow(TRUST_FAULTS['root-untrusted']);
    expect((await snapshotStore(to)).size).toBe(0);
  });

  it('takes nothing back that a faster copy has brought meanwhile', async () => {
    const [from, to] = [await signed.create(), createMemoryStore()];
    const later = await signed.create();
    await publishSeries(later, {
      inputs: [randomSeries({ chain: 'arbitrum', seed: 1, days: 5 })],
      asOf: '2022-02-03T00:00:00Z',
      signing: site.signingAt('2022-02-03T00:00:00Z'),
    });
    at = '2022-02-03T00:00:00Z';
    let isOvertaken = false;
    const slow = interceptStore(to, async ({ name, key }, run) => {
      if (!isOvertaken && name === 'compareAndSwap' && key === STATEMENT_COPY_KEY) {
        isOvertaken = true;
        await copy(later, to);
      }
      return run();
    });
    await copy(from, slow);
    expect(isOvertaken).toBe(true);
    expect(await verify(to, at)).toMatchObject({ faults: [], lagging: [], sequence: 3 });
  });

  it('moves no pointer to a release whose statement is false', async () => {
    const [from, to] = [await signed.create(), createMemoryStore()];
    await put(from, statements[1] ?? '', await read(from, statements[0] ?? ''));
    await expect(copy(from, to)).rejects.toMatchObject({ exit: 'damaged' });
    expect(await to.head(POINTER_KEY)).toBeUndefined();
  });

  it('brings a timestamp that was renewed meanwhile, however long it takes', async () => {
    const [from, to] = [await signed.create(), createMemoryStore()];
    const later = '2022-02-03T06:00:00Z';
    const slow = interceptStore(to, async ({ name, key }, run) => {
      if (at === SECOND && name === 'compareAndSwap' && key === POINTER_KEY) {
        await refreshTrustFiles(from, site.signingAt(later));
        at = later;
      }
      return run();
    });
    await copy(from, slow);
    expect((await verify(to, later)).signatures?.current_until).toBe('2022-02-05T06:00:00Z');
  });

  it('refuses a source with an older key set than the mirror: it may hide that a key was revoked', async () => {
    const [from, to] = [await signed.create(), await signed.create()];
    const atMs = parseInstant(SECOND) ?? NaN;
    const rotated = rotateKeys(site.keySet, await makeSigner(), atMs);
    await site.install(to, revokeReleaseKey(rotated, site.signer.kid, 'a test', atMs));
    const before = await snapshotStore(to);
    await expect(copy(from, to)).rejects.toMatchObject({
      exit: 'damaged',
      message: expect.stringContaining('has version 1, but memory: already has version 3') as string,
    });
    expect(differingKeys(before, await snapshotStore(to))).toEqual([]);
  });

  it('notices a frozen source, also if the mirror has its timestamp', async () => {
    const [from, to] = [await signed.create(), createMemoryStore()];
    await copy(from, to);
    at = '2022-02-20T00:00:00Z';
    await expect(copy(from, to)).rejects.toThrow('has expired');
    await expect(copy(from, createMemoryStore())).rejects.toThrow('has expired');
  });

  it('refuses a source that is no longer signed, or by another root key', async () => {
    const [from, to] = [await signed.create(), await signed.create()];
    await from.delete(KEY_SET_KEY);
    const unsigned = copyStore({ from, to, clock: () => 0, progress: SILENT, signal });
    await expect(unsigned).rejects.toThrow('is not signed. Nothing was copied');
    const other = await createSignedSite(FIRST);
    await put(from, KEY_SET_KEY, await signDocument(other.root, 'key-set', other.keySet));
    const foreign = copyStore({ from, to, clock: () => 0, progress: SILENT, signal });
    await expect(foreign).rejects.toThrow('is signed by another root key');
  });
});

describe('a publisher', () => {
  const THIRD = '2022-02-03T00:00:00Z';
  const FOURTH = '2022-02-04T00:00:00Z';
  const publishDays = (store: ObjectStore, days: number, asOf: string): Promise<unknown> =>
    publishSeries(store, {
      inputs: [randomSeries({ chain: 'arbitrum', seed: 1, days })],
      asOf,
      signing: site.signingAt(asOf),
    });

  it('signs nothing that was published without the key, nor a release after it', async () => {
    const store = await signed.create();
    await publishSeries(store, {
      inputs: [randomSeries({ chain: 'arbitrum', seed: 1, days: 5 })],
      asOf: THIRD,
    });
    await expect(refreshTrustFiles(store, site.signingAt(THIRD))).rejects.toMatchObject({ exit: 'damaged' });
    await expect(publishDays(store, 6, FOURTH)).rejects.toMatchObject({ exit: 'damaged' });
    expect((await verify(store, THIRD)).faults).toHaveLength(1); // still only the forged release
  });

  it('does not take a history from a list that was altered', async () => {
    const store = await signed.create();
    const list = JSON.parse(await read(store, RELEASE_LIST_KEY)) as { releases: { sha256: string }[] };
    const [first, ...rest] = list.releases;
    const releases = [{ ...first, sha256: 'b'.repeat(64) }, ...rest];
    await put(store, RELEASE_LIST_KEY, JSON.stringify({ ...list, releases }));
    await publishDays(store, 5, THIRD);
    const verified = await verify(store, THIRD);
    expect(verified).toMatchObject({ faults: [], lagging: [], signatures: { statements: 3 } });
  });

  it('publishes although the list is damaged, and writes it again', async () => {
    const store = await signed.create();
    await put(store, RELEASE_LIST_KEY, '{}');
    await publishDays(store, 5, THIRD);
    expect((await verify(store, THIRD)).faults).toEqual([]);
  });

  it('renews nothing for an older release than it has signed as the current one', async () => {
    const store = await signed.create();
    const older = await read(store, POINTER_KEY);
    await publishDays(store, 5, THIRD);
    await put(store, POINTER_KEY, older);
    await expect(refreshTrustFiles(store, site.signingAt(THIRD))).rejects.toThrow('moved the pointer back');
  });

  it('renews nothing for a release by a key that has expired: a thief may have signed it', async () => {
    const store = await signed.create();
    const [next, at] = [await makeSigner(), parseInstant(SECOND) ?? NaN];
    const keySet = rotateKeys(site.keySet, next, at);
    await site.install(store, keySet);
    const late = '2022-02-10T00:00:00Z'; // the old key has expired, and nothing was published since
    const signing = { ...site.signingAt(late), signer: next, keySet };
    await expect(refreshTrustFiles(store, signing)).rejects.toMatchObject({
      exit: 'damaged',
      message: expect.stringContaining('has expired (valid until 2022-02-09') as string,
    });
    const checked = await signed.create();
    await site.install(checked, keySet);
    await repairStore(checked, { progress: SILENT, signal, signing }); // an operator has checked the release
    expect((await verify(checked, late)).faults).toEqual([]);
    await refreshTrustFiles(store, { ...signing, now: site.signingAt('2022-02-02T01:00:00Z').now });
    expect(await keyOf(store, TIMESTAMP_KEY)).toBe(next.kid); // though the old timestamp had enough time left
    await refreshTrustFiles(store, signing);
    expect((await verify(store, late)).faults).toEqual([]);
  });

  it('is caught if it signs with a key that was revoked', async () => {
    const store = await signed.create();
    const at = parseInstant(THIRD) ?? NaN;
    const rotated = rotateKeys(site.keySet, await makeSigner(), at);
    await site.install(store, revokeReleaseKey(rotated, site.signer.kid, 'a test', at));
    await publishDays(store, 5, THIRD).catch(() => undefined); // by a thief, who does not mind the key set
    const { faults } = await verify(store, THIRD);
    expect(faults).toContainEqual({
      key: expect.stringMatching(/^releases\/2022-02-03/) as string,
      message: expect.stringContaining('was revoked') as string,
    });
  });
});

describe('repair', () => {
  it.each([
    ['the list of releases', RELEASE_LIST_KEY],
    ['the public copy of the statement', STATEMENT_COPY_KEY],
  ])('restores %s without a key', async (_what, key) => {
    const store = await signed.create();
    const before = await snapshotStore(store);
    await put(store, key, 'damaged');
    await repairStore(store, { progress: SILENT, signal });
    expect(differingKeys(before, await snapshotStore(store))).toEqual([]);
  });

  it('signs a lost statement and the timestamp again with the key', async () => {
    const store = await signed.create();
    await store.delete(statements[0] ?? '');
    await store.delete(TIMESTAMP_KEY);
    const result = await repairStore(store, { progress: SILENT, signal, signing: site.signingAt(SECOND) });
    expect(result.restored).toEqual([statements[0]]);
    expect(await verify(store)).toMatchObject({ faults: [], lagging: [], signatures: { statements: 2 } });
  });

  it('restores a lost pointer together with a lost statement of its release', async () => {
    const store = await signed.create();
    await store.delete(statements[1] ?? '');
    await store.delete(POINTER_KEY);
    const pointer = { revision: '2022-02-02.000001' };
    const options = { progress: SILENT, signal, pointer };
    const without = await repairStore(store, options);
    expect(without).toMatchObject({ outcome: 'damaged', pointer: 'lost', faults: [{ key: statements[1] }] });
    const result = await repairStore(store, { ...options, signing: site.signingAt(SECOND) });
    expect(result).toMatchObject({ outcome: 'repaired', pointer: 'restored', restored: [statements[1]] });
    expect(await verify(store)).toMatchObject({ faults: [], lagging: [], signatures: { statements: 2 } });
  });
});

it('garbage collection keeps the statements of all releases', async () => {
  const store = await signed.create();
  await runGc(store);
  expect((await verify(store)).signatures?.statements).toBe(2);
});
