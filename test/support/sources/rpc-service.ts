import type { IncomingMessage, ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { startLoopbackServer } from '../process/loopback-server.js';

/** A request that the service has received. `calls` are the methods with their parameters. */
export type RpcRequest = {
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly isBatch: boolean;
  readonly calls: readonly RpcServed[];
};

type RpcServed = { readonly id: number; readonly method: string; readonly params: readonly unknown[] };

/** An answer to a call, as JSON. */
export type RpcBody = { id?: unknown; result?: unknown; error?: unknown };

/** The methods of a node. A method that throws `RpcFault` answers with its error. */
export type RpcMethods = Record<string, (...params: never[]) => unknown>;

/** A node on loopback. */
export type RpcService = {
  readonly endpoint: string;
  /** Methods, which a test may replace. */
  readonly methods: RpcMethods;
  /** Changes each body before it is sent: an answer, or an array of answers. A string is sent as it is. */
  readonly alter: (change: (body: RpcBody | RpcBody[], calls: readonly RpcServed[]) => unknown) => void;
  /** Answers requests without the methods if `write` returns true. */
  readonly intercept: (write: (res: ServerResponse, calls: readonly RpcServed[]) => boolean) => void;
  /** Answers requests from now on without the methods. */
  readonly refuse: (write: (res: ServerResponse) => unknown) => void;
  /** Returns the requests since the last call. */
  readonly takeRequests: () => RpcRequest[];
  readonly dispose: () => Promise<void>;
};

/** An error of the node. */
export class RpcFault extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** Starts a node with methods. */
export async function startRpcService(methods: RpcMethods): Promise<RpcService> {
  const requests: RpcRequest[] = [];
  let change: Parameters<RpcService['alter']>[0] = (body) => body;
  let write: Parameters<RpcService['intercept']>[0] = () => false;
  const answer = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
    const body = JSON.parse(await text(req)) as RpcServed | RpcServed[];
    const calls = Array.isArray(body) ? body : [body];
    requests.push({ url: req.url ?? '', headers: req.headers, isBatch: Array.isArray(body), calls });
    if (write(res, calls)) return;
    const answers = calls.map((call) => answerCall(methods, call));
    const changed = change(Array.isArray(body) ? answers : (answers[0] ?? {}), calls);
    res.setHeader('Content-Type', 'application/json');
    res.end(typeof changed === 'string' ? changed : JSON.stringify(changed));
  };
  const server = await startLoopbackServer((req, res) => void answer(req, res));
  return {
    ...server,
    methods,
    alter: (next) => void (change = next),
    intercept: (next) => void (write = next),
    refuse(next) {
      write = (res) => {
        next(res);
        return true;
      };
    },
    takeRequests: () => requests.splice(0),
  };
}

function answerCall(methods: RpcMethods, { id, method, params }: RpcServed): RpcBody {
  try {
    const serve = methods[method] as ((...args: readonly unknown[]) => unknown) | undefined;
    if (serve === undefined) throw new RpcFault(-32601, `the method ${method} does not exist`);
    return { id, result: serve(...params) };
  } catch (error) {
    if (!(error instanceof RpcFault)) throw error;
    return { id, error: { code: error.code, message: error.message } };
  }
}
