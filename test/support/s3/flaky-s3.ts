import { once } from 'node:events';
import { request as sendRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createRandom } from '../random/seeded.js';
import { startLoopbackServer } from '../process/loopback-server.js';
import { errorDocument } from './fake-s3.js';

/** Faults of a request to S3. */
export const FAULTS = [
  'internal error',
  'slow down',
  'silence',
  'reset',
  'broken body',
  'lost answer',
] as const;

/**
 * A fault of `FAULTS`, `unanswered` or `corrupt body`. With `broken body`, the response ends in the middle. With
 * `lost answer` and `unanswered`, the server completes the request; then the connection is reset, or the client gets no
 * response. With `corrupt body`, the server receives other bytes than the client sent.
 */
export type Fault = (typeof FAULTS)[number] | 'unanswered' | 'corrupt body';

/** A request to choose a fault for; `number` counts from 1. */
export type SeenRequest = { readonly number: number; readonly method: string; readonly url: string };

/** Chooses the fault of a request, or `undefined` for none. It may have side effects. */
export type Choose = (request: SeenRequest) => Fault | undefined | Promise<Fault | undefined>;

/** A proxy before S3. */
export type FlakyS3 = {
  readonly endpoint: string;
  /** All requests so far with their faults. */
  readonly seen: readonly (SeenRequest & { readonly fault: Fault | undefined })[];
  readonly dispose: () => Promise<void>;
};

/** Largest number of faults in a row: below the client's ten attempts, so that no request fails by chance. */
const MAX_IN_A_ROW = 7;

/**
 * Chooses a fault for the share `rate` of the requests, each kind equally often, by the seed and the request's number.
 * The number of faults in a row for the same request is limited.
 */
export function chooseAtRandom(seed: number, rate: number, faults: readonly Fault[] = FAULTS): Choose {
  const inARow = new Map<string, number>();
  return ({ number, method, url }) => {
    const random = createRandom(seed * 1_000_003 + number);
    const name = `${method} ${url}`;
    const before = inARow.get(name) ?? 0;
    const isFaulty = random() < rate && before < MAX_IN_A_ROW;
    inARow.set(name, isFaulty ? before + 1 : 0);
    return isFaulty ? faults[Math.floor(random() * faults.length)] : undefined;
  };
}

/**
 * Starts a proxy on loopback that forwards every request unless a fault is chosen for it. `completed` is called when the
 * server has completed a request that stays unanswered.
 */
export async function startFlakyS3(target: string, choose: Choose, completed?: () => void): Promise<FlakyS3> {
  const seen: FlakyS3['seen'][number][] = [];
  let requests = 0;
  const server = await startLoopbackServer((req, res) => {
    const request = { number: (requests += 1), method: req.method ?? '', url: req.url ?? '' };
    answer(request, req, res).catch(() => req.socket.destroy()); // the client has disconnected
  });

  async function answer(request: SeenRequest, req: IncomingMessage, res: ServerResponse): Promise<void> {
    const fault = await choose(request);
    seen.push({ ...request, fault });
    const body = await buffer(req);
    switch (fault) {
      case 'silence':
        break;
      case 'reset':
        reset(req);
        break;
      case 'internal error':
        refuse(res, 500, 'InternalError', 'We encountered an internal error. Please try again.');
        break;
      case 'slow down':
        refuse(res, 503, 'SlowDown', 'Please reduce your request rate.');
        break;
      case 'unanswered':
        await forward(target, req, body);
        completed?.();
        break;
      case 'corrupt body':
        respond(req, res, await forward(target, req, Buffer.alloc(body.length, 'x')), undefined);
        break;
      default:
        respond(req, res, await forward(target, req, body), fault);
    }
  }

  return { ...server, seen };
}

type Answer = { readonly head: IncomingMessage; readonly bytes: Buffer };

/** Sends a response completely, half of it, or not at all. */
function respond(
  req: IncomingMessage,
  res: ServerResponse,
  { head, bytes }: Answer,
  fault: 'broken body' | 'lost answer' | undefined,
): void {
  if (fault === 'lost answer' || (fault === 'broken body' && bytes.length === 0)) {
    reset(req);
    return;
  }
  res.writeHead(head.statusCode ?? 0, head.statusMessage, head.rawHeaders);
  if (fault === undefined) res.end(bytes);
  else res.write(bytes.subarray(0, bytes.length / 2), () => reset(req));
}

/** Forwards a request with all its original headers, including the host: the signature covers them. */
async function forward(
  target: string,
  { method, url, rawHeaders }: IncomingMessage,
  body: Buffer,
): Promise<Answer> {
  const { hostname, port } = new URL(target);
  const request = sendRequest({ hostname, port, method, path: url, headers: rawHeaders, setHost: false });
  const answered = once(request, 'response') as Promise<[IncomingMessage]>; // the event's arguments
  request.end(body);
  const [head] = await answered;
  return { head, bytes: await buffer(head) };
}

function reset({ socket }: IncomingMessage): void {
  socket.resetAndDestroy();
}

/** Sends an error response of S3. */
function refuse(res: ServerResponse, status: number, code: string, message: string): void {
  const body = errorDocument(code, message);
  res.writeHead(status, { 'content-type': 'application/xml', 'content-length': body.length });
  res.end(body);
}
