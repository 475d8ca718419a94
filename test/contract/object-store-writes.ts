import pMap from 'p-map';
import type { StoreUse } from './store-use.js';

const WRITERS = Array.from({ length: 8 }, (_, i) => `writer ${i}`);

/** What the law of the object store says of putting. */
export function describePutIfAbsent({ store, put, read, etagOf }: StoreUse): void {
  it('creates an absent key once and keeps its first bytes', async () => {
    expect(await put('object', 'first')).toBe('created');
    const etag = await etagOf('object');
    expect(await put('object', 'first')).toBe('exists');
    expect(await put('object', 'other')).toBe('exists');
    expect([await read('object'), await etagOf('object')]).toEqual(['first', etag]);
  });

  it('lets one of eight writers at once create a key', async () => {
    const results = await Promise.all(WRITERS.map((text) => put('object', text)));
    expect([...results].sort()).toEqual(['created', ...new Array<string>(7).fill('exists')]);
    expect(await read('object')).toBe(WRITERS[results.indexOf('created')]);
  });

  it('creates a deleted key anew', async () => {
    await put('object', 'first');
    await store().delete('object');
    expect(await put('object', 'other')).toBe('created');
    expect(await read('object')).toBe('other');
  });
}

/** What the law of the object store says of swapping. */
export function describeCompareAndSwap({ store, put, swap, read, etagOf }: StoreUse): void {
  it('swaps in an absent key when none was expected, and resolves its etag', async () => {
    expect(await swap('object', 'first', null)).toBe(await etagOf('object'));
    expect(await read('object')).toBe('first');
  });

  it('swaps what still has the expected etag, and resolves the new one', async () => {
    await put('object', 'first');
    const etag = await swap('object', 'other', await etagOf('object'));
    expect([await read('object'), await etagOf('object')]).toEqual(['other', etag]);
  });

  it('swaps equal bytes too: that renews the age of an object', async () => {
    await put('object', 'first');
    expect(await swap('object', 'first', await etagOf('object'))).toBe(await etagOf('object'));
    expect(await read('object')).toBe('first');
  });

  it('says conflict and changes nothing when the etag is stale', async () => {
    await put('object', 'first');
    const stale = await etagOf('object');
    const current = await swap('object', 'second', stale);
    expect(await swap('object', 'third', stale)).toBe('conflict');
    expect([await read('object'), await etagOf('object')]).toEqual(['second', current]);
  });

  it('says conflict and changes nothing when the key was expected to be absent', async () => {
    await put('object', 'first');
    expect(await swap('object', 'other', null)).toBe('conflict');
    expect(await read('object')).toBe('first');
  });

  it('says conflict and creates nothing when an etag was expected of an absent key', async () => {
    await put('another', 'text');
    expect(await swap('object', 'other', await etagOf('another'))).toBe('conflict');
    expect(await store().get('object')).toBeUndefined();
  });

  it.each(['an absent key', 'a present key'])('lets one of eight writers at once swap %s', async (kind) => {
    if (kind === 'a present key') await put('object', 'first');
    const expected = await etagOf('object');
    const results = await Promise.all(WRITERS.map((text) => swap('object', text, expected)));
    const winner = results.findIndex((result) => result !== 'conflict');
    expect(results.filter((result) => result === 'conflict')).toHaveLength(7);
    expect([await read('object'), await etagOf('object')]).toEqual([WRITERS[winner], results[winner]]);
  });

  it('loses no step of eight writers who try again until they win', async () => {
    await pMap(WRITERS, async () => {
      for (;;) {
        const found = await store().get('counter');
        const next = Number(found ? Buffer.from(found.bytes).toString() : 0) + 1;
        if ((await swap('counter', String(next), found?.etag ?? null)) !== 'conflict') return;
      }
    });
    expect(await read('counter')).toBe('8');
  });

  it('shows a reader the old bytes or the new ones, whole, while they are swapped', async () => {
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
