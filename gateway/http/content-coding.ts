import type { IncomingMessage, ServerResponse } from 'node:http';
import accepts from 'accepts';
import { varyBy } from './vary.js';

/** The form in which a file is sent (RFC 9110 §8.4). */
type ContentCoding = 'gzip' | 'identity';

/** Media types of texts. Parquet and wheels are compressed already. */
const TEXT = /^(text\/|image\/svg\+xml|application\/([a-z0-9.-]+\+)?(json|xml))/;
/** Smaller files fit into one packet as they are. */
const MIN_BYTES = 1_000;
/** No browser or library sends a longer `Accept-Encoding`. Parsing one of 16 kB would take 50 ms. */
const MAX_HEADER_LENGTH = 500;

/**
 * Returns the coding in which to send a file, and adds `Accept-Encoding` to `Vary` if it depends on that. A range is always
 * one of the plain bytes. A client that refuses both codings gets the plain bytes (RFC 9110 §12.4.1).
 */
export function chooseCoding(
  req: IncomingMessage,
  res: ServerResponse,
  { mediaType, sizeBytes }: { readonly mediaType: string; readonly sizeBytes: number },
): ContentCoding {
  if (sizeBytes < MIN_BYTES || !TEXT.test(mediaType)) return 'identity';
  varyBy(res, 'Accept-Encoding');
  const { range, 'accept-encoding': accepted = '' } = req.headers;
  if (range !== undefined || accepted.length > MAX_HEADER_LENGTH) return 'identity';
  return accepts(req).encoding(['gzip', 'identity']) === 'gzip' ? 'gzip' : 'identity';
}
