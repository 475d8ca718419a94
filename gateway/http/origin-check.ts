import { createHash, timingSafeEqual } from 'node:crypto';
import type { RequestListener } from 'node:http';
import { ENDPOINTS } from '../../schemas/paths.js';
import { ORIGIN_HEADER } from '../core/http/origin-header.js';

/** Options of `requireOrigin`. */
type OriginOptions = {
  /** The secrets that the proxy in front may send; none if requests may come from anywhere. */
  readonly secrets: readonly string[];
  /** Called for each request that is refused. */
  readonly onRefused: () => void;
};

/** Paths that need no secret: load balancers request them directly, and the responses contain no data of customers. */
const OPEN_PATHS: ReadonlySet<string | undefined> = new Set([ENDPOINTS.health, ENDPOINTS.readiness]);

/**
 * Returns a listener that passes on only requests with one of the secrets, which the proxy in front adds. Other requests get
 * 403 without a body. If `secrets` is empty, every request passes.
 */
export function requireOrigin(
  listener: RequestListener,
  { secrets, onRefused }: OriginOptions,
): RequestListener {
  if (secrets.length === 0) return listener;
  const digests = secrets.map(digestOf);
  const isKnown = (sent: Buffer): boolean =>
    digests.filter((digest) => timingSafeEqual(digest, sent)).length > 0; // compares all, in constant time
  return (req, res) => {
    const { [ORIGIN_HEADER]: sent } = req.headers;
    const isOpen = sent === undefined && OPEN_PATHS.has(req.url);
    if (isOpen || isKnown(digestOf(String(sent)))) {
      listener(req, res);
      return;
    }
    onRefused();
    res.writeHead(403, { 'Cache-Control': 'no-store', 'Content-Length': '0' }).end();
  };
}

function digestOf(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
