import type { IncomingMessage, ServerResponse } from 'node:http';
import { matchesEtag } from '../core/http/conditions.js';
import { contextOf } from './request-context.js';
import { sendBytes } from './send-bytes.js';

/** A public file, and where its bytes are. */
type PublicFile = {
  readonly etag: string;
  readonly mediaType: string;
  readonly sizeBytes: number;
  /** Headers of every response about the file. A 304 has them too, so that a cache updates its copy. */
  readonly headers: Readonly<Record<string, string>>;
  /** The URL at another host, or a function that returns the bytes. */
  readonly source: { readonly location: string } | { readonly read: () => Promise<Uint8Array> };
};

/**
 * Answers a request for a public file: 304 if the client has it, a redirect if another host serves it, otherwise its bytes
 * or, for HEAD, its headers.
 * @throws GatewayError 'range-not-satisfiable'
 */
export async function sendPublicFile(
  req: IncomingMessage,
  res: ServerResponse,
  { etag, mediaType, sizeBytes, source, ...file }: PublicFile,
): Promise<void> {
  const context = contextOf(res);
  const headers = { ...file.headers, ETag: etag };
  if (matchesEtag(req.headers['if-none-match'], etag)) {
    context.decision = 'not-modified';
    res.writeHead(304, headers).end();
  } else if ('location' in source) {
    context.decision = 'redirect';
    const moved = { Location: source.location, 'Content-Length': 0, 'Cache-Control': 'public, max-age=60' };
    res.writeHead(307, { ...headers, ...moved }).end(); // the file may be immutable, but not where it is
  } else if (req.method === 'HEAD') {
    context.decision = 'described';
    res.writeHead(200, {
      ...headers,
      'Content-Type': mediaType,
      'Content-Length': sizeBytes,
      'Accept-Ranges': 'bytes',
    });
    res.end();
  } else {
    const { read } = source;
    await sendBytes(req, res, { read, etag, headers: { ...headers, 'Content-Type': mediaType } });
  }
}
