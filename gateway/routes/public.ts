import { CHAIN_IDS, EXAMPLE_NAMES } from '../../schemas/catalog.js';
import {
  cacheControlOf,
  calendarPath,
  chartPath,
  examplePath,
  chainPagePath,
  isPagePath,
  methodologyDataPath,
  methodologyPagePath,
  methodologyTextPath,
  objectKey,
  PAGE_PATHS,
  publicKey,
  PUBLIC_PATHS,
  summaryPath,
  weeklySummaryPath,
} from '../../schemas/paths.js';
import { contentPolicyOf } from '../core/content-policy.js';
import { isKnownToReader } from '../core/conditions.js';
import { GatewayError } from '../core/problems.js';
import type { FileFacts } from '../core/release-view.js';
import type { Releases } from '../io/releases.js';
import type { ObjectReader } from '../io/object-reader.js';
import type { Doorkeeper } from './doorkeeper.js';
import type { Answer, Endpoint } from './endpoint.js';
import { exchangeOf } from './exchange.js';
import { reply } from './reply.js';
import { sendBytes } from './send-bytes.js';

/** Where the bytes of public files come from: from here, or from another address, that of a CDN. */
export type PublicSource =
  | { readonly kind: 'here'; readonly objects: ObjectReader }
  | { readonly kind: 'elsewhere'; readonly baseUrl: string };

/** What answering for public files needs. */
export type PublicTerms = {
  readonly doorkeeper: Doorkeeper;
  readonly releases: Releases;
  readonly source: PublicSource;
};

/**
 * Every public path that a release of today's generator can have, but for the pages about problems: until a release has
 * them, they are answered from the table of problems.
 */
const EXPECTED: ReadonlySet<string> = new Set<string>([
  ...Object.values(PUBLIC_PATHS),
  ...Object.values(PAGE_PATHS),
  ...CHAIN_IDS.flatMap((chain) => [
    summaryPath(chain),
    calendarPath(chain),
    weeklySummaryPath(chain),
    chartPath(chain),
    chainPagePath(chain),
  ]),
  ...EXAMPLE_NAMES.map(examplePath),
  methodologyDataPath('v1'),
  methodologyTextPath('v1'),
  methodologyPagePath('v1'),
]);

/** The public files that the release lists, but for pages: no key, any origin. */
export function publicEndpoint(terms: PublicTerms): Endpoint {
  return toEndpoint(terms, '/api/v1/{public}', (path) => !isPagePath(path));
}

/** The pages that the release lists: likewise, but a browser may draw them with what comes from here. */
export function pagesEndpoint(terms: PublicTerms): Endpoint {
  return toEndpoint(terms, '/{page}', isPagePath);
}

function toEndpoint(terms: PublicTerms, template: string, isOurs: (path: string) => boolean): Endpoint {
  const { releases } = terms;
  return {
    template,
    has: (path) => isOurs(path) && (releases.current()?.publicFiles ?? EXPECTED).has(path),
    crossOrigin: { origins: '*', headers: ['If-None-Match', 'Range'] },
    answers: { GET: answerPublic(terms) },
  };
}

function answerPublic({ doorkeeper, releases, source }: PublicTerms): Answer {
  return async (req, res) => {
    const exchange = exchangeOf(res);
    const facts = releases.current()?.publicFiles.get(exchange.path);
    if (exchange.query !== '') {
      throw new GatewayError('request-malformed', { detail: 'a public file takes no parameters' });
    }
    doorkeeper.admitAddress(req, res);
    if (facts === undefined)
      throw new GatewayError(releases.isInTouch() ? 'not-published' : 'store-unavailable');
    const headers = headersOf(facts);
    if (isKnownToReader(req.headers['if-none-match'], facts.etag)) {
      exchange.decision = 'not-modified';
      reply(res, 304, headers);
    } else if (source.kind === 'elsewhere') {
      exchange.decision = 'redirect';
      reply(res, 307, { ...headers, Location: `${source.baseUrl}${facts.path}`, 'Content-Length': 0 });
    } else if (req.method === 'HEAD') {
      exchange.decision = 'described';
      reply(res, 200, {
        ...headers,
        'Content-Type': facts.mediaType,
        'Content-Length': facts.sizeBytes,
        'Accept-Ranges': 'bytes',
      });
    } else {
      const bytes = await source.objects.read(objectKey(facts.sha256), facts.sha256);
      const file = { bytes, etag: facts.etag, headers: { ...headers, 'Content-Type': facts.mediaType } };
      sendBytes(req, res, file);
    }
  };
}

/** A 304 has them all too: a cache keeps its newer ones. */
function headersOf(facts: FileFacts): Record<string, string> {
  const { path, etag, sha256, revision, disposition, mediaType } = facts;
  const policy = contentPolicyOf(mediaType);
  return {
    'Cache-Control': cacheControlOf(publicKey(path)),
    ETag: etag,
    'X-Content-SHA256': sha256,
    'X-Published-Revision': revision,
    ...(disposition === 'inline' ? {} : { 'Content-Disposition': disposition }),
    ...(policy === undefined ? {} : { 'Content-Security-Policy': policy }),
  };
}
