import { EventEmitter } from 'node:events';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * A listener as the adapter takes an Express application, whose requests and responses are no server's: they are made
 * so like one's as the gateway and its libraries need.
 */
export function toApplication(listener: RequestListener): RequestListener {
  const handle: RequestListener = (req, res) => {
    prepareRequest(req);
    prepareResponse(res);
    listener(req, res);
  };
  return Object.assign(handle, { handle });
}

/**
 * The adapter says that a request was read when the application returns, but bodies are read after it is known who asks.
 * And a socket tells of its end to who listens.
 */
function prepareRequest(req: IncomingMessage): void {
  const isReadable = (): boolean => !req.readableEnded && !req.destroyed;
  Object.defineProperty(req, 'readable', { get: isReadable, set: () => undefined });
  req.socket = Object.assign<EventEmitter, Socket>(new EventEmitter(), req.socket); // what the adapter's has, and that
}

/**
 * The adapter's responses do not know the form of `writeHead` that takes names and values in one list, and never close,
 * which is what the log waits for.
 */
function prepareResponse(res: ServerResponse): void {
  const writeHead = res.writeHead.bind(res);
  res.writeHead = (status: number, ...rest: unknown[]) => {
    const [list] = rest;
    if (!Array.isArray(list)) return Reflect.apply(writeHead, res, [status, ...rest]) as typeof res;
    const words = list.map(String);
    for (let i = 0; i < words.length; i += 2) res.appendHeader(words[i] ?? '', words[i + 1] ?? '');
    return writeHead(status);
  };
  res.once('finish', () => {
    if (res.socket !== null) res.detachSocket(res.socket);
    process.nextTick(() => res.emit('close')); // as a server does: by then the answer has ended
  });
}
