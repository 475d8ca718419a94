import { createSiteReader } from '../../../../templates/browser/verify/site-reader.js';

const ORIGIN = 'https://data.example.com';
const ONCE = { fresh: false, maxBytes: 1_000 };
const ABC = new TextEncoder().encode('abc');

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
    origin: ORIGIN,
    pause: (seconds) => Promise.resolve(void pauses.push(seconds)),
  });
  return { read, asked, pauses };
}

/** Returns an answer of pieces without an end, and the number of pieces that were taken. */
function endless(pieceBytes: number): { readonly answer: Response; readonly taken: () => number } {
  let taken = 0;
  const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    taken += 1;
    controller.enqueue(new Uint8Array(pieceBytes));
  };
  return { answer: new Response(new ReadableStream({ pull })), taken: () => taken };
}

/** Returns an answer that followed a redirect to an address. */
function redirected(url: string): Response {
  return Object.defineProperties(new Response('abc'), { redirected: { value: true }, url: { value: url } });
}

it.each([
  [false, 'no-cache'],
  [true, 'reload'],
])('with fresh %s, asks with the cache mode %s, and without cookies', async (fresh, cache) => {
  const { read, asked } = readerOf(new Response('abc'));
  const file = await read('/docs', { ...ONCE, fresh });
  expect(file).toEqual({ bytes: ABC, isCached: false });
  expect(asked).toEqual([['/docs', expect.objectContaining({ cache, credentials: 'omit' })]]);
});

it.each([
  ['0', false],
  ['00', false],
  ['1', true],
  ['0090', true],
  ['soon', false],
  ['0x1', false],
  ['1e3', false],
  ['0.5', false],
])('with the header Age: %s, says that a cache answered: %s', async (age, isCached) => {
  const { read } = readerOf(new Response('', { headers: { Age: age } }));
  expect(await read('/docs', ONCE)).toMatchObject({ isCached });
});

it.each([404, 410])('returns nothing for %d', async (status) => {
  expect(await readerOf(new Response('', { status })).read('/docs', ONCE)).toBeUndefined();
});

it.each([201, 204, 206, 403, 500, 503])('rejects with the status %d', async (status) => {
  const { read, pauses } = readerOf(new Response(status === 204 ? null : 'abc', { status }));
  await expect(read('/docs', ONCE)).rejects.toThrow(`status ${status}`);
  expect(pauses).toEqual([]);
});

it('follows a redirect on its own host, as to the index of a folder, and refuses one to another host', async () => {
  expect(await readerOf(redirected(`${ORIGIN}/docs/`)).read('/docs', ONCE)).toMatchObject({ bytes: ABC });
  const elsewhere = readerOf(redirected('https://other.example.com/docs'));
  await expect(elsewhere.read('/docs', ONCE)).rejects.toThrow('redirected to another host');
});

describe('a host that asks the reader to wait', () => {
  it.each([
    [429, '3', 3],
    [503, '3', 3],
    [429, '0', 1],
    [429, '', 10],
    [429, '-5', 10],
    [429, 'Thu, 26 Nov 2026 13:00:00 GMT', 10],
  ])('with %d and Retry-After: %s is asked again', async (status, after, seconds) => {
    const limited = new Response('', { status, headers: { 'Retry-After': after } });
    const { read, pauses } = readerOf(limited, limited, new Response('abc'));
    expect(await read('/docs', ONCE)).toMatchObject({ bytes: ABC });
    expect(pauses).toEqual([seconds, seconds]);
  });

  it.each([
    ['1', 9, 9],
    ['50', 3, 120],
    ['9000', 1, 120],
    ['9'.repeat(30), 1, 120],
  ])('for %s seconds each time is given up after %d pauses', async (after, count, seconds) => {
    const { read, asked, pauses } = readerOf(
      new Response('', { status: 429, headers: { 'Retry-After': after } }),
    );
    await expect(read('/docs', ONCE)).rejects.toThrow('status 429');
    expect([asked.length, pauses.length]).toEqual([count + 1, count]);
    expect(pauses.reduce((sum, each) => sum + each, 0)).toBe(seconds);
  });
});

describe('an answer that does not end', () => {
  const never = new Promise<never>(() => undefined);
  const stalled = new ReadableStream({ pull: () => never });

  it.each<[string, () => Promise<Response>]>([
    ['has no headers', () => never],
    ['has no content', () => Promise.resolve(new Response(stalled))],
  ])('in time is given up and aborted, even if no signal ends it: it %s', async (_, answer) => {
    let signal: AbortSignal | undefined;
    const read = createSiteReader({
      fetchFile(__, request) {
        ({ signal } = request);
        return answer();
      },
      origin: ORIGIN,
      pause: () => Promise.resolve(),
      timeoutMs: 20,
    });
    await expect(read('/docs', ONCE)).rejects.toThrow('no complete answer in time');
    expect(signal?.aborted).toBe(true);
  });
});

describe('an answer', () => {
  it.each([0, 2, 3])('of more than %d bytes is cut off after one byte more', async (maxBytes) => {
    const file = await readerOf(new Response('abcdef')).read('/docs', { fresh: false, maxBytes });
    expect(file?.bytes).toEqual(new TextEncoder().encode('abcdef'.slice(0, maxBytes + 1)));
  });

  it.each([1, 1_000, 100_000])('without an end, in pieces of %d bytes, is cut off', async (pieceBytes) => {
    const maxBytes = 200_000;
    const { answer, taken } = endless(pieceBytes);
    const file = await readerOf(answer).read('/docs', { fresh: false, maxBytes });
    expect(file?.bytes).toHaveLength(maxBytes + 1);
    expect(taken()).toBeLessThanOrEqual(Math.ceil((maxBytes + 1) / pieceBytes) + 1);
  });

  it('in many pieces is put together', async () => {
    const bytes = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251);
    const pieces = Array.from({ length: 3_000 }, (_, i) => bytes.subarray(i * 100, (i + 1) * 100)).values();
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
      const { value, done } = pieces.next();
      if (done) controller.close();
      else controller.enqueue(value);
    };
    const file = await readerOf(new Response(new ReadableStream({ pull }))).read('/docs', {
      fresh: false,
      maxBytes: bytes.length,
    });
    expect(Buffer.compare(file?.bytes ?? Buffer.of(), bytes)).toBe(0);
  });
});
