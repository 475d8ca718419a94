import { once } from 'node:events';
import {
  createServer,
  ServerResponse,
  type IncomingMessage,
  type RequestListener,
  type Server,
} from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { codeOf } from '../../infra/store/system-error.js';
import { OperatorError } from '../core/exit-codes.js';
import { problemPath, PROBLEMS } from '../core/problems.js';
import { toOriginForm } from '../core/request-target.js';

/** A server that listens. */
export type HttpServer = {
  /** Where it is reached from this machine. */
  readonly url: string;
  /** Takes no more connections, lets what is under way end for a while, and then breaks off the rest. */
  readonly stop: (patienceMs: number) => Promise<void>;
};

/** How long callers may take, in milliseconds, by Node's names. */
export type HttpTimeouts = { readonly [name in keyof typeof TIMEOUTS]: number };

const TIMEOUTS = {
  headersTimeout: 10_000,
  requestTimeout: 15_000,
  /** Longer than load balancers keep a connection, so that they close it and none is lost half way. */
  keepAliveTimeout: 65_000,
  connectionsCheckingInterval: 1_000,
};
/** How long a connection may be silent in both directions, so that nobody who reads nothing keeps what waits for it. */
const SILENT_MS = 75_000;
/** How long a connection that was answered unread is kept for its caller to close. */
const LINGER_MS = 1_000;
/** How often connections that have fallen idle are closed at the end. */
const SWEEP_MS = 50;

/** Listens. @throws OperatorError 'usage' where that is not possible. */
export async function startHttpServer(
  listener: RequestListener,
  { host, port }: { readonly host: string; readonly port: number },
  timeouts: HttpTimeouts = TIMEOUTS,
  silentMs = SILENT_MS,
): Promise<HttpServer> {
  let isStopping = false;
  const settings = {
    ...timeouts,
    requireHostHeader: false, // the listener refuses it, with a problem
  };
  const answer: RequestListener = (req, res) => {
    if (isStopping) res.setHeader('Connection', 'close');
    req.url = toOriginForm(req.url ?? '');
    listener(req, res);
  };
  const server = createServer(settings, answer);
  server.timeout = silentMs;
  const closeSilent = watchSilent(server);
  server.on('checkContinue', (req: IncomingMessage, res: ServerResponse) => {
    if (res.socket !== null) res.writeContinue(); // behind an answer under way, Node would put it into the next one
    answer(req, res);
  });
  server.on('checkExpectation', answer); // an expectation that is not known is passed over (RFC 9110 §10.1.1)
  server.on('connect', (req: IncomingMessage, socket: Socket) => answerConnect(answer, req, socket));
  server.on('clientError', answerUnreadable);
  server.listen(port, host);
  await once(server, 'listening').catch((error: unknown) => {
    const why =
      codeOf(error) === 'EADDRINUSE'
        ? 'another program listens there'
        : `the system says ${codeOf(error) ?? 'no'}`;
    throw new OperatorError(
      'usage',
      `cannot listen on ${host}:${port}: ${why}; choose another host or port`,
      {
        cause: error,
      },
    );
  });
  return {
    url: urlOf(server.address() as AddressInfo), // it listens on a port, not on a pipe
    async stop(patienceMs) {
      isStopping = true;
      await close(server, closeSilent, patienceMs);
    },
  };
}

async function close(server: Server, closeSilent: () => void, patienceMs: number): Promise<void> {
  const closed = once(server, 'close');
  const closeIdle = (): void => {
    server.closeIdleConnections();
    closeSilent();
  };
  server.close();
  closeIdle();
  const sweep = setInterval(closeIdle, SWEEP_MS); // those that were busy until now
  const timer = setTimeout(() => server.closeAllConnections(), patienceMs);
  await closed;
  clearInterval(sweep);
  clearTimeout(timer);
}

/** What closes the connections on which nothing was ever sent: Node takes those for busy, and browsers open some. */
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

/**
 * Answers CONNECT as any other method, and closes: left alone, Node closes the connection without a word. Behind a
 * request that is not answered yet it is not answered: Node would end the process, and nobody sends it so.
 */
function answerConnect(answer: RequestListener, req: IncomingMessage, socket: Socket): void {
  socket.on('error', () => socket.destroy()); // Node no longer listens to it
  socket.resume();
  if (answerUnderWay(socket) !== undefined) {
    socket.destroySoon();
    return;
  }
  const res = new ServerResponse(req);
  res.shouldKeepAlive = false;
  res.assignSocket(socket);
  res.once('finish', () => socket.destroySoon());
  answer(req, res);
}

/**
 * What is no HTTP, has too large a head or comes too slowly is answered with a problem too. A connection that is gone
 * is left, and one with half an answer on it is broken off: what came after that would be taken for the other half.
 */
function answerUnreadable(error: UnreadableError, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable || answerUnderWay(socket)?.headersSent === true) {
    socket.destroy();
    return;
  }
  const code = 'request-malformed';
  const { status, title } = PROBLEMS[code];
  const detail = UNREADABLE[error.code ?? ''] ?? 'what was sent is not HTTP/1.1';
  const body = JSON.stringify({ type: problemPath(code), title, status, detail, instance: '', code });
  socket.end(
    [
      `HTTP/1.1 ${status} Bad Request`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'Connection: close',
      '',
      isHead(error) ? '' : body,
    ].join('\r\n'),
  );
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
}

/** What was wrong with a request that could not be read, by Node's codes. */
const UNREADABLE: Readonly<Record<string, string>> = {
  HPE_HEADER_OVERFLOW: 'the head of the request is too large',
  ERR_HTTP_REQUEST_TIMEOUT: 'the request came too slowly',
};

/** The answer that a connection is taken up with. */
function answerUnderWay(socket: Socket): ServerResponse | undefined {
  const { _httpMessage: answer } = socket as Socket & { _httpMessage?: ServerResponse | null }; // as Node keeps it
  return answer ?? undefined;
}

/** What Node says of bytes that it could not read, with the bytes. */
type UnreadableError = NodeJS.ErrnoException & { readonly rawPacket?: Uint8Array };

/** Whether the bytes begin with the one method whose answers have no body. */
function isHead({ rawPacket = new Uint8Array() }: UnreadableError): boolean {
  return Buffer.from(rawPacket.subarray(0, 5)).toString('latin1') === 'HEAD ';
}

/** An address that listens everywhere is reached here by that of this machine. */
function urlOf({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address;
  return `http://${family === 'IPv6' && host !== '127.0.0.1' ? `[${host}]` : host}:${port}`;
}
