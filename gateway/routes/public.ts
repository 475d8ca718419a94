import type { IncomingMessage } from 'node:http';
import type { RequestHandler, Router } from 'express';
import { CHAIN_IDS, EXAMPLE_NAMES, GUIDE_NAMES, VOLUME_GENRES } from '../../schemas/catalog.js';
import {
  ACCOUNT_PATHS,
  API_PATH,
  calendarPath,
  chartDataPath,
  chartMetricsPath,
  chartPath,
  embedPath,
  metricsPagePath,
  examplePath,
  exampleViewPath,
  chainEventsPath,
  chainFeedPath,
  chainPagePath,
  guidePath,
  isPagePath,
  methodologyDataPath,
  methodologyPagePath,
  methodologyTextPath,
  objectKey,
  PAGE_PATHS,
  publicKey,
  PUBLIC_PATHS,
  queryPath,
  regimeEventsPath,
  regimesPath,
  volumeSchemaPath,
  summaryPath,
  weeklySummaryPath,
  PUBLIC_PREFIX,
} from '../../schemas/paths.js';
import {
  isAssetPath,
  isOperationPath,
  isWeeklyArchivePath,
  isWheelPath,
  SAMPLE_PATHS,
} from '../../schemas/release-paths.js';
import type { ProblemCode } from '../../schemas/problems.js';
import { cacheControlOf } from '../../schemas/object-headers.js';
import { parseDayPath } from '../core/http/day-page.js';
import { contentPolicyOf } from '../core/http/content-policy.js';
import { GatewayError } from '../core/problems.js';
import type { FileFacts } from '../core/releases/release-view.js';
import type { Releases } from '../io/releases/releases.js';
import type { Compressor } from '../io/releases/compressor.js';
import type { ObjectReader } from '../io/releases/object-reader.js';
import { omitRateHeaders } from '../http/address-limit.js';
import type { Authentication } from '../http/authentication.js';
import { rejectQuery } from '../http/path-guard.js';
import { contextOf } from '../http/request-context.js';
import { beginRoute, createRouter, type RouteOptions } from '../http/route.js';
import { sendFile, type OwnBytes } from '../http/send-file.js';
import type { HostReader } from '../http/trusted-proxies.js';

/** The source of public files. */
export type PublicSource = {
  readonly objects: ObjectReader;
  /** Base URL of the host that readers are redirected to; absent if the gateway sends the bytes itself. */
  readonly elsewhere?: string;
};

/** Options for `createPublicRouter`. */
export type PublicRouterOptions = {
  readonly authentication: Pick<Authentication, 'limitAddress'>;
  readonly releases: Releases;
  readonly source: PublicSource;
  readonly hostsOf: HostReader;
  readonly compressor: Compressor;
};

/** The route of public files. Any origin may read them. */
export const PUBLIC_ROUTE: RouteOptions = {
  template: `${API_PATH}{public}`,
  methods: ['GET'],
  origins: '*',
  requestHeaders: ['If-None-Match', 'Range'],
};

/**
 * The public paths that answer 503 instead of 404 before the first release is known, as wheels, archives of weekly
 * summaries and the pages about operations do. The pages about problems are not among them: until a release contains them, their own router serves them.
 */
const EXPECTED: ReadonlySet<string> = new Set<string>([
  ...Object.values(PUBLIC_PATHS),
  ...Object.values(PAGE_PATHS),
  ...CHAIN_IDS.flatMap((chain) => [
    summaryPath(chain),
    calendarPath(chain),
    regimesPath(chain),
    weeklySummaryPath(chain),
    chartPath(chain),
    chartDataPath(chain),
    chartMetricsPath(chain),
    chainPagePath(chain),
    chainFeedPath(chain),
    chainEventsPath(chain),
    regimeEventsPath(chain),
    metricsPagePath(chain),
    embedPath(chain),
    queryPath(chain),
    ...VOLUME_GENRES.map((genre) => volumeSchemaPath(genre, chain)),
  ]),
  ...SAMPLE_PATHS,
  ...EXAMPLE_NAMES.flatMap((name) => [examplePath(name), exampleViewPath(name)]),
  ...GUIDE_NAMES.map(guidePath),
  methodologyDataPath('v1'),
  methodologyTextPath('v1'),
  methodologyPagePath('v1'),
]);

function isExpected(path: string): boolean {
  return EXPECTED.has(path) || isWheelPath(path) || isWeeklyArchivePath(path) || isOperationPath(path);
}

/**
 * Returns the routes of the public files and pages that the release lists. They need no key and allow any origin. Other
 * addresses of a page redirect to it.
 */
export function createPublicRouter(options: PublicRouterOptions): Router {
  const { releases } = options;
  const isPublic = (path: string): boolean =>
    isAssetPath(path) || (releases.current()?.publicFiles.has(path) ?? isExpected(path));
  const router = createRouter();
  router
    .route('/{*path}')
    .all(skipUnless((path) => isPublic(path) && !isPagePath(path)))
    .all(...beginRoute(PUBLIC_ROUTE))
    .get(rejectQuery, answerFile(options));
  router
    .route('/{*path}')
    .all(skipUnless((path) => isPublic(path) && isPagePath(path)))
    .all(...beginRoute({ ...PUBLIC_ROUTE, template: '/{page}' }))
    .get(answerFile(options)); // ignores a query: links to pages are shared with parameters of others
  const pageOf = (path: string): string | undefined =>
    toPageAddress(
      path,
      (each) =>
        isPagePath(each) &&
        (isPublic(each) || each === ACCOUNT_PATHS.page || parseDayPath(each) !== undefined),
    );
  router
    .route('/{*path}')
    .all(skipUnless((path) => pageOf(path) !== undefined))
    .all(...beginRoute({ template: '/{page}', methods: ['GET'], origins: '*' }))
    .get((req, res) => {
      options.authentication.limitAddress(req, res);
      omitRateHeaders(res);
      const context = contextOf(res);
      context.decision = 'redirect';
      const headers = { 'Cache-Control': 'public, max-age=300', 'Content-Length': 0 };
      res.writeHead(308, { ...headers, Location: pageOf(context.path) ?? PAGE_PATHS.front }).end();
    });
  return router;
}

/** Returns the handler that skips its route for other paths. The list of public paths changes with each release. */
export function skipUnless(isOnRoute: (path: string) => boolean): RequestHandler {
  return (_req, res, next) => next(isOnRoute(contextOf(res).path) ? undefined : 'route');
}

function answerFile(options: PublicRouterOptions): RequestHandler {
  const { authentication, releases, source, compressor } = options;
  return async (req, res) => {
    const context = contextOf(res);
    authentication.limitAddress(req, res);
    const facts = factsOf(releases, context.path) ?? (await catchUpWith(releases, context.path));
    if (facts === undefined) throw new GatewayError(absenceIn(releases));
    omitRateHeaders(res);
    const { path, sha256 } = facts;
    await sendFile(req, res, {
      ...facts,
      headers: headersOf(facts),
      source: chooseSource(req, options, path, {
        read: () => source.objects.read(objectKey(sha256), sha256),
        compressor,
      }),
    });
  };
}

/**
 * Returns where a public file comes from: the other host, or `own` bytes. A request that was sent to the other host, and came
 * here all the same, gets the bytes: a redirect would lead it back here for ever.
 */
export function chooseSource(
  req: IncomingMessage,
  { source: { elsewhere }, hostsOf }: Pick<PublicRouterOptions, 'source' | 'hostsOf'>,
  path: string,
  own: OwnBytes,
): OwnBytes | { readonly location: string } {
  if (elsewhere === undefined) return own;
  return hostsOf(req).some((host) => isHostOf(elsewhere, host)) ? own : { location: `${elsewhere}${path}` };
}

/** Returns whether a host, perhaps with a port, is that of a URL. */
function isHostOf(url: string, host: string): boolean {
  const { protocol, host: expected } = new URL(url);
  const text = `${protocol}//${host}`;
  return URL.canParse(text) && new URL(text).host === expected;
}

function factsOf({ current }: Releases, path: string): FileFacts | undefined {
  return current()?.publicFiles.get(path);
}

/** Polls for a newer release that has a script or style sheet: another copy of the gateway may have sent a page of it. */
async function catchUpWith(releases: Releases, path: string): Promise<FileFacts | undefined> {
  if (isAssetPath(path)) await releases.catchUp();
  return factsOf(releases, path);
}

/** Returns why a file that is expected is absent. */
export function absenceIn(releases: Releases): ProblemCode {
  if (releases.current() !== undefined) return 'not-found';
  return releases.isReachable() ? 'not-published' : 'store-unavailable';
}

function headersOf(facts: FileFacts): Record<string, string> {
  const { path, sha256, revision, disposition, mediaType } = facts;
  const policy = contentPolicyOf(mediaType, path);
  return {
    'Cache-Control': cacheControlOf(publicKey(path)),
    'X-Content-SHA256': sha256,
    'X-Published-Revision': revision,
    ...(disposition === 'inline' ? {} : { 'Content-Disposition': disposition }),
    ...(policy === undefined ? {} : { 'Content-Security-Policy': policy }),
  };
}

/** No address of a page is longer. */
const MAX_LENGTH = 200;
/** Endings of other addresses of a page, besides slashes. */
const ENDINGS = [publicKey('/').slice(PUBLIC_PREFIX.length - 1), '.html'];

/**
 * Returns the page that an address with a slash, `.html` or `/index.html` at its end means, as `isPage` knows it; `undefined`
 * if there is none, or the address is the page's own. The result is never longer than the address.
 */
export function toPageAddress(path: string, isPage: (path: string) => boolean): string | undefined {
  if (path.length > MAX_LENGTH) return undefined;
  const folder = withoutSlashes(path);
  const ending = ENDINGS.find((each) => folder.endsWith(each)) ?? '';
  const page = withoutSlashes(folder.slice(0, folder.length - ending.length)) || '/';
  return page !== path && isPage(page) ? page : undefined;
}

function withoutSlashes(path: string): string {
  return path.replace(/\/+$/, '');
}
