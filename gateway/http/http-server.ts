import { once } from 'node:events';
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { codeOf } from '../../infra/store/system-error.js';
import { OperatorError, RUN_AGAIN } from '../core/exit-codes.js';
import { problemPath, PROBLEMS } from '../core/problems.js';
import { isTooLarge, leaveUnread, limitUnreadChunks } from './unread-body.js';

/** The requests of each connection, answered one at a time. */
type Turns = {
  /** Passes a request to the listener when the requests before it on the same connection have been answered. */
  readonly take: RequestListener;
  /** Returns the response that the connection is sending or will send next. */
  readonly first: (socket: Socket) => ServerResponse | undefined;
};

/** Number of waiting requests from which a connection is not read any further. */
const MAX_WAITING = 16;

type Turn = { readonly req: IncomingMessage; readonly res: ServerResponse };
/** The requests of one connection. */
type Queue = { current: ServerResponse | undefined; readonly waiting: Turn[] };

/**
 * Creates turns. A client that sends many requests at once (pipelining) neither keeps other connections waiting nor has
 * the contents of more than one response in memory.
 */
function createTurns(listener: RequestListener): Turns {
  const queues = new WeakMap<Socket, Queue>();

  function queueOf(socket: Socket): Queue {
    const known = queues.get(socket);
    if (known !== undefined) return known;
    const queue: Queue = { current: undefined, waiting: [] };
    queues.set(socket, queue);
    return queue;
  }

  function start(queue: Queue, { req, res }: Turn): void {
    queue.current = res;
    res.once('close', () => {
      queue.current = undefined;
      if (queue.waiting.length > 0) setImmediate(startNext, queue, req.socket); // other connections come first
    });
    listener(req, res);
  }

  function startNext(queue: Queue, socket: Socket): void {
    const next = queue.waiting.shift();
    if (next === undefined || !socket.writable) return;
    if (queue.waiting.length < MAX_WAITING && socket.isPaused()) socket.resume();
    start(queue, next);
  }

  function pauseFull(queue: Queue, socket: Socket): void {
    if (queue.waiting.length >= MAX_WAITING) socket.pause();
  }

  return {
    take(req, res) {
      const { socket } = req;
      const queue = queueOf(socket);
      if (queue.current === undefined && queue.waiting.length === 0) {
        start(queue, { req, res });
        return;
      }
      queue.waiting.push({ req, res });
      // Later, because Node resumes the socket for the next request.
      if (queue.waiting.length >= MAX_WAITING) setImmediate(pauseFull, queue, socket);
    },
    first(socket) {
      const queue = queues.get(socket);
      const { current } = queue ?? {};
      return current?.writableFinished === false ? current : queue?.waiting[0]?.res;
    },
  };
}

/** A server that listens. */
export type HttpServer = {
  /** Address of the server for clients on this machine. */
  readonly url: string;
  /** Accepts no more connections and waits for requests in progress. Breaks off those that take longer than `graceMs`. */
  readonly stop: (graceMs: number) => Promise<void>;
};

/** Time-outs for slow clients in milliseconds, named as in Node. */
type HttpTimeouts = { readonly [name in keyof typeof TIMEOUTS]: number };

const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  /** Longer than load balancers keep a connection, so that they close it and no request gets lost. */
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
};
/** Time-out for connections without traffic in either direction, so that a client that reads nothing holds no memory. */
const IDLE_MS = 75_000;
/** Time for a client to close its connection after an error response. */
const LINGER_MS = 1_000;
/** Interval at which a stopping server closes idle connections. */
const CLOSE_IDLE_INTERVAL_MS = 50;

/** Starts a server. @throws OperatorError 'usage' when it cannot listen at this address. */
export async function startHttpServer(
  listener: RequestListener,
  { host, port }: { readonly host: string; readonly port: number },
  timeouts: HttpTimeouts = TIMEOUTS,
  idleMs = IDLE_MS,
): Promise<HttpServer> {
  let isStopping = false;
  const turns = createTurns(listener);
  const answer: RequestListener = (req, res) => {
    req.url = toOriginForm(req.url ?? '');
    if (isTooLarge(req)) leaveUnread(req, res);
    limitUnreadChunks(req, res);
    if (isStopping) res.setHeader('Connection', 'close');
    turns.take(req, res);
  };
  // A missing Host header is answered with a problem by the application, not by Node.
  const server = createServer({ ...timeouts, requireHostHeader: false }, answer);
  server.timeout = idleMs;
  const closeSilent = watchSilent(server);
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    // While a response is pending, Node would write the 100 Continue into it.
    if (res.socket !== null && !isTooLarge(req)) res.writeContinue();
    answer(req, res);
  });
  server.on('checkExpectation', answer); // ignores unknown expectations (RFC 9110 §10.1.1)
  server.on('connect', (_req: IncomingMessage, socket: Socket) => {
    socket.on('error', () => socket.destroy()); // Node stops listening to the socket of CONNECT
    socket.resume();
    sendRawProblem(socket, turns.first(socket), 'CONNECT is not supported: this server is not a proxy.');
  });
  server.on('clientError', (error: ClientError, socket: Socket) => {
    const first = turns.first(socket);
    if (error.code === 'ECONNRESET' || first?.headersSent === true) socket.destroy();
    else {
      const detail = CLIENT_ERRORS[error.code ?? ''] ?? 'The request is not valid HTTP/1.1.';
      sendRawProblem(socket, undefined, detail, isHead(error)); // a pending response is that of the broken request
    }
  });
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    throw toListenError(error, `${host}:${port}`);
  });
  return {
    url: urlOf(server.address() as AddressInfo), // it listens on a port, not on a pipe
    async stop(graceMs) {
      isStopping = true;
      await close(server, closeSilent, graceMs);
    },
  };
}

function toListenError(error: unknown, address: string): OperatorError {
  const code = codeOf(error);
  const why = code === 'EADDRINUSE' ? 'another program uses this address' : (code ?? 'unknown error');
  const message = `Cannot listen on ${address}: ${why}. Choose another: CRD_HOST, CRD_PORT or CRD_METRICS_PORT.`;
  return new OperatorError('usage', message, { cause: error, next: RUN_AGAIN });
}

async function close(server: Server, closeSilent: () => void, graceMs: number): Promise<void> {
  const closed = once(server, 'close');
  const closeIdle = (): void => {
    server.closeIdleConnections();
    closeSilent();
  };
  server.close();
  closeIdle();
  const interval = setInterval(closeIdle, CLOSE_IDLE_INTERVAL_MS);
  const timer = setTimeout(() => server.closeAllConnections(), graceMs);
  await closed;
  clearInterval(interval);
  clearTimeout(timer);
}

/**
 * Returns a function that closes the connections that have sent no byte. Browsers open some in advance, and Node counts
 * them as busy.
 */
function watchSilent(server: Server): () => void {
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return () => {
    for (const socket of connections) if (socket.bytesRead === 0) socket.destroy();
  };
}

/** Problem details for requests that Node cannot parse, by error code. */
const CLIENT_ERRORS: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'The request line and headers are too large.',
  ERR_HTTP_REQUEST_TIMEOUT: 'The request took too long to arrive.',
};

/** Node's error for bytes that are not a valid request. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array };

/**
 * Writes a problem to the socket of a request that no handler can answer, and closes the connection. Closes it without an
 * answer if the response to another request is `pending`.
 */
function sendRawProblem(
  socket: Socket,
  pending: ServerResponse | undefined,
  detail: string,
  isHeadRequest = false,
): void {
  if (!socket.writable || pending !== undefined) {
    socket.destroy();
    return;
  }
  const code = 'request-malformed';
  const { status, title } = PROBLEMS[code];
  const body = JSON.stringify({ type: problemPath(code), title, status, detail, instance: '', code });
  socket.end(
    [
      `HTTP/1.1 ${status} Bad Request`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'Connection: close',
      '',
      isHeadRequest ? '' : body,
    ].join('\r\n'),
  );
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** Returns whether the bytes begin with HEAD, whose responses have no body. */
function isHead({ rawPacket = new Uint8Array() }: ClientError): boolean {
  return Buffer.from(rawPacket.subarray(0, 5)).toString('latin1') === 'HEAD ';
}

/** Returns the URL for clients on this machine, also of a server that listens on all addresses. */
function urlOf({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address;
  return `http://${family === 'IPv6' && host !== '127.0.0.1' ? `[${host}]` : host}:${port}`;
}

const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/**
 * Returns the path and query of a request target in any of its four forms (RFC 9112 §3.2), always with a leading slash,
 * so that no code after this has to parse a URL. The authority of an absolute target is dropped. A target without a
 * path, such as `*`, becomes a path that does not exist.
 */
function toOriginForm(target: string): string {
  if (target.startsWith('/')) return target;
  const rest = target.replace(AUTHORITY, '');
  return rest.startsWith('/') ? rest : `/${rest}`;
}
