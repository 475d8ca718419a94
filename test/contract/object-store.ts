import { createHash } from 'node:crypto';
import pMap from 'p-map';
import { type ObjectStore, MAX_OBJECT_BYTES } from '../../infra/store/object-store.js';
import { createUse, META, type StoreUse } from './store-use.js';

const WRITERS = Array.from({ length: 8 }, (_, i) => `writer ${i}`);

/** Requirements for `putIfAbsent`. */
function describePutIfAbsent({ store, put, read, etagOf }: StoreUse): void {
  it('creates an absent key once and keeps its first bytes', async () => {
    expect(await put('object', 'first')).toBe('created');
    const etag = await etagOf('object');
    expect(await put('object', 'first')).toBe('exists');
    expect(await put('object', 'other')).toBe('exists');
    expect([await read('object'), await etagOf('object')]).toEqual(['first', etag]);
  });

  it('lets exactly one of eight concurrent writers create a key', async () => {
    const results = await Promise.all(WRITERS.map((text) => put('object', text)));
    expect([...results].sort()).toEqual(['created', ...new Array<string>(7).fill('exists')]);
    expect(await read('object')).toBe(WRITERS[results.indexOf('created')]);
  });

  it('rejects more bytes than could be read again', async () => {
    const body = Buffer.alloc(MAX_OBJECT_BYTES + 1);
    await expect(store().putIfAbsent('object', body, META)).rejects.toThrow(
      /^object would have 64000001 bytes/,
    );
    await expect(store().compareAndSwap('object', body, null, META)).rejects.toThrow(/could be read again/);
    expect(await store().get('object')).toBeUndefined();
  });

  it('creates a deleted key again', async () => {
    await put('object', 'first');
    await store().delete('object');
    expect(await put('object', 'other')).toBe('created');
    expect(await read('object')).toBe('other');
  });
}

/** Requirements for `compareAndSwap`. */
function describeCompareAndSwap({ store, put, swap, read, etagOf }: StoreUse): void {
  it('creates an absent key if null is expected, and resolves its ETag', async () => {
    expect(await swap('object', 'first', null)).toBe(await etagOf('object'));
    expect(await read('object')).toBe('first');
  });

  it('replaces an object with the expected ETag, and resolves the new one', async () => {
    await put('object', 'first');
    const etag = await swap('object', 'other', await etagOf('object'));
    expect([await read('object'), await etagOf('object')]).toEqual(['other', etag]);
  });

  it('replaces equal bytes too, which resets the age of an object', async () => {
    await put('object', 'first');
    expect(await swap('object', 'first', await etagOf('object'))).toBe(await etagOf('object'));
    expect(await read('object')).toBe('first');
  });

  it('resolves "conflict" and changes nothing if the ETag is stale', async () => {
    await put('object', 'first');
    const stale = await etagOf('object');
    const current = await swap('object', 'second', stale);
    expect(await swap('object', 'third', stale)).toBe('conflict');
    expect([await read('object'), await etagOf('object')]).toEqual(['second', current]);
  });

  it('resolves "conflict" and changes nothing if the key exists but null is expected', async () => {
    await put('object', 'first');
    expect(await swap('object', 'other', null)).toBe('conflict');
    expect(await read('object')).toBe('first');
  });

  it('resolves "conflict" and creates nothing if the key is absent but an ETag is expected', async () => {
    await put('another', 'text');
    expect(await swap('object', 'other', await etagOf('another'))).toBe('conflict');
    expect(await store().get('object')).toBeUndefined();
  });

  it.each(['an absent key', 'a present key'])(
    'lets exactly one of eight concurrent writers swap %s',
    async (kind) => {
      if (kind === 'a present key') await put('object', 'first');
      const expected = await etagOf('object');
      const results = await Promise.all(WRITERS.map((text) => swap('object', text, expected)));
      const winner = results.findIndex((result) => result !== 'conflict');
      expect(results.filter((result) => result === 'conflict')).toHaveLength(7);
      expect([await read('object'), await etagOf('object')]).toEqual([WRITERS[winner], results[winner]]);
    },
  );

  it('loses no update of eight writers that retry until they win', async () => {
    await pMap(WRITERS, async () => {
      for (;;) {
        const found = await store().get('counter');
        const next = Number(found ? Buffer.from(found.bytes).toString() : 0) + 1;
        if ((await swap('counter', String(next), found?.etag ?? null)) !== 'conflict') return;
      }
    });
    expect(await read('counter')).toBe('8');
  });

  it('shows readers either all old or all new bytes during swaps', async () => {
    const bodies = ['a', 'b'].map((letter) => letter.repeat(300_000));
    let etag = await swap('object', bodies[0] ?? '', null);
    const swapping = (async () => {
      for (let i = 1; i <= 10 && etag !== 'conflict'; i += 1)
        etag = await swap('object', bodies[i % 2] ?? '', etag);
    })();
    for (let i = 0; i < 20; i += 1) expect(bodies).toContain(await read('object'));
    await swapping;
    expect(etag).not.toBe('conflict');
  });
}

/** Largest allowed skew between a store's clock and this machine's. */
const CLOCK_TOLERANCE_MS = 10 * 60_000;

/** An empty store for one test. */
export type StoreUnderTest = { readonly store: ObjectStore; readonly dispose: () => Promise<void> };

/** Tests the contract of `ObjectStore`, which every adapter must pass. ETags are opaque. */
export function describeObjectStore(name: string, create: () => Promise<StoreUnderTest>): void {
  describe(`${name} fulfils the contract of ObjectStore`, () => {
    let under: StoreUnderTest;
    beforeEach(async () => {
      under = await create();
    });
    afterEach(() => under.dispose());

    const use = createUse(() => under.store);
    describeReading(use);
    describePutIfAbsent(use);
    describeCompareAndSwap(use);
    describeListing(use);
    describeDeleting(use);
  });
}

function describeReading({ store, put, swap, read, etagOf, keys }: StoreUse): void {
  it('resolves undefined for a missing key', async () => {
    expect(await store().get('missing')).toBeUndefined();
    expect(await store().head('missing')).toBeUndefined();
  });

  it('resolves undefined for a key that is a prefix of another key, or below one', async () => {
    await put('public/a/b', 'text');
    for (const key of ['public', 'public/a', 'public/a/b/c']) {
      expect([key, await store().get(key), await store().head(key)]).toEqual([key, undefined, undefined]);
    }
  });

  it.each([
    ['one byte', Buffer.from([0])],
    ['every byte value', Buffer.from(Array.from({ length: 256 }, (_, i) => i))],
    ['line ends and a byte order mark', Buffer.from('\ufeffa\r\nb\rc\n')],
    ['a megabyte', scatteredBytes(1_048_576)],
  ])('returns exactly the bytes that were written: %s', async (_name, body) => {
    await store().putIfAbsent('bytes', body, META);
    const found = await store().get('bytes');
    expect(found?.bytes).toHaveLength(body.length);
    expect(sha256(found?.bytes)).toBe(sha256(body));
  });

  it('returns only as many bytes as asked for, with the ETag of the object', async () => {
    await put('object', 'some text');
    const etag = await etagOf('object');
    for (const [maxBytes, text] of [
      [4, 'some'],
      [9, 'some text'],
      [10, 'some text'],
    ] as const) {
      const found = await store().get('object', maxBytes);
      expect([found?.etag, Buffer.from(found?.bytes ?? []).toString()]).toEqual([etag, text]);
    }
  });

  it('resolves the size, SHA-256, time and ETag of an object', async () => {
    await put('object', 'some text');
    const head = await store().head('object');
    expect(head).toMatchObject({ sizeBytes: 9, sha256: sha256(Buffer.from('some text')) });
    expect(head?.etag).toBe(await etagOf('object'));
    expect(Math.abs(Date.now() - (head?.modifiedAtMs ?? 0))).toBeLessThan(CLOCK_TOLERANCE_MS);
  });

  it('changes the ETag and the digest when the content changes', async () => {
    await put('object', 'first');
    const before = await store().head('object');
    await swap('object', 'other', await etagOf('object'));
    const after = await store().head('object');
    expect(after?.etag).not.toBe(before?.etag);
    expect(after?.sha256).toBe(sha256(Buffer.from('other')));
  });

  it('gives the time of its own clock after an answer, unless it has none', async () => {
    await put('object', 'some text');
    await read('object');
    const now = store().now === undefined ? Date.now() : store().now?.();
    expect(Math.abs(Date.now() - (now ?? NaN))).toBeLessThan(CLOCK_TOLERANCE_MS);
  });

  it('is not affected by changes to the buffers of its callers', async () => {
    const body = Buffer.from('some text');
    await store().putIfAbsent('object', body, META);
    body.fill(0);
    (await store().get('object'))?.bytes.fill(0);
    expect(await read('object')).toBe('some text');
  });

  it.each([
    '0',
    'store.json',
    'a.b-c_d/E.9',
    'public/.well-known/keys',
    `releases/2026-08-19.000001/0f.json`,
    `objects/${'0'.repeat(64)}`,
  ])('accepts the key %s', async (key) => {
    expect(await put(key, 'text')).toBe('created');
    expect([await read(key), await keys('')]).toEqual(['text', [key]]);
  });

  it('distinguishes keys by every character', async () => {
    const similar = ['a/b', 'a/b.c', 'a/b-c', 'a/b_c', 'a/bc', 'a.b', 'a-b/c'];
    for (const key of similar) expect(await put(key, key)).toBe('created');
    for (const key of similar) expect(await read(key)).toBe(key);
  });
}

function describeListing({ store, put, keys }: StoreUse): void {
  const tree = [
    'list/10',
    'list/9',
    'list/A',
    'list/a-b',
    'list/a.b',
    'list/a/c',
    'list/a/d/e',
    'list/a0',
    'list/b',
    'lists/x',
  ];

  it('lists all keys in the order of their code units, with size and time', async () => {
    for (const key of [...tree].reverse()) await put(key, key);
    expect(await keys('')).toEqual(tree);
    for await (const { key, sizeBytes, modifiedAtMs } of store().list('')) {
      expect(sizeBytes).toBe(key.length);
      expect(Math.abs(Date.now() - modifiedAtMs)).toBeLessThan(CLOCK_TOLERANCE_MS);
    }
  });

  it.each([
    'list',
    'list/',
    'list/a',
    'list/a/',
    'list/a/d',
    'list/a/d/e',
    'list/1',
    'l',
    'list/a/d/e/',
    'missing',
    'LIST',
  ])('lists exactly the keys that begin with "%s"', async (prefix) => {
    for (const key of tree) await put(key, key);
    expect(await keys(prefix)).toEqual(tree.filter((key) => key.startsWith(prefix)));
  });

  it.each(['/', './', '../', 'list//', 'list/./', 'list/../', 'list/a/../'])(
    'lists nothing for "%s", which is not a prefix of any key, or rejects it with a TypeError',
    async (prefix) => {
      for (const key of tree) await put(key, key);
      const listed = await keys(prefix).catch((error: unknown) => {
        expect(error).toBeInstanceOf(TypeError);
        return [];
      });
      expect(listed).toEqual([]);
    },
  );

  it('lists nothing in an empty store', async () => {
    expect(await keys('')).toEqual([]);
  });

  it('lists more keys than one response contains', async () => {
    const many = Array.from({ length: 1100 }, (_, i) => `many/${String(i).padStart(4, '0')}`);
    await pMap(many, (key) => put(key, key), { concurrency: 32 });
    expect(await keys('many/')).toEqual(many);
  }, 60_000);
}

function describeDeleting({ store, put, keys }: StoreUse): void {
  it('deletes an object and nothing beside it', async () => {
    for (const key of ['a', 'b/c', 'b/d']) await put(key, key);
    await store().delete('b/c');
    expect([await store().get('b/c'), await keys('')]).toEqual([undefined, ['a', 'b/d']]);
  });

  it.each(['missing', 'b/missing', 'missing/c', 'b', 'a/below'])(
    'ignores the deletion of %s, which does not exist',
    async (key) => {
      for (const each of ['a', 'b/c']) await put(each, each);
      await store().delete(key);
      expect(await keys('')).toEqual(['a', 'b/c']);
    },
  );
}

function sha256(bytes: Uint8Array | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}

/** Returns the same incompressible bytes on every run. */
function scatteredBytes(length: number): Buffer {
  let state = 1;
  return Buffer.from(Array.from({ length }, () => (state = (state * 48_271) % 2_147_483_647) & 0xff));
}
