import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { codeOf } from '../../infra/store/system-error.js';
import { OperatorError } from '../core/exit-codes.js';
import { problemPath, PROBLEMS } from '../core/problems.js';

/** A server that listens. */
export type HttpServer = {
  /** Where it is reached from this machine. */
  readonly url: string;
  /** Takes no more connections, lets what is under way end for a while, and then breaks off the rest. */
  readonly stop: (patienceMs: number) => Promise<void>;
};

const HEADERS_TIMEOUT_MS = 10_000;
const REQUEST_TIMEOUT_MS = 15_000;
/** Longer than load balancers keep a connection, so that they close it and none is lost half way. */
const KEEP_ALIVE_MS = 65_000;
const CHECK_MS = 1_000;

/** Listens. @throws OperatorError 'usage' where that is not possible. */
export async function startHttpServer(
  listener: RequestListener,
  { host, port }: { readonly host: string; readonly port: number },
): Promise<HttpServer> {
  let isStopping = false;
  const settings = {
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionsCheckingInterval: CHECK_MS,
  };
  const server = createServer(settings, (req, res) => {
    if (isStopping) res.setHeader('Connection', 'close');
    listener(req, res);
  });
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
      await close(server, patienceMs);
    },
  };
}

async function close(server: Server, patienceMs: number): Promise<void> {
  const closed = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  const timer = setTimeout(() => server.closeAllConnections(), patienceMs);
  await closed;
  clearTimeout(timer);
}

/** What is no HTTP, or has too large a head, is answered with a problem too; a connection that is gone is left. */
function answerUnreadable(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const code = 'request-malformed';
  const { status, title, meaning } = PROBLEMS[code];
  const body = JSON.stringify({
    type: problemPath(code),
    title,
    status,
    detail: meaning,
    instance: '',
    code,
  });
  socket.end(
    [
      `HTTP/1.1 ${status} Bad Request`,
      'Content-Type: application/problem+json',
      `Content-Length: ${Buffer.byteLength(body)}`,
      'Cache-Control: no-store',
      'Connection: close',
      '',
      body,
    ].join('\r\n'),
  );
}

/** An address that listens everywhere is reached here by that of this machine. */
function urlOf({ address, family, port }: AddressInfo): string {
  const host = address === '0.0.0.0' || address === '::' ? '127.0.0.1' : address;
  return `http://${family === 'IPv6' && host !== '127.0.0.1' ? `[${host}]` : host}:${port}`;
}
