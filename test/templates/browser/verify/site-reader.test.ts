import { createSiteReader } from '../../../../templates/browser/verify/site-reader.js';

/** Returns the reader of a site that gives these answers in turn, with what it was asked for and how long it paused. */
function readerOf(...answers: readonly Response[]): {
  readonly read: ReturnType<typeof createSiteReader>;
  readonly asked: [unknown, unknown][];
  readonly pauses: number[];
} {
  const asked: [unknown, unknown][] = [];
  const pauses: number[] = [];
  const read = createSiteReader({
    fetchFile: (target, options) => {
      const answer = answers[Math.min(asked.push([target, options]), answers.length) - 1];
      return answer === undefined ? Promise.reject(new Error('no answer')) : Promise.resolve(answer);
    },
    pause: (seconds) => Promise.resolve(void pauses.push(seconds)),
  });
  return { read, asked, pauses };
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

it.each([
  ['3', 3],
  ['0', 1],
  ['9000', 120],
  ['Thu, 26 Nov 2026 13:00:00 GMT', 10],
])('pauses and asks again if the host limits requests with Retry-After: %s', async (after, seconds) => {
  const limited = new Response('', { status: 429, headers: { 'Retry-After': after } });
  const { read, pauses } = readerOf(limited, limited, new Response('abc'));
  expect(await read('/docs', { fresh: false })).toMatchObject({ bytes: new TextEncoder().encode('abc') });
  expect(pauses).toEqual([seconds, seconds]);
});

it('gives up on a host that keeps limiting requests', async () => {
  const { read, asked } = readerOf(new Response('', { status: 429 }));
  await expect(read('/docs', { fresh: false })).rejects.toThrow('status 429');
  expect(asked).toHaveLength(10);
});
