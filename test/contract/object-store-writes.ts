import pMap from 'p-map';
import { MAX_OBJECT_BYTES } from '../../infra/store/object-store.js';
import { META, type StoreUse } from './store-use.js';

const WRITERS = Array.from({ length: 8 }, (_, i) => `writer ${i}`);

/** Requirements for `putIfAbsent`. */
export function describePutIfAbsent({ store, put, read, etagOf }: StoreUse): void {
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
export function describeCompareAndSwap({ store, put, swap, read, etagOf }: StoreUse): void {
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
