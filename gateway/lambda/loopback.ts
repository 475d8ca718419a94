import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';

/** A request to a server on this machine. */
export type LoopbackRequest = {
  readonly method: string;
  /** Path and query. */
  readonly target: string;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Uint8Array | undefined;
};

/** A response, with the names of its headers in lower case. */
export type LoopbackResponse = {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body: Buffer;
};

/** Headers that belong to one connection and are not passed on. */
const CONNECTION_HEADERS = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'upgrade',
  'expect',
  'te',
  'trailer',
];
const NOT_SENT = new Set([...CONNECTION_HEADERS, 'content-length']);
const NOT_RETURNED = new Set([...CONNECTION_HEADERS, 'date']); // AWS sends its own date

/**
 * Sends a request to the server at `url` on a new connection, because a frozen function would lose an idle one. With
 * `keepAlive` the client closes it, after it has read the response. A server that rejects a request without reading its
 * body and closes first would reset the connection, and the response could be lost.
 */
export async function sendToLoopback(url: string, request: LoopbackRequest): Promise<LoopbackResponse> {
  const agent = new Agent({ keepAlive: true });
  try {
    return await send(url, request, agent);
  } finally {
    agent.destroy();
  }
}

async function send(
  url: string,
  { method, target, headers, body }: LoopbackRequest,
  agent: Agent,
): Promise<LoopbackResponse> {
  const sent = request(url, { method, path: target, agent, setHost: false });
  for (const [name, value] of headers) {
    if (!NOT_SENT.has(name.toLowerCase())) sent.appendHeader(name, toHeaderBytes(value));
  }
  if (body !== undefined) sent.setHeader('Content-Length', body.length);
  sent.end(body);
  const [response] = (await once(sent, 'response')) as [IncomingMessage]; // the arguments of this event
  return {
    status: response.statusCode ?? 0,
    headers: Object.entries(response.headers).flatMap(([name, value]) =>
      value === undefined || NOT_RETURNED.has(name) ? [] : [[name, String(value)] as const],
    ),
    body: await buffer(response),
  };
}

/** Returns a header value as its UTF-8 bytes, one character each, because Node writes headers in Latin-1. */
function toHeaderBytes(value: string): string {
  return Buffer.from(value, 'utf8').toString('latin1');
}
