import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseAskedPart } from '../core/conditions.js';
import { GatewayError } from '../core/problems.js';
import { exchangeOf } from './exchange.js';
import { reply } from './reply.js';

/** A file whose bytes are sent from here: of a directory store alone. */
export type SentFile = {
  readonly bytes: Uint8Array;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
};

/** Sends a file, or the one part of it that was asked for (RFC 9110 §14). @throws GatewayError 'range-not-satisfiable' */
export function sendBytes(
  req: IncomingMessage,
  res: ServerResponse,
  { bytes, etag, headers }: SentFile,
): void {
  const { range, 'if-range': ifRange } = req.headers;
  const asked = {
    range: req.method === 'GET' ? range : undefined, // RFC 9110 §14.2
    ifRange: typeof ifRange === 'string' ? ifRange : undefined,
  };
  const part = parseAskedPart(asked, { sizeBytes: bytes.length, etag });
  if (part.kind === 'outside') {
    throw new GatewayError('range-not-satisfiable', {
      headers: { 'Content-Range': `bytes */${bytes.length}` },
    });
  }
  exchangeOf(res).decision = 'sent';
  const common = { ...headers, ETag: etag, 'Accept-Ranges': 'bytes' };
  if (part.kind === 'all') {
    reply(res, 200, { ...common, 'Content-Length': bytes.length }, bytes);
    return;
  }
  const { start, end } = part;
  const partly = {
    ...common,
    'Content-Length': end - start + 1,
    'Content-Range': `bytes ${start}-${end}/${bytes.length}`,
  };
  reply(res, 206, partly, bytes.subarray(start, end + 1));
}
