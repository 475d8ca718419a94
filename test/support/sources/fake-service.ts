import type { ServerResponse } from 'node:http';
import { sha256Hex } from '../../../schemas/digest.js';
import { startLoopbackServer } from '../process/loopback-server.js';
import type { RecordedRequest } from '../s3/object-host.js';

/** A reply of a fake service: JSON text with status 200, or a function that writes anything else. */
export type Reply = string | ((res: ServerResponse) => unknown);

/** A web service on loopback. */
export type FakeService = {
  readonly endpoint: string;
  /** Sets how all requests from now on are answered. `count` is the number of the request, from 1. */
  readonly answer: (reply: (request: RecordedRequest, count: number) => Reply) => void;
  /** Returns the requests since the last call. */
  readonly takeRequests: () => RecordedRequest[];
  /** Returns the digest and size of the JSON that was last served at a path with query. */
  readonly served: (target: string) => { readonly sha256: string; readonly bytes: number } | undefined;
  readonly dispose: () => Promise<void>;
};

/** Starts a service that answers 404 until `answer` is called. */
export async function startFakeService(): Promise<FakeService> {
  const requests: RecordedRequest[] = [];
  const bodies = new Map<string, string>();
  let count = 0;
  let reply: Parameters<FakeService['answer']>[0] = () => replyStatus(404);
  const server = await startLoopbackServer((req, res) => {
    const { method = '', url = '', headers } = req;
    requests.push({ method, url, headers });
    const next = reply({ method, url, headers }, (count += 1));
    if (typeof next !== 'string') return void next(res);
    bodies.set(url, next);
    res.writeHead(200, { 'Content-Type': 'application/json' }).end(next);
  });
  return {
    ...server,
    answer(next) {
      reply = next;
      count = 0;
    },
    takeRequests: () => requests.splice(0),
    served(target) {
      const body = bodies.get(target);
      return body === undefined ? undefined : { sha256: sha256Hex(body), bytes: Buffer.byteLength(body) };
    },
  };
}

/** Returns a reply with a status, headers and an empty body. */
export function replyStatus(status: number, headers: Readonly<Record<string, string>> = {}): Reply {
  return (res) => res.writeHead(status, headers).end();
}
