import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import type { TextRow } from '../../../generator/core/collection/query-day.js';
import { startLoopbackServer } from '../process/loopback-server.js';

/** The result of a query: rows, or Trino's name of an error and its message. */
export type FakeResult = readonly TextRow[] | { readonly errorName: string; readonly message: string };

export type FakeTrinoRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

/** A server on loopback that speaks the protocol of Trino's clients. */
export type FakeTrino = {
  readonly endpoint: string;
  readonly requests: readonly FakeTrinoRequest[];
  /** Number of answers before the first with data, and of rows in an answer. */
  readonly paging: { queued: number; rows: number };
  /** Answers the next requests in another way: each function is used once. */
  readonly fault: (...answers: ((res: ServerResponse) => unknown)[]) => void;
  /** Changes each page before it is sent. */
  change: (page: Record<string, unknown>) => Record<string, unknown>;
  readonly dispose: () => Promise<void>;
};

type Query = { readonly result: Promise<FakeResult>; polls: number; sent: number };

/** Starts a server whose queries are answered by `run`. */
export async function startFakeTrino(
  run: (sql: string) => Promise<FakeResult> | FakeResult,
): Promise<FakeTrino> {
  const queries = new Map<string, Query>();
  const requests: FakeTrinoRequest[] = [];
  const faults: ((res: ServerResponse) => unknown)[] = [];
  const paging = { queued: 2, rows: 2 };
  const server = await startLoopbackServer((req, res) => {
    void answer(req, res).catch((error: unknown) => res.destroy(error as Error));
  });
  const fake: FakeTrino = {
    ...server,
    requests,
    paging,
    fault: (...answers) => void faults.push(...answers),
    change: (page) => page,
  };

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = req;
    const body = await text(req);
    requests.push({ method, url, headers, body });
    const fault = method === 'DELETE' ? undefined : faults.shift();
    const id = method === 'POST' ? randomUUID() : (url.split('/')[4] ?? '');
    if (method === 'POST' && fault === undefined) {
      queries.set(id, { result: Promise.resolve(run(body)), polls: 0, sent: 0 });
    }
    const query = queries.get(id);
    if (fault !== undefined) fault(res);
    else if (url === '/v1/info') send(res, { nodeVersion: { version: '368' }, starting: false });
    else if (query === undefined) res.writeHead(410).end();
    else if (method === 'DELETE') res.writeHead(queries.delete(id) ? 204 : 410).end();
    else send(res, fake.change(await toPage(id, query)));
  }

  async function toPage(id: string, query: Query): Promise<Record<string, unknown>> {
    const next = `${server.endpoint}/v1/statement/executing/${id}/y${'0'.repeat(8)}/${query.polls}`;
    query.polls += 1;
    if (query.polls <= paging.queued) return { id, nextUri: next, stats: { state: 'QUEUED' } };
    const result = await query.result;
    if ('errorName' in result) {
      return { id, stats: { state: 'FAILED' }, error: { ...result, errorCode: 1, errorType: 'USER_ERROR' } };
    }
    const data = result.slice(query.sent, query.sent + paging.rows).map((row) => Object.values(row));
    query.sent += paging.rows;
    const columns = Object.keys(result[0] ?? {}).map((name) => ({ name, type: 'varchar' }));
    const isLast = query.sent >= result.length;
    const rest = isLast ? {} : { nextUri: next };
    return { id, columns, data, stats: { state: isLast ? 'FINISHED' : 'RUNNING' }, ...rest };
  }

  return fake;
}

function send(res: ServerResponse, body: unknown): void {
  res.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(body));
}
