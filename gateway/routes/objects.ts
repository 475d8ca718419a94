import type { RequestHandler, Router } from 'express';
import { objectKey, OBJECTS_PATH } from '../../schemas/paths.js';
import { matchesEtag } from '../core/http/conditions.js';
import { GatewayError } from '../core/problems.js';
import type { LinkReader } from '../core/signing/object-link.js';
import type { Compressor } from '../io/releases/compressor.js';
import type { ObjectReader } from '../io/releases/object-reader.js';
import { omitRateHeaders } from '../http/address-limit.js';
import type { Authentication } from '../http/authentication.js';
import { contextOf } from '../http/request-context.js';
import { beginRoute, createRouter } from '../http/route.js';
import { sendFile } from '../http/send-file.js';

/** Options for `createObjectsRouter`. */
export type ObjectsRouterOptions = {
  readonly authentication: Pick<Authentication, 'limitAddress'>;
  readonly links: LinkReader;
  readonly objects: ObjectReader;
  readonly compressor: Compressor;
  readonly corsOrigins: readonly string[];
  readonly now: () => number;
};

/** Returns the route that serves the objects of a directory store to requests with a valid link. */
export function createObjectsRouter(options: ObjectsRouterOptions): Router {
  const begin = beginRoute({
    template: `${OBJECTS_PATH}{digest}`,
    methods: ['GET'],
    origins: options.corsOrigins,
    // A page that requests a file with its key sends the key here too when it follows the redirect.
    requestHeaders: ['X-API-Key', 'Authorization', 'If-None-Match', 'Range'],
  });
  const router = createRouter();
  router
    // {*digest} also matches an empty or nested path, so that such a link gets the problem link-invalid.
    .route(`${OBJECTS_PATH}{*digest}`)
    .all(...begin)
    .get(sendObject(options));
  return router;
}

function sendObject({
  authentication,
  links,
  objects,
  compressor,
  now,
}: ObjectsRouterOptions): RequestHandler {
  return async (req, res) => {
    const { path, query } = contextOf(res);
    const link = links.parse(path.slice(OBJECTS_PATH.length), query, now());
    if (link === 'invalid') {
      authentication.limitAddress(req, res, 'credentials'); // limits attempts to guess a signature
      throw new GatewayError('link-invalid');
    }
    authentication.limitAddress(req, res, 'links');
    if ('expiredMs' in link)
      throw new GatewayError('link-invalid', { detail: explainExpiry(link.expiredMs) });
    omitRateHeaders(res);
    const { sha256, mediaType, disposition } = link;
    const read = (): Promise<Uint8Array> => objects.read(objectKey(sha256), sha256);
    const isHeld = matchesEtag(req.headers['if-none-match'], `"sha256:${sha256}"`); // then nothing has to be read
    const sizeBytes = isHeld ? Infinity : (await read()).length; // a link does not name it, and small files stay plain
    await sendFile(req, res, {
      sha256,
      mediaType,
      sizeBytes,
      headers: {
        'Cache-Control': 'private, max-age=31536000, immutable',
        'Content-Disposition': disposition,
      },
      source: { read, compressor },
    });
  };
}

function explainExpiry(expiredMs: number): string {
  const at = new Date(expiredMs).toISOString().replace('.000', '');
  return `This link expired at ${at}. Request the file at its own address again to get a new link.`;
}
