import type { ServerResponse } from 'node:http';
import { createTrinoEngine, type TrinoOptions } from '../../../generator/engines/trino-engine.js';
import type { Engine } from '../../../generator/engines/engine.js';
import { startFakeTrino, type FakeResult, type FakeTrino } from '../../support/engines/fake-trino.js';
import { createInstantTools } from '../../support/engines/instant-tools.js';

const { signal } = new AbortController();
const ROWS = ['1', '2', '3', '4', '5'].map((n) => ({ date: `2026-01-0${n}`, n, nothing: null }));

let server: FakeTrino;
let result: FakeResult | Promise<FakeResult>;
let tools: ReturnType<typeof createInstantTools>;
beforeEach(async () => {
  result = ROWS;
  tools = createInstantTools();
  server = await startFakeTrino(() => result);
});
afterEach(() => server.dispose());

function create(options: Partial<TrinoOptions> = {}): Promise<Engine> {
  const own = { endpoint: server.endpoint, catalog: 'hive', schema: 'raw', tools };
  return createTrinoEngine({ ...own, ...options }, signal);
}

const run = async (engine: Engine, own = signal): ReturnType<Engine['run']> =>
  engine.run({ sql: 'SELECT 1', tables: {} }, own);
const methods = (): string[] =>
  server.requests.map(({ method, url }) => `${method} ${url.split('/', 3).join('/')}`);
const status =
  (code: number, headers = {}) =>
  (res: ServerResponse): unknown =>
    res.writeHead(code, headers).end();
const page =
  (content: unknown) =>
  (res: ServerResponse): unknown =>
    res.writeHead(200).end(JSON.stringify(content));

describe('a query', () => {
  it('gives the rows of all pages, after those of the queue', async () => {
    server.paging.queued = 3;
    expect(await run(await create())).toEqual(ROWS);
    expect(methods()).toEqual([
      'GET /v1/info',
      'POST /v1/statement',
      ...Array.from({ length: 5 }, () => 'GET /v1/statement'),
    ]);
  });

  it('without rows gives none', async () => {
    result = [];
    expect(await run(await create())).toEqual([]);
  });

  it('is sent as text, with its user, catalog and schema', async () => {
    await run(await create({ user: 'carol', authorization: 'Bearer secret' }));
    for (const { headers } of server.requests) {
      expect(headers).toMatchObject({
        'x-trino-user': 'carol',
        'x-trino-catalog': 'hive',
        'x-trino-schema': 'raw',
        authorization: 'Bearer secret',
      });
    }
    expect(server.requests[1]).toMatchObject({ method: 'POST', body: 'SELECT 1' });
  });

  it('waits longer from poll to poll, up to 5 seconds', async () => {
    server.paging.queued = 20;
    await run(await create());
    expect(tools.slept.slice(0, 3)).toEqual([100, 150, 225]);
    expect(Math.max(...tools.slept)).toBe(5_000);
  });
});

describe('a failed query', () => {
  it.each([
    ['COLUMN_NOT_FOUND', 'shape'],
    ['TABLE_NOT_FOUND', 'shape'],
    ['TYPE_MISMATCH', 'shape'],
    ['HIVE_BAD_DATA', 'shape'],
    ['NUMERIC_VALUE_OUT_OF_RANGE', 'shape'],
    ['SYNTAX_ERROR', 'failed'],
    ['EXCEEDED_GLOBAL_MEMORY_LIMIT', 'failed'],
    ['NO_NODES_AVAILABLE', 'failed'],
  ])('%s has an error with the code %s', async (errorName, code) => {
    result = { errorName, message: 'line 1:8: no' };
    await expect(run(await create())).rejects.toMatchObject({
      name: 'EngineError',
      code,
      message: `Trino: ${errorName}: line 1:8: no`,
    });
  });

  it('is one in the state FAILED, even without an error', async () => {
    server.change = (page) => ({ ...page, stats: { state: 'FAILED' } });
    await expect(run(await create())).rejects.toThrow('UNKNOWN');
  });

  it('is one with a column that is not text', async () => {
    server.change = (page) => (page['data'] === undefined ? page : { ...page, data: [['a', 1, null]] });
    await expect(run(await create())).rejects.toMatchObject({
      code: 'shape',
      message: expect.stringContaining('Column n'),
    });
  });
});

describe('a fault of the server', () => {
  it.each([
    ['503', status(503)],
    ['502', status(502)],
    ['500', status(500)],
    ['429', status(429)],
    ['a lost connection', (res: ServerResponse): unknown => res.destroy()],
  ])('%s is tried again', async (_what, fault) => {
    const engine = await create();
    server.fault(fault, fault);
    expect(await run(engine)).toEqual(ROWS);
    expect(tools.slept.slice(0, 2)).toEqual([100, 200]);
  });

  it('lets the client wait as long as it asks', async () => {
    const engine = await create();
    server.fault(status(429, { 'Retry-After': '7' }));
    expect(await run(engine)).toEqual(ROWS);
    expect(tools.slept[0]).toBe(7_000);
  });

  it('ends the query after nine attempts', async () => {
    const engine = await create();
    server.fault(...Array.from({ length: 9 }, () => status(503)));
    await expect(run(engine)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringMatching(/status 503, 9 times\.$/),
    });
  });

  it.each([
    ['a demand to wait for an hour', status(503, { 'Retry-After': '3600' }), 'status 503'],
    ['a wrong password', status(401), 'status 401'],
    ['a redirect', status(307, { Location: 'https://example.com/' }), 'status 307'],
    ['text', (res: ServerResponse): unknown => res.writeHead(200).end('<html>'), 'JSON'],
    [
      'an answer of another form',
      (res: ServerResponse): unknown => res.writeHead(200).end('[]'),
      'no columns',
    ],
    ['a row of another length', page({ columns: [{ name: 'a' }], data: [['1', '2']] }), '1 values, got 2'],
    ['columns without names', page({ columns: [{}] }), 'names of columns'],
    ['rows that are no list', page({ columns: [{ name: 'a' }], data: {} }), 'a list of data'],
  ])('ends the query at once for %s', async (_what, fault, message) => {
    const engine = await create();
    server.fault(fault);
    await expect(run(engine)).rejects.toMatchObject({
      code: 'failed',
      message: expect.stringContaining(message),
    });
    expect(tools.slept).toEqual([]);
  });
});

describe('the address of the next page', () => {
  it.each(['https://example.com/v1/statement/x', 'http://127.0.0.1:1/v1/statement/x', 'nowhere', 7])(
    'must be on the same server: %p is refused and the query cancelled',
    async (nextUri) => {
      let pages = 0;
      server.change = (page) => ((pages += 1) === 2 ? { ...page, nextUri } : page);
      await expect(run(await create())).rejects.toThrow(`expected a next page on ${server.endpoint}`);
      expect(methods().at(-1)).toBe('DELETE /v1/statement');
    },
  );
});

describe('an abort', () => {
  it('cancels the query on the server, with its reason', async () => {
    server.paging.queued = Infinity;
    const abort = new AbortController();
    const reason = new Error('stop');
    const engine = await create();
    server.change = (page) => {
      if (server.requests.length === 6) abort.abort(reason);
      return page;
    };
    await expect(run(engine, abort.signal)).rejects.toBe(reason);
    const [last, before] = server.requests.toReversed();
    expect(last?.method).toBe('DELETE');
    expect(last?.url.split('/').slice(0, 5)).toEqual(before?.url.split('/').slice(0, 5));
  });

  it('before the query starts nothing', async () => {
    const engine = await create();
    const reason = new Error('stop');
    await expect(run(engine, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(methods()).toEqual(['GET /v1/info']);
  });
});

it('a query has a time limit, after which it is cancelled', async () => {
  server.paging.queued = Infinity;
  const engine = await create({ timeLimitMs: 100 });
  await expect(run(engine)).rejects.toMatchObject({
    code: 'failed',
    message: 'Trino: no result within 0.1 seconds.',
  });
  expect(methods().at(-1)).toBe('DELETE /v1/statement');
});

it('the engine has its own tables, and names the version of the server', async () => {
  expect(await create()).toMatchObject({ name: 'trino 368', ownTables: true });
});

it.each([
  ['endpoint', { endpoint: 'http://example.com' }],
  ['endpoint', { endpoint: 'https://user@example.com' }],
  ['endpoint', { endpoint: 'trino' }],
  ['catalog', { catalog: '' }],
  ['schema', { schema: 'a\nb' }],
  ['authorization', { authorization: 'Bearer \u00fc' }],
])('an invalid %s is refused: %j', async (name, options) => {
  await expect(create(options)).rejects.toMatchObject({
    exit: 'usage',
    message: expect.stringContaining(name),
  });
  expect(server.requests).toEqual([]);
});

it('a server of another kind is refused', async () => {
  server.fault((res) => res.writeHead(200).end('{}'));
  await expect(create()).rejects.toMatchObject({ name: 'EngineError', code: 'failed' });
});
