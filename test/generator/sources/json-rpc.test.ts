import { createJsonRpc, resultOf, type JsonRpc, type RpcCall } from '../../../generator/sources/json-rpc.js';
import { failureOf } from '../../support/sources/failure-of.js';
import { createInstantTools, type InstantTools } from '../../support/sources/instant-tools.js';
import {
  RpcFault,
  startRpcService,
  type RpcBody,
  type RpcService,
} from '../../support/sources/rpc-service.js';

const { signal } = new AbortController();
const [ONE, TWO, THREE] = ['1', '2', '3'].map((text): RpcCall => ({ method: 'echo', params: [text] }));
const CALLS = [ONE, TWO, THREE] as RpcCall[];

describe('a client of JSON-RPC', () => {
  let service: RpcService;
  let tools: InstantTools;
  let rpc: JsonRpc;
  beforeEach(async () => {
    service = await startRpcService({
      echo: (text: string) => text,
      fail: (code: number, message: string) => {
        throw new RpcFault(code, message);
      },
    });
    tools = createInstantTools('2026-03-27T06:15:00Z');
    rpc = createJsonRpc({
      source: 'node',
      endpoint: service.endpoint,
      tools,
      pace: { requests: 2, perMs: 1000 },
    });
  });
  afterEach(() => service.dispose());

  it('POSTs a call as JSON, and returns its result', async () => {
    expect(await rpc.call(CALLS[0] as RpcCall, signal)).toEqual({ result: '1' });
    const [request] = service.takeRequests();
    expect(request?.headers['content-type']).toBe('application/json');
    expect(request?.headers).not.toHaveProperty('authorization');
    expect(request?.calls).toEqual([{ jsonrpc: '2.0', id: 1, method: 'echo', params: ['1'] }]);
  });

  it('sends a batch in one request, and finds each answer by its id', async () => {
    service.alter((body) => (body as RpcBody[]).toReversed());
    expect(await rpc.batch(CALLS, signal)).toEqual(['1', '2', '3'].map((result) => ({ result })));
    expect(service.takeRequests()).toHaveLength(1);
  });

  it('returns the error of one call of a batch beside the results of the others', async () => {
    const calls = [ONE, { method: 'fail', params: [-8, 'too high'] }] as RpcCall[];
    expect(await rpc.batch(calls, signal)).toEqual([
      { result: '1' },
      { error: { code: -8, message: 'too high' } },
    ]);
  });

  const hostile: [string, (body: RpcBody[]) => unknown, string][] = [
    ['an answer is missing', (all) => all.slice(1), 'expected an answer with id 1, got none'],
    ['an id is missing', (all) => all.map(({ result }) => ({ result })), 'expected'],
    ['an id is a text', ([one, ...rest]) => [{ ...one, id: '1' }, ...rest], 'expected an answer with id 1'],
    [
      'an answer is repeated',
      ([one, ...rest]) => [one, one, ...rest],
      'expected one answer 1, got another one',
    ],
    ['there is one more', (all) => [...all, { id: 9, result: 1 }], 'expected 3 answers, got 4'],
    [
      'there is neither result nor error',
      (all) => all.map(({ id }) => ({ id })),
      'expected a result or an error',
    ],
    ['an answer is null', () => [null, null, null], 'expected an answer of JSON-RPC, got null'],
    [
      'a single result answers',
      () => ({ id: 1, result: '1' }),
      'expected an array of answers, got a single one',
    ],
    ['a text answers', () => '"none"', 'expected an answer of JSON-RPC, got "none"'],
    ['a page for people answers', () => '<html>', 'expected JSON'],
  ];
  it.each(hostile)('refuses a batch if %s', async (_what, change, message) => {
    service.alter((body) => change(body as RpcBody[]));
    const error = await failureOf(rpc.batch(CALLS, signal));
    expect(error).toMatchObject({ code: 'shape' });
    expect(error.message).toContain(message);
  });

  it.each([
    [-32600, 'shape'],
    [-32601, 'shape'],
    [-32602, 'shape'],
    [-3, 'shape'],
    [-32005, 'unavailable'],
    [-1, 'unavailable'],
  ])('takes the single error %s for a whole batch as %s', async (code, expected) => {
    service.alter(() => ({ id: null, error: { code, message: 'batch\u0007 too large.' } }));
    const error = await failureOf(rpc.batch(CALLS, signal));
    expect(error.code).toBe(expected);
    expect(error.message).toBe(
      `node: ${service.endpoint}: a batch: expected a result, got the error ${code}: batch? too large.`,
    );
  });

  describe('a batch that is too large for the node', () => {
    const many = Array.from({ length: 100 }, (_, i): RpcCall => ({ method: 'echo', params: [String(i)] }));
    const results = many.map(({ params: [text] }) => ({ result: text }));
    const sizes = (): number[] => scene().map(({ calls }) => calls.length);
    const scene = (): ReturnType<RpcService['takeRequests']> => service.takeRequests();

    /** Refuses batches of more than `most` calls as a node does. */
    const limit = (most: number, refuse: (all: RpcBody[]) => unknown): void =>
      service.alter((body, calls) => (calls.length > most ? refuse(body as RpcBody[]) : body));
    const error = (code: number, message: string): RpcBody => ({ id: null, error: { code, message } });
    /** Forms of a refusal. Those without a version are made up. */
    const refusals: [string, (all: RpcBody[]) => unknown][] = [
      [
        'geth 1.17.10, seen: one entry with the id of the first call',
        ([first]) => [{ jsonrpc: '2.0', id: first?.id, error: { code: -32600, message: 'batch too large' } }],
      ],
      ['a single error with the code of a limit', () => error(-32005, 'Batch size limit exceeded')],
      [
        'jsonrpsee 0.26.1, from its source: a single error',
        () => error(-32010, 'The batch request was too large'),
      ],
      ['a single error of the server', () => error(-32000, 'batch limit 50 exceeded')],
    ];
    it.each(refusals)(
      'is sent in halves until it passes, as are all later ones: %s',
      async (_what, refuse) => {
        limit(30, refuse);
        expect(await rpc.batch(many, signal)).toEqual(results);
        expect(sizes()).toEqual([100, 50, 25, 25, 25, 25]);
        expect(await rpc.batch(many, signal)).toEqual(results);
        expect(sizes()).toEqual([25, 25, 25, 25]);
      },
    );

    it('is sent in halves after status 413', async () => {
      service.intercept((res, calls) => {
        if (calls.length > 30) res.writeHead(413).end();
        return calls.length > 30;
      });
      expect(await rpc.batch(many, signal)).toEqual(results);
      expect(sizes()).toEqual([100, 50, 25, 25, 25, 25]);
    });

    const tooLong: [string, (all: RpcBody[]) => unknown][] = [
      [
        'geth 1.17.10, from its source: an error for each later call',
        (all) =>
          all.map((each, i) => (i < 20 ? each : { ...error(-32003, 'response too large'), id: each.id })),
      ],
      [
        'jsonrpsee 0.26.1, from its source: a single error',
        () => error(-32011, 'The batch response was too large'),
      ],
      ['more bytes than were allowed', (all) => [...all, { id: 'x'.repeat(9_000), result: 1 }]],
    ];
    it.each(tooLong)(
      'is sent in halves if its answers are too long, but later ones are not: %s',
      async (_what, refuse) => {
        limit(60, refuse);
        expect(await rpc.batch(many, signal, 9_000)).toEqual(results);
        expect(sizes()).toEqual([100, 50, 50]);
        await rpc.batch(many, signal, 9_000);
        expect(sizes()).toEqual([100, 50, 50]);
      },
    );

    it('ends with the words of a node that takes no batch', async () => {
      limit(0, ([first]) => [{ id: first?.id, error: { code: -32600, message: 'batch too large' } }]);
      expect(await rpc.batch(many, signal).then((all) => all[0])).toEqual({
        error: { code: -32600, message: 'batch too large' },
      });
      limit(0, () => error(-32600, 'no batches here'));
      expect((await failureOf(rpc.batch(many, signal))).message).toContain('-32600: no batches here.');
    });

    it('is known by its first part, for which a check sends no more', async () => {
      limit(30, () => error(-32000, 'too many'));
      expect(await rpc.part(many, signal)).toEqual(results.slice(0, 25));
      expect(sizes()).toEqual([100, 50, 25]);
    });
  });

  it.each([
    [
      401,
      'the node refuses the endpoint, which has no user and password (status 401). Add them, or correct the',
    ],
    [403, 'the node refuses to be asked for echo (status 403). Allow this user all methods that'],
    [400, 'expected JSON, got status 400.'],
  ])('says what status %s means', async (status, message) => {
    service.refuse((res) => res.writeHead(status).end('no'));
    const error = await failureOf(rpc.batch(CALLS, signal));
    expect(error.code).toBe('shape');
    expect(error.message).toContain(message);
    expect(service.takeRequests()).toHaveLength(1);
  });

  it('says that the user or password is wrong only of an endpoint that has them', async () => {
    service.refuse((res) => res.writeHead(401).end('no'));
    const endpoint = service.endpoint.replace('//', '//someone:secret@');
    const named = createJsonRpc({ source: 'node', endpoint, pace: { requests: 2, perMs: 1000 } });
    const { message } = await failureOf(named.batch(CALLS, signal));
    expect(message).toBe(
      `node: ${service.endpoint}: the node refuses the user or password (status 401). Correct them.`,
    );
  });

  describe('a node that is asked too often', () => {
    /** Forms of a refusal; all are made up from documents of services. */
    const refusals: [string, (all: RpcBody[]) => unknown][] = [
      ['-32005 for all calls', () => ({ id: null, error: { code: -32005, message: 'limit exceeded' } })],
      [
        '429 for some calls',
        ([first, ...rest]) => [
          { id: first?.id, error: { code: 429, message: 'Exceeded capacity' } },
          ...rest,
        ],
      ],
      [
        'another code',
        () => ({
          id: null,
          error: { code: -32007, message: '50/second request limit reached, too many requests' },
        }),
      ],
    ];
    it.each(refusals)('is asked again after a wait, with as many calls: %s', async (_what, refuse) => {
      let count = 0;
      service.alter((body) => ((count += 1) < 3 ? refuse(body as RpcBody[]) : body));
      const results = ['1', '2', '3'].map((result) => ({ result }));
      expect(await rpc.batch(CALLS, signal)).toEqual(results);
      expect(await rpc.batch(CALLS, signal)).toEqual(results);
      expect(service.takeRequests().map(({ calls }) => calls.length)).toEqual([3, 3, 3, 3]);
      expect(tools.slept.length).toBeGreaterThanOrEqual(2);
    });

    const sizes = (): number[] => service.takeRequests().map(({ calls }) => calls.length);
    const six = (size: number): number[] => Array.from({ length: 6 }, () => size);
    const limitExceeded = { code: -32005, message: 'limit exceeded' };

    it('is not available if it still refuses a single call', async () => {
      service.alter(() => ({ id: null, error: { code: -32005, message: 'daily request count exceeded' } }));
      expect(await failureOf(rpc.batch(CALLS, signal))).toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('got the error -32005: daily request count exceeded, 6 times.'),
      });
      expect(sizes()).toEqual([...six(3), ...six(2), ...six(1)]);
    });

    const persistent: [string, (all: RpcBody[]) => unknown][] = [
      ['the error of EIP-1474 for the batch', () => ({ id: null, error: limitExceeded })],
      ['the error of EIP-1474 for each call', (all) => all.map(({ id }) => ({ id, error: limitExceeded }))],
      [
        '429 for the last calls',
        (all) =>
          all.map((each, i) =>
            i < 2 ? each : { id: each.id, error: { code: 429, message: 'Exceeded capacity' } },
          ),
      ],
    ];
    it.each(persistent)(
      'gets half of the calls after the waits, as of all later: %s',
      async (_what, refuse) => {
        service.alter((body, calls) => (calls.length > 2 ? refuse(body as RpcBody[]) : body));
        const results = ['1', '2', '3'].map((result) => ({ result }));
        expect(await rpc.batch(CALLS, signal)).toEqual(results);
        expect(sizes()).toEqual([...six(3), 2, 1]);
        expect(await rpc.batch(CALLS, signal)).toEqual(results);
        expect(sizes()).toEqual([2, 1]);
      },
    );

    it('is not halved while it is starting', async () => {
      service.alter(() => ({ id: null, error: { code: -28, message: 'Loading block index' } }));
      expect(await failureOf(rpc.batch(CALLS, signal))).toMatchObject({ code: 'unavailable' });
      expect(sizes()).toEqual(six(3));
    });

    it.each(['rate limit', { code: -1, data: 'rate limit' }])(
      'is not one whose error is %j',
      async (error) => {
        service.alter(() => ({ id: 1, error }));
        expect(await rpc.call(CALLS[0] as RpcCall, signal)).toHaveProperty('error');
        expect(sizes()).toEqual([1]);
      },
    );
  });

  it('takes the method that Hardhat 3.18.0 does not support as a difference, not as a failure that may pass', () => {
    const answer = { error: { code: -32004, message: 'Method eth_getBlockReceipts is not supported' } };
    const result = (): unknown => resultOf('here', 'echo', answer);
    expect(result).toThrow(expect.objectContaining({ code: 'shape' }));
  });

  it('refuses the answer to another call', async () => {
    service.alter((body) => Object.assign(body, { id: 7 }));
    expect(await failureOf(rpc.call(CALLS[0] as RpcCall, signal))).toMatchObject({ code: 'shape' });
  });

  it.each(['null', 'no', {}, [], 5])('understands an error that is %j', async (error) => {
    service.alter(() => ({ id: null, error }));
    const answer = await rpc.call(CALLS[0] as RpcCall, signal);
    expect(() => resultOf('here', 'echo', answer)).toThrow(
      /^here: echo: expected a result, got the error 0: /,
    );
  });

  it('keeps the pace, and tries again after 503', async () => {
    let count = 0;
    service.refuse((res) => res.writeHead((count += 1) === 1 ? 503 : 200).end('{"id":1,"result":5}'));
    expect(await rpc.call(CALLS[0] as RpcCall, signal)).toEqual({ result: { number: '5' } });
    expect(tools.slept).toEqual([500]);
    const [first, again] = service.takeRequests();
    expect(again?.calls).toEqual(first?.calls);
    await failureOf(rpc.call(CALLS[0] as RpcCall, signal));
    expect(tools.slept).toEqual([500, 500]);
  });

  it('limits the bytes of an answer', async () => {
    expect(await failureOf(rpc.batch(CALLS, signal, 20))).toMatchObject({
      code: 'shape',
      message: expect.stringContaining('at most 20 bytes'),
    });
  });

  it('ends with the reason of the signal', async () => {
    const aborted = AbortSignal.abort(new Error('stopped'));
    await expect(rpc.call(CALLS[0] as RpcCall, aborted)).rejects.toThrow('stopped');
    expect(service.takeRequests()).toEqual([]);
  });
});
