import type { IncomingMessage, ServerResponse } from 'node:http';
import { matchesEtag } from '../core/http/conditions.js';
import type { Compressor } from '../io/releases/compressor.js';
import { chooseCoding } from './content-coding.js';
import { contextOf } from './request-context.js';
import { sendBytes } from './send-bytes.js';

/** The bytes of a file, and what compresses them for clients that accept it. */
export type OwnBytes = { readonly read: () => Promise<Uint8Array>; readonly compressor: Compressor };

/** A file, and where its bytes are. */
type File = {
  readonly sha256: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** Headers of every response about the file. A 304 has them too, so that a cache updates its copy. */
  readonly headers: Readonly<Record<string, string>>;
  /** The URL at another host, or the bytes. */
  readonly source: { readonly location: string } | OwnBytes;
};

/**
 * Answers a request for a file: 304 if the client has it, a redirect if another host serves it, otherwise its bytes or,
 * for HEAD, its headers. The ETag of the compressed form is weak: it matches that of the plain bytes in `If-None-Match`,
 * but continues no range of them (RFC 9110 §8.8.3.2).
 * @throws GatewayError 'range-not-satisfiable'
 */
export async function sendFile(
  req: IncomingMessage,
  res: ServerResponse,
  { sha256, mediaType, sizeBytes, source, ...file }: File,
): Promise<void> {
  const context = contextOf(res);
  const plainEtag = `"sha256:${sha256}"`;
  const isPlain = 'location' in source || chooseCoding(req, res, { mediaType, sizeBytes }) === 'identity';
  const etag = isPlain ? plainEtag : `W/${plainEtag}`;
  const headers = { ...file.headers, ETag: etag };
  const form = { 'Content-Type': mediaType, ...(isPlain ? {} : { 'Content-Encoding': 'gzip' }) };
  if (matchesEtag(req.headers['if-none-match'], etag)) {
    context.decision = 'not-modified';
    res.writeHead(304, headers).end();
  } else if ('location' in source) {
    context.decision = 'redirect';
    const moved = { Location: source.location, 'Content-Length': 0, 'Cache-Control': 'public, max-age=60' };
    res.writeHead(307, { ...headers, ...moved }).end(); // the file may be immutable, but not where it is
  } else if (req.method === 'HEAD') {
    context.decision = 'described';
    const length = isPlain ? { 'Content-Length': sizeBytes } : {}; // the bytes need not be read for the other
    res.writeHead(200, { ...headers, ...form, ...length, 'Accept-Ranges': 'bytes' }).end();
  } else {
    const { read, compressor } = source;
    await sendBytes(req, res, {
      read: isPlain ? read : () => compressor.gzip(sha256, read),
      etag,
      headers: { ...headers, ...form },
    });
  }
}
