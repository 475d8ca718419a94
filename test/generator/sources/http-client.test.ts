import { gzipSync } from 'node:zlib';
import { sha256Hex } from '../../../schemas/digest.js';
import {
  createHttpClient,
  type HttpClient,
  type HttpClientOptions,
} from '../../../generator/sources/http-client.js';
import { SourceError } from '../../../generator/sources/source.js';
import {
  replyStatus,
  startFakeService,
  type FakeService,
  type Reply,
} from '../../support/sources/fake-service.js';
import { createInstantTools, type InstantTools } from '../../support/sources/instant-tools.js';

const NOW = '2026-03-27T06:15:00Z';
const NEVER = new AbortController().signal;

describe('an HTTP client of a source', () => {
  let service: FakeService;
  let tools: InstantTools;
  beforeEach(async () => {
    service = await startFakeService();
    tools = createInstantTools(NOW);
  });
  afterEach(() => service.dispose());

  const create = (options: Partial<HttpClientOptions> = {}): HttpClient =>
    createHttpClient({
      source: 'example',
      endpoint: service.endpoint,
      pace: { requests: 100, perMs: 1000 },
      tools,
      ...options,
    });
  const read = (options?: Partial<HttpClientOptions>, signal = NEVER): ReturnType<HttpClient['getJson']> =>
    create(options).getJson(`${service.endpoint}/v1/days.json`, { maxBytes: 1000, signal });
  const failure = async (reading: Promise<unknown>): Promise<SourceError> => {
    const error: unknown = await reading.catch((thrown: unknown) => thrown);
    if (error instanceof SourceError) return error;
    throw new Error(`expected a SourceError, got ${String(error)}`);
  };
  /** Answers the first request with `reply`, and all later ones with JSON. */
  const answerFirst = (reply: Reply): void => service.answer((_, count) => (count === 1 ? reply : '[1.50]'));

  it('returns the value with the digits of its numbers, and the evidence of the bytes', async () => {
    service.answer(() => '{"value":0.10000000000000000555,"name":"ü"}');
    const { value, response } = await read();
    expect(value).toEqual({ value: { number: '0.10000000000000000555' }, name: 'ü' });
    expect(response).toEqual({
      url: `${service.endpoint}/v1/days.json`,
      ...service.served('/v1/days.json'),
      fetched_at: NOW,
    });
  });

  it('names the product and asks for JSON', async () => {
    service.answer(() => '[]');
    await read();
    const [request] = service.takeRequests();
    expect(request).toMatchObject({ method: 'GET', headers: { accept: 'application/json' } });
    expect(request?.headers['user-agent']).toContain('chain-reference-data');
  });

  describe('retries', () => {
    it.each([
      ['429', replyStatus(429)],
      ['500', replyStatus(500)],
      ['503', replyStatus(503)],
      ['a connection that is closed', (res) => res.destroy()],
      [
        'a body that ends early',
        (res) => res.writeHead(200, { 'Content-Length': '9' }).write('[1', () => res.destroy()),
      ],
    ] as [string, Reply][])('%s', async (_name, reply) => {
      answerFirst(reply);
      expect((await read()).value).toEqual([{ number: '1.50' }]);
      expect(service.takeRequests()).toHaveLength(2);
      expect(tools.slept).toEqual([500]);
    });

    it('five times, with exponential backoff and full jitter, and then reports the last failure', async () => {
      service.answer(() => replyStatus(502));
      const error = await failure(read());
      expect(error.code).toBe('unavailable');
      expect(error.message).toBe(
        `example: ${service.endpoint}/v1/days.json: expected an answer, got status 502, 6 times.`,
      );
      expect(tools.slept).toEqual([500, 1000, 2000, 4000, 8000]);
      expect(service.takeRequests()).toHaveLength(6);
    });

    it.each([
      ['seconds', '7', 7000],
      ['an HTTP date', 'Fri, 27 Mar 2026 06:15:09 GMT', 9000],
      ['a date that has passed', 'Fri, 27 Mar 2026 06:00:00 GMT', 500],
      ['less than the backoff', '0', 500],
      ['something else', 'soon', 500],
    ])('after the time that Retry-After asks for: %s', async (_name, retryAfter, waitMs) => {
      answerFirst(replyStatus(429, { 'Retry-After': retryAfter }));
      await read();
      expect(tools.slept).toEqual([waitMs]);
    });

    it('not when Retry-After asks for more than five minutes', async () => {
      service.answer(() => replyStatus(429, { 'Retry-After': '3600' }));
      const error = await failure(read());
      expect(error).toMatchObject({ code: 'unavailable' });
      expect(error.message).toContain('got status 429 and the demand to wait until 2026-03-27T07:15:00Z');
      expect(service.takeRequests()).toHaveLength(1);
      expect(tools.slept).toEqual([]);
    });

    it('nothing of the host before the time until which it wants to be left alone', async () => {
      answerFirst(replyStatus(429, { 'Retry-After': '3600' }));
      const client = create();
      const get = (): ReturnType<HttpClient['getJson']> =>
        client.getJson(`${service.endpoint}/v1/days.json`, { maxBytes: 1000, signal: NEVER });
      for (let i = 0; i < 2; i += 1) {
        const { message } = await failure(get());
        expect(message).toContain('the demand to wait until 2026-03-27T07:15:00Z');
      }
      expect(service.takeRequests()).toHaveLength(1);
      await tools.sleep(3_600_000, NEVER);
      await get();
    });

    it.each([400, 401, 403, 404, 204, 206])('not the status %s', async (status) => {
      service.answer(() => replyStatus(status));
      expect(await failure(read())).toMatchObject({ code: 'shape' });
      expect(service.takeRequests()).toHaveLength(1);
    });

    it('a host that refuses connections, and names the cause', async () => {
      const client = create();
      await service.dispose();
      const url = `${service.endpoint}/v1/days.json`;
      const error = await failure(client.getJson(url, { maxBytes: 1000, signal: NEVER }));
      expect(error.code).toBe('unavailable');
      expect(error.message).toContain('got no answer (ECONNREFUSED), 6 times');
      service = await startFakeService();
    });
  });

  describe('limits', () => {
    const limits = { firstByteMs: 60, idleMs: 60, totalMs: 60 };
    const LONG = 10_000;

    it.each([
      ['an answer that does not begin', { ...limits, idleMs: LONG, totalMs: LONG }, () => undefined],
      [
        'an answer that stops',
        { ...limits, firstByteMs: LONG, totalMs: LONG },
        (res) => void res.writeHead(200).write('[1'),
      ],
      ['an answer that drips', { ...limits, firstByteMs: LONG, idleMs: LONG }, (res) => drip(res)],
    ] as [string, typeof limits, Reply][])('the time of %s, and tries again', async (_name, each, reply) => {
      answerFirst(reply);
      expect((await read({ limits: each })).value).toEqual([{ number: '1.50' }]);
      expect(service.takeRequests().length).toBeGreaterThan(1);
    });

    it('the time of all tries, and names the limit', async () => {
      service.answer(() => (res) => drip(res));
      const error = await failure(read({ limits: { ...limits, totalMs: 20 } }));
      expect(error).toMatchObject({ code: 'unavailable' });
      expect(error.message).toContain('got no complete answer within 0.02 seconds, 6 times');
    });

    it('the bytes of the body', async () => {
      service.answer(() => `["${'x'.repeat(996)}"]`);
      expect((await read()).response.bytes).toBe(1000);
      service.answer(() => `["${'x'.repeat(997)}"]`);
      const error = await failure(read());
      expect(error).toMatchObject({ code: 'shape' });
      expect(error.message).toContain('expected JSON of at most 1000 bytes, got more');
    });

    it('the bytes after decompression, so that a gzip bomb is refused', async () => {
      const bomb = gzipSync(Buffer.alloc(10_000_000, ' '));
      service.answer(() => (res) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(bomb));
      expect(await failure(read())).toMatchObject({ code: 'shape' });
      expect(service.takeRequests()).toHaveLength(1);
    });

    it('nothing of an honest compressed body, whose evidence is the text inside', async () => {
      const zipped = gzipSync('[1]');
      service.answer(() => (res) => res.writeHead(200, { 'Content-Encoding': 'gzip' }).end(zipped));
      expect((await read()).response).toMatchObject({ sha256: sha256Hex('[1]'), bytes: 3 });
    });
  });

  describe('refuses', () => {
    it.each([
      ['JSON that ends early', '[{"value":1},{"val', 'expected JSON, got other text'],
      ['a bare NaN', '[{"value":NaN}]', 'expected JSON, got other text'],
      ['a page for people', '<html>\u0007 Just a moment', 'expected JSON, got other text'],
      ['an empty body', '', 'expected JSON, got other text'],
    ])('%s', async (_name, body, message) => {
      service.answer(() => body);
      const error = await failure(read());
      expect(error).toMatchObject({ code: 'shape' });
      expect(error.message).toContain(message);
      expect(error.message).not.toMatch(/\p{C}/u);
    });

    it('text that is not UTF-8', async () => {
      service.answer(() => (res) => res.writeHead(200).end(Buffer.from([0x22, 0xff, 0x22])));
      expect(await failure(read())).toMatchObject({ code: 'shape' });
    });

    it.each(['/v2/days.json?token=abc', 'https://other.example/days.json?token=abc'])(
      'a redirect to %s, without its query in the message',
      async (location) => {
        service.answer(() => replyStatus(301, { Location: location }));
        const error = await failure(read());
        expect(error).toMatchObject({ code: 'shape' });
        expect(error.message).toMatch(/got a redirect to http.*\/days\.json, which is not followed\.$/);
        expect(service.takeRequests()).toHaveLength(1);
      },
    );

    it('a URL on another host, without a request', async () => {
      for (const url of [
        'http://127.0.0.1:9/x',
        `${service.endpoint}.example/x`,
        'file:///etc/passwd',
        'x',
      ]) {
        const error = await failure(create().getJson(url, { maxBytes: 10, signal: NEVER }));
        expect(error).toMatchObject({ code: 'shape' });
      }
      expect(service.takeRequests()).toEqual([]);
    });

    it.each(['http://api.example.com', 'https://user:word@api.example.com', 'https://a.example/?k=1', 'api'])(
      'the endpoint %s',
      (endpoint) => {
        expect(() => create({ endpoint })).toThrow('the endpoint must be an https URL');
      },
    );
  });

  it('shows a secret parameter neither in errors nor in the evidence', async () => {
    const client = create({ secretParameters: ['api_key'] });
    const get = (): ReturnType<HttpClient['getJson']> =>
      client.getJson(`${service.endpoint}/x?api_key=hush&page=1`, { maxBytes: 10, signal: NEVER });
    service.answer(() => '[]');
    expect((await get()).response.url).toBe(`${service.endpoint}/x?page=1`);
    expect(service.takeRequests()[0]?.url).toBe('/x?api_key=hush&page=1');
    for (const reply of [replyStatus(404), replyStatus(500), 'no JSON']) {
      service.answer(() => reply);
      expect((await failure(get())).message).not.toContain('hush');
    }
  });

  it('keeps the pace of the host, retries included', async () => {
    const client = create({ pace: { requests: 2, perMs: 60_000 } });
    const get = (): ReturnType<HttpClient['getJson']> =>
      client.getJson(`${service.endpoint}/x`, { maxBytes: 10, signal: NEVER });
    service.answer((_, count) => (count === 2 ? replyStatus(500) : '[]'));
    for (let i = 0; i < 4; i += 1) await get();
    expect(tools.slept).toEqual([500, 59_500, 60_000]); // starts at 0 s, 0 s, 60 s, 60 s, 120 s
  });

  it('sends nothing before its turn', async () => {
    let sent = 0;
    let begin = (): void => undefined;
    const fake = {
      fetch: () => {
        sent += 1;
        return Promise.resolve(new Response('[]'));
      },
      sleep: () => new Promise<void>((resolve) => void (begin = resolve)),
    };
    const client = create({ pace: { requests: 1, perMs: 1000 }, tools: { ...tools, ...fake } });
    const get = (): Promise<unknown> =>
      client.getJson(`${service.endpoint}/x`, { maxBytes: 10, signal: NEVER });
    await get();
    const second = get();
    await new Promise(setImmediate);
    expect(sent).toBe(1);
    begin();
    await second;
    expect(sent).toBe(2);
  });

  describe('ends with the reason of the signal', () => {
    it('before a request', async () => {
      await expect(read({}, AbortSignal.abort(new Error('stopped')))).rejects.toThrow('stopped');
      expect(service.takeRequests()).toEqual([]);
    });

    it('during a request', async () => {
      const controller = new AbortController();
      service.answer(() => () => controller.abort(new Error('stopped')));
      await expect(read({}, controller.signal)).rejects.toThrow('stopped');
      expect(service.takeRequests()).toHaveLength(1);
    });

    it('during a wait', async () => {
      const controller = new AbortController();
      service.answer(() => replyStatus(500));
      const sleep: InstantTools['sleep'] = (ms, signal) => {
        controller.abort(new Error('stopped'));
        return tools.sleep(ms, signal);
      };
      await expect(read({ tools: { ...tools, sleep } }, controller.signal)).rejects.toThrow('stopped');
      expect(service.takeRequests()).toHaveLength(1);
    });
  });
});

/** Sends a byte every few milliseconds, without an end. */
function drip(res: Parameters<Exclude<Reply, string>>[0]): void {
  res.writeHead(200);
  const timer = setInterval(() => res.write(' '), 5);
  res.on('close', () => clearInterval(timer));
}
