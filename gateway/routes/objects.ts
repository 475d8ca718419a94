import { objectKey } from '../../schemas/paths.js';
import { isKnownToReader } from '../core/conditions.js';
import { GatewayError } from '../core/problems.js';
import { OBJECTS_PATH, type LinkReader } from '../core/object-link.js';
import type { ObjectReader } from '../io/object-reader.js';
import type { Doorkeeper } from './doorkeeper.js';
import type { Answer, Endpoint } from './endpoint.js';
import { exchangeOf } from './exchange.js';
import { reply } from './reply.js';
import { sendBytes } from './send-bytes.js';

/** What following a directory link needs. */
export type ObjectsTerms = {
  readonly doorkeeper: Doorkeeper;
  readonly links: LinkReader;
  readonly objects: ObjectReader;
  readonly corsOrigins: readonly string[];
  readonly now: () => number;
};

/** The objects of a directory store, by links that this gateway has signed. */
export function objectsEndpoint(terms: ObjectsTerms): Endpoint {
  return {
    template: `${OBJECTS_PATH}{digest}`,
    has: (path) => path.startsWith(OBJECTS_PATH),
    // A page that asked for the file with its key sends the key here too when it follows the redirect.
    crossOrigin: { origins: terms.corsOrigins, headers: ['X-API-Key', 'If-None-Match', 'Range'] },
    answers: { GET: answerObject(terms) },
  };
}

function answerObject({ doorkeeper, links, objects, now }: ObjectsTerms): Answer {
  return async (req, res) => {
    const { path, query } = exchangeOf(res);
    const link = links.parse(path.slice(OBJECTS_PATH.length), query, now());
    if (link === 'invalid') {
      doorkeeper.admitAddress(req, res); // whoever guesses is counted
      throw new GatewayError('link-invalid');
    }
    const etag = `"sha256:${link.sha256}"`;
    const headers = {
      'Cache-Control': 'private, max-age=31536000, immutable',
      'Content-Disposition': link.disposition,
    };
    if (isKnownToReader(req.headers['if-none-match'], etag)) {
      exchangeOf(res).decision = 'not-modified';
      reply(res, 304, { ...headers, ETag: etag });
      return;
    }
    const bytes = await objects.read(objectKey(link.sha256), link.sha256);
    sendBytes(req, res, { bytes, etag, headers: { ...headers, 'Content-Type': link.mediaType } });
  };
}
