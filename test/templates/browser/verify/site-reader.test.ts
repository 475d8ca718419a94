import { createSiteReader } from '../../../../templates/browser/verify/site-reader.js';

/** Returns the reader of a site that answers every request so, and what it was asked for. */
function readerOf(answer: Response): {
  readonly read: ReturnType<typeof createSiteReader>;
  readonly asked: [unknown, RequestInit | undefined][];
} {
  const asked: [unknown, RequestInit | undefined][] = [];
  const read = createSiteReader((target, options) => {
    asked.push([target, options]);
    return Promise.resolve(answer);
  });
  return { read, asked };
}

it.each([
  [false, 'no-cache'],
  [true, 'reload'],
])('with fresh %s, asks with the cache mode %s, and without cookies', async (fresh, cache) => {
  const { read, asked } = readerOf(new Response('abc'));
  const file = await read('/docs', { fresh });
  expect(file).toEqual({ bytes: new TextEncoder().encode('abc'), isCached: false });
  expect(asked).toEqual([['/docs', expect.objectContaining({ cache, credentials: 'omit' })]]);
});

it.each([
  ['0', false],
  ['1', true],
  ['soon', false],
])('with the header Age: %s, says that a cache answered: %s', async (age, isCached) => {
  const { read } = readerOf(new Response('', { headers: { Age: age } }));
  expect(await read('/docs', { fresh: false })).toMatchObject({ isCached });
});

it('returns nothing for 404, and rejects with the status of other errors', async () => {
  expect(await readerOf(new Response('', { status: 404 })).read('/docs', { fresh: false })).toBeUndefined();
  const { read } = readerOf(new Response('', { status: 503 }));
  await expect(read('/docs', { fresh: false })).rejects.toThrow('status 503');
});
