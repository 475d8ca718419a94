import type { IncomingMessage, ServerResponse } from 'node:http';
import { ENDPOINTS } from '../../schemas/paths.js';

const LIMIT_BYTES = 64 * 1024;
/** An event of Stripe contains the whole object that it is about, such as an invoice with its lines. */
const EVENT_LIMIT_BYTES = 1024 * 1024;
/** Time after a response for the client to end its request, read the response and close the connection. */
const LINGER_MS = 1_000;

/** Returns the maximum size of the body of a request, in bytes. */
export function bodyLimitOf({ url }: Pick<IncomingMessage, 'url'>): number {
  return url === ENDPOINTS.webhook ? EVENT_LIMIT_BYTES : LIMIT_BYTES;
}

/** Returns whether the body is too large according to `Content-Length`. */
export function isTooLarge(req: Pick<IncomingMessage, 'headers' | 'url'>): boolean {
  return Number(req.headers['content-length'] ?? 0) > bodyLimitOf(req);
}

/** Leaves the rest of the body unread, and closes the connection after the response. */
export function leaveUnread(req: IncomingMessage, res: ServerResponse): void {
  const { socket } = req;
  res.setHeader('Connection', 'close');
  req.read(0); // begins to read: otherwise Node reads and discards the whole body when the response ends
  // Node would close the connection at once. A client that still sends would be reset before it reads the response.
  socket.destroySoon = () => {
    socket.end();
    setTimeout(() => socket.destroy(), LINGER_MS).unref();
  };
}

/** Closes the connection if a chunked body, of unknown size, is still arriving a while after the response. */
export function limitUnreadChunks(req: IncomingMessage, res: ServerResponse): void {
  if (req.headers['transfer-encoding'] === undefined) return;
  res.once('finish', () => {
    const cut = (): void => {
      if (!req.complete) req.socket.destroy();
    };
    setTimeout(cut, LINGER_MS).unref();
  });
}
