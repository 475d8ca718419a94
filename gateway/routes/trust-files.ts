import type { RequestHandler, Router } from 'express';
import { cacheControlOf } from '../../schemas/object-headers.js';
import { publicKey, TRUST_PATHS } from '../../schemas/paths.js';
import { JWS_TYPE } from '../../schemas/trust/trust-documents.js';
import { GatewayError } from '../core/problems.js';
import type { TrustFiles, TrustPath } from '../io/releases/trust-files.js';
import { omitRateHeaders } from '../http/address-limit.js';
import { rejectQuery } from '../http/path-guard.js';
import { beginRoute, createRouter } from '../http/route.js';
import { sendFile } from '../http/send-file.js';
import { chooseSource, PUBLIC_ROUTE, type PublicRouterOptions } from './public.js';

/** Options for `createTrustRouter`. */
export type TrustRouterOptions = PublicRouterOptions & { readonly trustFiles: TrustFiles };

/**
 * Returns the routes of the files by which readers verify signed releases. They are public files that no release lists, so
 * they are read from the store.
 */
export function createTrustRouter(options: TrustRouterOptions): Router {
  const router = createRouter();
  for (const path of Object.values(TRUST_PATHS)) {
    router
      .route(path)
      .all(...beginRoute(PUBLIC_ROUTE))
      .get(rejectQuery, sendTrustFile(path, options));
  }
  return router;
}

function sendTrustFile(path: TrustPath, options: TrustRouterOptions): RequestHandler {
  const { authentication, releases, compressor, trustFiles } = options;
  return async (req, res) => {
    authentication.limitAddress(req, res);
    const release = releases.current();
    if (release === undefined)
      throw new GatewayError(releases.isReachable() ? 'not-published' : 'store-unavailable');
    const file = await trustFiles.read(path, release);
    if (file === null) throw new GatewayError('not-found', { detail: explainAbsence(path) });
    omitRateHeaders(res);
    const { bytes, sha256 } = file;
    await sendFile(req, res, {
      sha256,
      mediaType: path === TRUST_PATHS.releases ? 'application/json' : JWS_TYPE,
      sizeBytes: bytes.length,
      headers: { 'Cache-Control': cacheControlOf(publicKey(path)), 'X-Content-SHA256': sha256 },
      source: chooseSource(req, options, path, { read: () => Promise.resolve(bytes), compressor }),
    });
  };
}

function explainAbsence(path: TrustPath): string {
  return path === TRUST_PATHS.statement
    ? 'The current release is not signed: this site does not sign its releases, or did not when it published this one.'
    : 'This site does not sign its releases.';
}
