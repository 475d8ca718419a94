import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import parseRange from 'range-parser';
import { objectKey, OBJECTS_PATH, publicKey } from '../../../schemas/paths.js';
import type { ObjectStore } from '../../../infra/store/object-store.js';
import { startLoopbackServer } from '../process/loopback-server.js';

/** A request that a test server received. */
export type RecordedRequest = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
};

/** A server in place of the host that the gateway redirects to. It has the objects and public copies of a store. */
export type ObjectHost = {
  readonly endpoint: string;
  /** Returns the requests since the last call. */
  readonly takeRequests: () => RecordedRequest[];
  /** Changes the bytes of all later responses. */
  readonly damage: (change: (bytes: Uint8Array) => Uint8Array) => void;
  readonly dispose: () => Promise<void>;
};

/** Starts an object host on loopback. It does not check signatures. */
export async function startObjectHost(store: ObjectStore): Promise<ObjectHost> {
  const requests: RecordedRequest[] = [];
  let change = (bytes: Uint8Array): Uint8Array => bytes;
  const server = await startLoopbackServer((req, res) => {
    const { method = '', url = '', headers } = req;
    requests.push({ method, url, headers });
    store.get(keyOf(url)).then(
      (object) => send(res, object && change(object.bytes), headers.range),
      (error: unknown) => res.writeHead(500).end(String(error)),
    );
  });
  return {
    ...server,
    takeRequests: () => requests.splice(0),
    damage: (next) => void (change = next),
  };
}

/** Sends the bytes, or the requested range: some clients read files only in ranges. */
function send(res: ServerResponse, bytes: Uint8Array | undefined, range: string | undefined): void {
  const ranges = parseRange(bytes?.length ?? 0, range ?? 'bytes=0-');
  const [part] = typeof ranges === 'number' ? [] : ranges;
  if (bytes === undefined || part === undefined) {
    res.writeHead(bytes === undefined ? 404 : 416).end();
    return;
  }
  const sent = bytes.subarray(part.start, part.end + 1);
  const headers = { 'Accept-Ranges': 'bytes', 'Content-Length': sent.length };
  if (range === undefined) res.writeHead(200, headers);
  else res.writeHead(206, { ...headers, 'Content-Range': `bytes ${part.start}-${part.end}/${bytes.length}` });
  res.end(sent);
}

/** Returns true if a request has an X-API-Key or Authorization header, or contains `secret` anywhere. */
export function hasSecret({ url, headers }: RecordedRequest, secret: string): boolean {
  const hasHeader = headers['x-api-key'] !== undefined || headers.authorization !== undefined;
  return hasHeader || JSON.stringify([url, headers]).includes(secret);
}

function keyOf(url: string): string {
  const path = new URL(url, 'http://host').pathname;
  return path.startsWith(OBJECTS_PATH) ? objectKey(path.slice(OBJECTS_PATH.length)) : publicKey(path);
}
