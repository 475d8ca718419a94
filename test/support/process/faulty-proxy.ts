import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http';
import { startLoopbackServer } from './loopback-server.js';
import type { RecordedRequest } from '../s3/object-host.js';

/** A response to a client. `breaksOff`: the connection ends before the announced length was sent. */
export type ProxyAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly bytes: Uint8Array;
  readonly breaksOff?: boolean;
};

/** Answers a request in place of the server, or changes or delays the server's response. */
export type Fault = (request: RecordedRequest, forward: () => Promise<ProxyAnswer>) => Promise<ProxyAnswer>;

/** A proxy between clients and a server on loopback. */
export type FaultyProxy = {
  readonly endpoint: string;
  /** Sets the URL of the server. */
  readonly forwardTo: (url: string) => void;
  /** Applies a fault to all requests from now on; without an argument, to none. */
  readonly inject: (fault?: Fault) => void;
  /** Returns the requests since the last call. */
  readonly takeRequests: () => RecordedRequest[];
  readonly dispose: () => Promise<void>;
};

/** Headers that belong to one connection, depend on the body, or are set by the server itself. */
const HOP_HEADERS = new Set([
  'connection',
  'host',
  'keep-alive',
  'transfer-encoding',
  'content-encoding', // fetch unpacks the body
  'content-length',
  'date',
]);

/** Starts a proxy without a fault. */
export async function startFaultyProxy(): Promise<FaultyProxy> {
  const requests: RecordedRequest[] = [];
  let target = '';
  let injected: Fault = (_, forward) => forward();
  const server = await startLoopbackServer((req, res) => {
    const request = toRecordedRequest(req);
    requests.push(request);
    injected(request, () => forward(target, request)).then(
      (answer) => send(res, answer),
      () => res.destroy(),
    );
  });
  return {
    ...server,
    forwardTo: (url) => void (target = url),
    inject: (next = (_, forward) => forward()) => void (injected = next),
    takeRequests: () => requests.splice(0),
  };
}

function toRecordedRequest({ method = '', url = '', headers }: IncomingMessage): RecordedRequest {
  return { method, url, headers };
}

/** Forwards a request, without its body. */
async function forward(target: string, { method, url, headers }: RecordedRequest): Promise<ProxyAnswer> {
  const answer = await fetch(`${target}${url}`, {
    method,
    headers: withoutHopHeaders(headers),
    redirect: 'manual',
  });
  return {
    status: answer.status,
    headers: withoutHopHeaders(Object.fromEntries(answer.headers)),
    bytes: new Uint8Array(await answer.arrayBuffer()),
  };
}

function withoutHopHeaders(headers: IncomingHttpHeaders): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers).flatMap(([name, value]) =>
      HOP_HEADERS.has(name) ? [] : [[name, String(value)]],
    ),
  );
}

function send(res: ServerResponse, { status, headers, bytes, breaksOff = false }: ProxyAnswer): void {
  const announced = status === 304 ? {} : { 'Content-Length': bytes.length + (breaksOff ? 1 : 0) };
  res.writeHead(status, { ...headers, ...announced });
  if (!breaksOff) res.end(bytes);
  else res.write(bytes, () => res.destroy());
}
