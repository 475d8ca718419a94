import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

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
export function createTurns(listener: RequestListener): Turns {
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
