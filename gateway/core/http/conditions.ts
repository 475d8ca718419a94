import fresh from 'fresh';
import parseRange from 'range-parser';
import type { ResponseForm } from '../access/file-request.js';

/**
 * Returns whether `If-None-Match` names the ETag: in a list, as a weak tag, or by `*` (RFC 9110 §13.1.2). The header
 * `Cache-Control: no-cache` is ignored, because fetch adds it to every conditional request.
 */
export function matchesEtag(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch === etag || fresh({ 'if-none-match': ifNoneMatch }, { etag });
}

/** The part of a file that a request asks for: everything, an inclusive span of bytes, or a span outside the file. */
type RequestedRange =
  | { readonly kind: 'all' }
  | { readonly kind: 'outside' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number };

/**
 * Parses `Range` and `If-Range`. Several ranges that do not form one span, or a header that cannot be parsed,
 * ask for the whole file.
 */
export function parseRequestedRange(
  { range, ifRange }: { readonly range: string | undefined; readonly ifRange: string | undefined },
  { sizeBytes, etag }: { readonly sizeBytes: number; readonly etag: string },
): RequestedRange {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return { kind: 'all' };
  const ranges = parseRange(sizeBytes, shortenSuffixes(range, sizeBytes), { combine: true });
  if (ranges === -1) return { kind: 'outside' }; // the parser's code for a range that no byte is in; -2 is a syntax error
  if (ranges === -2 || ranges.type !== 'bytes') return { kind: 'all' };
  const [part, ...others] = ranges;
  return part === undefined || others.length > 0 ? { kind: 'all' } : { kind: 'part', ...part };
}

/**
 * Caps suffixes such as `-500` at the size of the file: longer ones mean the whole file (RFC 9110 §14.1.2),
 * but the parser rejects them. The lookbehind is after the dash: before it, a header of many blanks would
 * take half a second.
 */
function shortenSuffixes(range: string, sizeBytes: number): string {
  const shorten = (_suffix: string, length: string): string => `-${Math.min(Number(length), sizeBytes)}`;
  return range.replace(/-(?<=[=,]\s*-)(\d+)/g, shorten);
}

const SIGNED_URL =
  /(?:^|,)\s*application\/json\s*(?:;[^,]*)?;\s*profile\s*=\s*(?:"signed-url"|signed-url)\s*(?=[;,]|$)([^,]*)/i;

/**
 * Returns 'document' if an `Accept` header accepts the profile `signed-url`, otherwise 'redirect'. A `q` counts only after
 * the profile, in the first range that names it.
 */
export function responseFormOf(accept: string | undefined): ResponseForm {
  if (accept === undefined || !accept.includes('signed-url')) return 'redirect'; // most requests name no profile; the name is in lower case
  const [match, parameters = ''] = SIGNED_URL.exec(accept) ?? [];
  return match !== undefined && !/;\s*q\s*=\s*0(?:\.0*)?\s*(?=;|$)/i.test(parameters)
    ? 'document'
    : 'redirect';
}
