import type { IncomingMessage, ServerResponse } from 'node:http';
import { parseRequestedRange } from '../core/http/conditions.js';
import { GatewayError } from '../core/problems.js';
import { contextOf } from './request-context.js';

/** A file whose bytes the gateway sends itself. */
export type SentFile = {
  readonly bytes: Uint8Array;
  readonly etag: string;
  readonly headers: Readonly<Record<string, string>>;
};

/**
 * Sends a file, or the one range of it that the request asks for (RFC 9110 §14).
 * @throws GatewayError 'range-not-satisfiable'
 */
export function sendBytes(
  req: IncomingMessage,
  res: ServerResponse,
  { bytes, etag, headers }: SentFile,
): void {
  const { range, 'if-range': ifRange } = req.headers;
  const requested = {
    range: req.method === 'GET' ? range : undefined, // RFC 9110 §14.2
    ifRange: typeof ifRange === 'string' ? ifRange : undefined,
  };
  const part = parseRequestedRange(requested, { sizeBytes: bytes.length, etag });
  if (part.kind === 'outside') {
    throw new GatewayError('range-not-satisfiable', {
      headers: { 'Content-Range': `bytes */${bytes.length}` },
    });
  }
  contextOf(res).decision = 'sent';
  const common = { ...headers, ETag: etag, 'Accept-Ranges': 'bytes' };
  if (part.kind === 'all') {
    res.writeHead(200, { ...common, 'Content-Length': bytes.length }).end(bytes);
    return;
  }
  const { start, end } = part;
  res.writeHead(206, {
    ...common,
    'Content-Length': end - start + 1,
    'Content-Range': `bytes ${start}-${end}/${bytes.length}`,
  });
  res.end(bytes.subarray(start, end + 1));
}
