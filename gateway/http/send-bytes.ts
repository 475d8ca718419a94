import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseRequestedRange } from '../core/http/conditions.js';
import { GatewayError } from '../core/problems.js';
import { contextOf } from './request-context.js';

/** A file whose bytes the gateway sends itself. */
type SentFile = {
  /** Returns the bytes of the file. It is called again for each piece, so that a slow client holds no file in memory. */
  readonly read: () => Promise<Uint8Array>;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Number of bytes that are copied at once, and that a client can leave unread. */
const PIECE_BYTES = 65_536;

/**
 * Sends a file, or the one range of it that the request asks for (RFC 9110 §14), piece by piece: the next one is sent
 * when the client has read the one before.
 * @throws GatewayError 'range-not-satisfiable'
 */
export async function sendBytes(
  req: IncomingMessage,
  res: ServerResponse,
  { read, etag, headers }: SentFile,
): Promise<void> {
  const { length: sizeBytes } = await read();
  const { range, 'if-range': ifRange } = req.headers;
  const requested = {
    range: req.method === 'GET' ? range : undefined, // RFC 9110 §14.2
    ifRange: typeof ifRange === 'string' ? ifRange : undefined,
  };
  const part = parseRequestedRange(requested, { sizeBytes, etag });
  if (part.kind === 'outside') {
    throw new GatewayError('range-not-satisfiable', { headers: { 'Content-Range': `bytes */${sizeBytes}` } });
  }
  contextOf(res).decision = 'sent';
  const common = { ...headers, ETag: etag, 'Accept-Ranges': 'bytes' };
  const { start, end } = part.kind === 'all' ? { start: 0, end: sizeBytes - 1 } : part;
  if (part.kind === 'all') res.writeHead(200, { ...common, 'Content-Length': sizeBytes });
  else {
    res.writeHead(206, {
      ...common,
      'Content-Length': end - start + 1,
      'Content-Range': `bytes ${start}-${end}/${sizeBytes}`,
    });
  }
  if (req.method === 'HEAD') res.end();
  else await sendPieces(res, read, { start, end });
}

/** Sends an inclusive span of bytes and ends the response. Stops when the client has left. */
async function sendPieces(
  res: ServerResponse,
  read: SentFile['read'],
  { start, end }: { readonly start: number; readonly end: number },
): Promise<void> {
  for (let at = start; at <= end; at += PIECE_BYTES) {
    const bytes = await read();
    if (res.destroyed) return;
    // A copy, because a part of the array would keep all of it in memory.
    const piece = Buffer.from(bytes.subarray(at, Math.min(at + PIECE_BYTES, end + 1)));
    if (at + PIECE_BYTES > end) res.end(piece);
    else if (!res.write(piece)) await drained(res);
  }
  if (end < start) res.end(); // an empty file
}

/** Resolves when the client has read what was written, or has left. */
function drained(res: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const settle = (): void => {
      res.off('drain', settle).off('close', settle);
      resolve();
    };
    res.on('drain', settle).on('close', settle);
  });
}
