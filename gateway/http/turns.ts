import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** The requests of each connection, answered one at a time. */
export type Turns = {
  /** Passes a request to the listener when the requests before it on the same connection have been answered. */
  readonly take: RequestListener;
  /** Returns the response that the connection is sending or will send next. */
  readonly first: (socket: Socket) => ServerResponse | undefined;
};

/** Number of waiting requests from which a connection is not read any further. */
const MAX_WAITING = 16;

type Turn = { readonly req: IncomingMessage; readonly res: ServerResponse };
type Line = { current: ServerResponse | undefined; readonly waiting: Turn[] };

/**
 * Creates turns. A client that sends many requests at once (pipelining) neither keeps other connections waiting nor has
 * more than one response in memory.
 */
export function createTurns(listener: RequestListener): Turns {
  const lines = new WeakMap<Socket, Line>();

  function lineOf(socket: Socket): Line {
    const known = lines.get(socket);
    if (known !== undefined) return known;
    const line: Line = { current: undefined, waiting: [] };
    lines.set(socket, line);
    return line;
  }

  function start(line: Line, { req, res }: Turn): void {
    line.current = res;
    res.once('close', () => {
      line.current = undefined;
      if (line.waiting.length > 0) setImmediate(startNext, line, req.socket); // other connections come first
    });
    listener(req, res);
  }

  function startNext(line: Line, socket: Socket): void {
    const next = line.waiting.shift();
    if (next === undefined || !socket.writable) return;
    if (line.waiting.length < MAX_WAITING && socket.isPaused()) socket.resume();
    start(line, next);
  }

  function pauseFull(line: Line, socket: Socket): void {
    if (line.waiting.length >= MAX_WAITING) socket.pause();
  }

  return {
    take(req, res) {
      const { socket } = req;
      const line = lineOf(socket);
      if (line.current === undefined && line.waiting.length === 0) {
        start(line, { req, res });
        return;
      }
      line.waiting.push({ req, res });
      if (line.waiting.length >= MAX_WAITING) setImmediate(pauseFull, line, socket); // after Node has resumed it for the next request
    },
    first(socket) {
      const line = lines.get(socket);
      const { current } = line ?? {};
      return current?.writableFinished === false ? current : line?.waiting[0]?.res;
    },
  };
}
