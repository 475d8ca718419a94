import fresh from 'fresh';
import parseRange from 'range-parser';

/**
 * Whether a reader has these bytes already: `If-None-Match` names the etag, in a list, weak, or by a star (RFC 9110
 * §13.1.2). `Cache-Control: no-cache` beside it changes nothing: fetch sends it with each condition of its caller.
 */
export function isKnownToReader(ifNoneMatch: string | undefined, etag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  return ifNoneMatch === etag || fresh({ 'if-none-match': ifNoneMatch }, { etag });
}

/** What part of a file was asked for: all of it, a span with both ends included, or one that it does not have. */
export type AskedPart =
  | { readonly kind: 'all' }
  | { readonly kind: 'outside' }
  | { readonly kind: 'part'; readonly start: number; readonly end: number };

/** What a reader asks of a file by `Range` and `If-Range`. Several ranges, or words that are not known, mean all of it. */
export function parseAskedPart(
  { range, ifRange }: { readonly range: string | undefined; readonly ifRange: string | undefined },
  { sizeBytes, etag }: { readonly sizeBytes: number; readonly etag: string },
): AskedPart {
  if (range === undefined || (ifRange !== undefined && ifRange !== etag)) return { kind: 'all' };
  const ranges = parseRange(sizeBytes, shortenSuffixes(range, sizeBytes), { combine: true });
  if (ranges === -1) return { kind: 'outside' };
  if (ranges === -2 || ranges.type !== 'bytes') return { kind: 'all' };
  const [part, ...others] = ranges;
  return part === undefined || others.length > 0 ? { kind: 'all' } : { kind: 'part', ...part };
}

/** The header with no suffix longer than the file: such a one means all of it (RFC 9110 §14.1.2), and not to the parser. */
function shortenSuffixes(range: string, sizeBytes: number): string {
  const shorten = (_suffix: string, length: string): string => `-${Math.min(Number(length), sizeBytes)}`;
  return range.replace(/-(?<=[=,]\s*-)(\d+)/g, shorten);
}
