import { randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { json } from 'node:stream/consumers';
import { startLoopbackServer } from '../process/loopback-server.js';
import type { FakeResult } from './fake-trino.js';

type Body = Readonly<Record<string, unknown>>;

export type AthenaRequest = {
  /** Such as `StartQueryExecution`. */
  readonly action: string;
  readonly body: Body;
  readonly headers: IncomingMessage['headers'];
};

/** A server on loopback that speaks the JSON 1.1 protocol of Athena. */
export type FakeAthena = {
  readonly endpoint: string;
  readonly requests: readonly AthenaRequest[];
  /** Number of answers before the end of a query, and of rows in an answer. */
  readonly paging: { running: number; rows: number };
  /** Answers the next requests of an action in another way: each function is used once. */
  readonly fault: (action: string, ...answers: ((res: ServerResponse) => unknown)[]) => void;
  /** Changes each answer before it is sent. */
  change: (action: string, answer: Body) => Body;
  readonly dispose: () => Promise<void>;
};

type Execution = { readonly input: Body; readonly result: Promise<FakeResult>; polls: number; state: string };

/** Starts a server whose queries are answered by `run`. */
export async function startFakeAthena(
  run: (sql: string) => Promise<FakeResult> | FakeResult,
): Promise<FakeAthena> {
  const executions = new Map<string, Execution>();
  const tokens = new Map<unknown, string>();
  const requests: AthenaRequest[] = [];
  const faults: { action: string; answer: (res: ServerResponse) => unknown }[] = [];
  const paging = { running: 2, rows: 2 };
  const server = await startLoopbackServer((req, res) => {
    void answer(req, res).catch((error: unknown) => res.destroy(error as Error));
  });
  const fake: FakeAthena = {
    ...server,
    requests,
    paging,
    fault: (action, ...answers) => void faults.push(...answers.map((each) => ({ action, answer: each }))),
    change: (_action, body) => body,
  };

  async function answer(req: IncomingMessage, res: ServerResponse): Promise<void> {
    const action = /^AmazonAthena\.(\w+)$/.exec(String(req.headers['x-amz-target']))?.[1] ?? '';
    const body = (await json(req)) as Body;
    requests.push({ action, body, headers: req.headers });
    const index = faults.findIndex((each) => each.action === action);
    if (index >= 0) {
      faults.splice(index, 1)[0]?.answer(res);
      return;
    }
    const handler = actions[action];
    const content = await handler?.(body);
    if (content === undefined) refuse(res, 'InvalidRequestException', 'the request is invalid');
    else reply(res, 200, fake.change(action, content));
  }

  const find = (body: Body): Execution | undefined => executions.get(String(body['QueryExecutionId']));
  const actions: Record<string, (body: Body) => Promise<Body | undefined> | Body | undefined> = {
    GetWorkGroup: () => ({
      WorkGroup: {
        Name: 'daily',
        Configuration: { EngineVersion: { EffectiveEngineVersion: 'Athena engine version 3' } },
      },
    }),
    StartQueryExecution(input) {
      const token = input['ClientRequestToken'];
      const known = tokens.get(token);
      if (known !== undefined) {
        const isSame = JSON.stringify(executions.get(known)?.input) === JSON.stringify(input);
        return isSame ? { QueryExecutionId: known } : undefined;
      }
      const id = randomUUID();
      const result = Promise.resolve(run(String(input['QueryString'])));
      executions.set(id, { input, result, polls: 0, state: 'QUEUED' });
      tokens.set(token, id);
      return { QueryExecutionId: id };
    },
    async GetQueryExecution(body) {
      const execution = find(body);
      if (execution === undefined) return undefined;
      execution.polls += 1;
      const isOver = execution.polls > paging.running && execution.state !== 'CANCELLED';
      const result = isOver ? await execution.result : [];
      const reason = 'errorName' in result ? `${result.errorName}: ${result.message}` : undefined;
      if (isOver) execution.state = reason === undefined ? 'SUCCEEDED' : 'FAILED';
      return { QueryExecution: { Status: { State: execution.state, StateChangeReason: reason } } };
    },
    async GetQueryResults(body) {
      const execution = find(body);
      const result = await execution?.result;
      if (execution?.state !== 'SUCCEEDED' || result === undefined || 'errorName' in result) return undefined;
      const columns = Object.keys(result[0] ?? {});
      const all = [columns, ...result.map((row) => Object.values(row))];
      const from = Number(body['NextToken'] ?? 0);
      const to = from + paging.rows;
      const rows = all.slice(from, to).map((row) => ({
        Data: row.map((value) => (value === null ? {} : { VarCharValue: value })),
      }));
      const info = columns.map((name) => ({ Name: name, Type: 'varchar' }));
      const token = to < all.length ? { NextToken: String(to) } : {};
      return { ResultSet: { Rows: rows, ResultSetMetadata: { ColumnInfo: info } }, ...token };
    },
    StopQueryExecution(body) {
      const execution = find(body);
      if (execution !== undefined) execution.state = 'CANCELLED';
      return {};
    },
  };
  return fake;
}

/** Answers with an error of the protocol. */
export function refuse(res: ServerResponse, type: string, message: string, code = 400): void {
  reply(res, code, { __type: type, message });
}

function reply(res: ServerResponse, code: number, body: Body): void {
  res.writeHead(code, { 'Content-Type': 'application/x-amz-json-1.1' }).end(JSON.stringify(body));
}
