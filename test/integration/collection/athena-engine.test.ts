import type { ServerResponse } from 'node:http';
import { createAthenaEngine, type AthenaOptions } from '../../../generator/engines/athena-engine.js';
import type { Engine, EngineQuery } from '../../../generator/engines/engine.js';
import { refuse, startFakeAthena, type FakeAthena } from '../../support/engines/fake-athena.js';
import type { FakeResult } from '../../support/engines/fake-trino.js';
import { createInstantTools } from '../../support/engines/instant-tools.js';

const { signal } = new AbortController();
const ROWS = ['1', '2', '3', '4', '5'].map((n) => ({ date: `2026-01-0${n}`, n, nothing: null, empty: '' }));
const QUERY: EngineQuery = { sql: 'SELECT 1', tables: {} };
const MARKED = { ...QUERY, mark: 'etags of today' };

let server: FakeAthena;
let result: FakeResult;
let tools: ReturnType<typeof createInstantTools>;
beforeEach(async () => {
  result = ROWS;
  tools = createInstantTools();
  server = await startFakeAthena(() => result);
});
afterEach(() => server.dispose());

function create(options: Partial<AthenaOptions> = {}): Promise<Engine> {
  const credentials = { accessKeyId: 'AKIATEST', secretAccessKey: 'secret' };
  const own = { region: 'us-east-2', workgroup: 'daily', database: 'raw', endpoint: server.endpoint };
  return createAthenaEngine({ ...own, credentials, tools, ...options }, signal);
}

const actions = (): string[] => server.requests.map(({ action }) => action);
const bodies = (action: string): unknown[] =>
  server.requests.filter((each) => each.action === action).map(({ body }) => body);
const throttle = (res: ServerResponse): void => refuse(res, 'TooManyRequestsException', 'slow down');

const replaceIn = (body: object, from: string, to: string): Record<string, unknown> =>
  JSON.parse(JSON.stringify(body).replace(from, to)) as Record<string, unknown>;

describe('a query', () => {
  it('gives the rows of all pages: nulls are null, and the names of columns are no row', async () => {
    expect(await (await create()).run(QUERY, signal)).toEqual(ROWS);
    expect(actions()).toEqual([
      'GetWorkGroup',
      'StartQueryExecution',
      ...Array.from({ length: 3 }, () => 'GetQueryExecution'),
      ...Array.from({ length: 3 }, () => 'GetQueryResults'),
    ]);
  });

  it('without rows gives none', async () => {
    result = [];
    expect(await (await create()).run(QUERY, signal)).toEqual([]);
  });

  it('is sent with its workgroup, database and place of results, signed', async () => {
    await (await create({ outputLocation: 's3://results/athena/' })).run(QUERY, signal);
    expect(bodies('StartQueryExecution')).toEqual([
      {
        QueryString: 'SELECT 1',
        ClientRequestToken: expect.stringMatching(/^[0-9a-f]{64}$/),
        WorkGroup: 'daily',
        QueryExecutionContext: { Database: 'raw' },
        ResultConfiguration: { OutputLocation: 's3://results/athena/' },
      },
    ]);
    for (const { headers } of server.requests) {
      expect(headers.authorization).toMatch(
        /^AWS4-HMAC-SHA256 Credential=AKIATEST\/\d+\/us-east-2\/athena\/aws4_request/,
      );
    }
  });

  it('waits longer from poll to poll, up to 5 seconds', async () => {
    server.paging.running = 20;
    await (await create()).run(QUERY, signal);
    expect(tools.slept.slice(0, 3)).toEqual([100, 150, 225]);
    expect(Math.max(...tools.slept)).toBe(5_000);
  });
});

describe('the same query', () => {
  const started = (): Set<unknown> =>
    new Set(
      bodies('StartQueryExecution').map(
        (body) => (body as { ClientRequestToken: string }).ClientRequestToken,
      ),
    );
  const found = (): Set<unknown> =>
    new Set(bodies('GetQueryResults').map((body) => (body as { QueryExecutionId: string }).QueryExecutionId));

  it('with the same mark gives the result of the same execution', async () => {
    const engine = await create();
    expect(await engine.run(MARKED, signal)).toEqual(ROWS);
    result = [];
    expect(await (await create()).run(MARKED, signal)).toEqual(ROWS);
    expect([started().size, found().size]).toEqual([1, 1]);
  });

  it.each([
    ['another mark', { ...MARKED, mark: 'etags of tomorrow' }, {}],
    ['other SQL', { ...MARKED, sql: 'SELECT 2' }, {}],
    ['another database', MARKED, { database: 'other' }],
    ['another workgroup', MARKED, { workgroup: 'other' }],
    ['another place of results', MARKED, { outputLocation: 's3://results/' }],
  ])('with %s is another execution', async (_what, query, options) => {
    await (await create()).run(MARKED, signal);
    await (await create(options)).run(query, signal);
    expect(found().size).toBe(2);
  });

  it('without a mark is another execution, because the data may have changed', async () => {
    const engine = await create();
    await engine.run(QUERY, signal);
    await engine.run(QUERY, signal);
    expect(found().size).toBe(2);
  });

  it('is started again if it failed in an earlier run', async () => {
    const engine = await create();
    result = { errorName: 'GENERIC_INTERNAL_ERROR', message: 'no' };
    server.paging.running = 1;
    await expect(engine.run(MARKED, signal)).rejects.toThrow('GENERIC_INTERNAL_ERROR');
    result = ROWS;
    expect(await engine.run(MARKED, signal)).toEqual(ROWS);
  });

  it('is started six times at most', async () => {
    result = { errorName: 'GENERIC_INTERNAL_ERROR', message: 'no' };
    server.paging.running = 0;
    await expect((await create()).run(MARKED, signal)).rejects.toThrow('GENERIC_INTERNAL_ERROR');
    expect(started().size).toBe(6);
  });

  it('is started once when the answer to its start is lost', async () => {
    server.fault('StartQueryExecution', (res) => res.destroy());
    expect(await (await create()).run(QUERY, signal)).toEqual(ROWS);
    expect([bodies('StartQueryExecution').length, started().size]).toEqual([2, 1]);
  });
});

describe('a failed query', () => {
  it.each([
    ['COLUMN_NOT_FOUND', 'shape'],
    ['TABLE_NOT_FOUND', 'shape'],
    ['TYPE_MISMATCH', 'shape'],
    ['HIVE_BAD_DATA', 'shape'],
    ['SYNTAX_ERROR', 'failed'],
    ['GENERIC_INTERNAL_ERROR', 'failed'],
  ])('%s has an error with the code %s', async (errorName, code) => {
    result = { errorName, message: 'line 1:8: no' };
    await expect((await create()).run(QUERY, signal)).rejects.toMatchObject({
      name: 'EngineError',
      code,
      message: `Athena: ${errorName}: line 1:8: no`,
    });
  });

  it.each([
    ['without a name', { State: 'FAILED', StateChangeReason: 'Bytes scanned limit was exceeded' }],
    ['that somebody stopped', { State: 'CANCELLED', StateChangeReason: 'Query cancelled by user' }],
    ['without a reason', { State: 'FAILED', StateChangeReason: undefined }],
  ])('%s may succeed later', async (_what, status) => {
    server.change = (action, body) =>
      action === 'GetQueryExecution' ? { QueryExecution: { Status: status } } : body;
    await expect((await create()).run(QUERY, signal)).rejects.toMatchObject({
      code: 'failed',
      message: `Athena: ${status.State}: ${status.StateChangeReason ?? 'without a reason'}`,
    });
  });

  it('is one with a column that is not text', async () => {
    server.change = (action, body) =>
      action === 'GetQueryResults' ? replaceIn(body, 'varchar', 'bigint') : body;
    await expect((await create()).run(QUERY, signal)).rejects.toMatchObject({
      code: 'shape',
      message: 'Column date of the result is not text.',
    });
  });

  it('is one whose result has no row with the names of columns', async () => {
    server.change = (action, body) =>
      action === 'GetQueryResults' ? replaceIn(body, '"date"', '"day"') : body;
    await expect((await create()).run(QUERY, signal)).rejects.toThrow('names of columns');
  });
});

describe('a fault of the service', () => {
  it.each(['StartQueryExecution', 'GetQueryExecution', 'GetQueryResults'])(
    'that throttles %s is tried again, later each time',
    async (action) => {
      const engine = await create();
      server.fault(action, throttle, throttle, throttle);
      expect(await engine.run(QUERY, signal)).toEqual(ROWS);
      expect(tools.slept).toEqual(expect.arrayContaining([100, 200, 400]));
    },
  );

  it.each([
    [
      'an internal error',
      (res: ServerResponse): unknown => refuse(res, 'InternalServerException', 'no', 500),
    ],
    ['a gateway', (res: ServerResponse): unknown => res.writeHead(503).end()],
    ['a lost connection', (res: ServerResponse): unknown => res.destroy()],
  ])('such as %s is tried again', async (_what, fault) => {
    const engine = await create();
    server.fault('GetQueryExecution', fault, fault);
    expect(await engine.run(QUERY, signal)).toEqual(ROWS);
  });

  it('ends the query after nine attempts', async () => {
    const engine = await create();
    server.fault('GetQueryExecution', ...Array.from({ length: 9 }, () => throttle));
    await expect(engine.run(QUERY, signal)).rejects.toMatchObject({
      code: 'failed',
      message: 'Athena: TooManyRequestsException: slow down',
    });
  });

  it('ends the query at once if access is denied', async () => {
    const engine = await create();
    server.fault('StartQueryExecution', (res) => refuse(res, 'AccessDeniedException', 'not allowed'));
    await expect(engine.run(QUERY, signal)).rejects.toThrow('Athena: AccessDeniedException: not allowed');
    expect(tools.slept).toEqual([]);
  });
});

describe('an abort', () => {
  it('stops the query, with its reason', async () => {
    server.paging.running = Infinity;
    const abort = new AbortController();
    const reason = new Error('stop');
    const engine = await create();
    server.change = (_action, body) => {
      if (server.requests.length === 6) abort.abort(reason);
      return body;
    };
    await expect(engine.run(QUERY, abort.signal)).rejects.toBe(reason);
    expect(actions().at(-1)).toBe('StopQueryExecution');
    expect(bodies('StopQueryExecution')).toEqual(bodies('GetQueryExecution').slice(0, 1));
  });

  it('before the query starts nothing', async () => {
    const engine = await create();
    const reason = new Error('stop');
    await expect(engine.run(QUERY, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(actions()).toEqual(['GetWorkGroup']);
  });
});

it('a query has a time limit, after which it is stopped', async () => {
  server.paging.running = Infinity;
  const engine = await create({ timeLimitMs: 200 });
  const message = 'Athena: no result within 0.2 seconds.';
  await expect(engine.run(QUERY, signal)).rejects.toMatchObject({ code: 'failed', message });
  expect(actions().at(-1)).toBe('StopQueryExecution');
});

it('the engine has its own tables, and names the version of the workgroup', async () => {
  expect(await create()).toMatchObject({ name: 'athena engine version 3', ownTables: true });
});

it('an endpoint without encryption is refused', async () => {
  await expect(create({ endpoint: 'http://example.com' })).rejects.toMatchObject({ exit: 'usage' });
});
