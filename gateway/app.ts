import type { RequestListener } from 'node:http';
import express from 'express';
import type { Express, NextFunction, Request, RequestHandler, Response, Router } from 'express';
import { ENDPOINTS } from '../schemas/paths.js';
import { joinWords } from '../schemas/words.js';
import { GatewayError } from './core/problems.js';
import { runMiddleware } from './http/middleware.js';
import { guardPath, notFound } from './http/path-guard.js';
import { createProblemHandler, type ErrorPage } from './http/problem-handler.js';
import { createRequestContext, type RequestContextOptions } from './http/request-context.js';
import { createRouter } from './http/route.js';
import { createAccountRouter, type AccountRouterOptions } from './routes/account.js';
import { createAccountPageRouter, type AccountPageRouterOptions } from './routes/account-page.js';
import { createCheckoutRouter, type CheckoutRouterOptions } from './routes/checkout.js';
import { createDayPagesRouter, type DayPagesRouterOptions } from './routes/day-pages.js';
import { createEntitlementsRouter, type EntitlementsRouterOptions } from './routes/entitlements.js';
import { createFilesHandlers, FILES_PREFIX, type FilesOptions } from './routes/files.js';
import {
  createFreshnessRouter,
  createHealthRouter,
  createMetricsRouter,
  type FreshnessRouterOptions,
  type HealthRouterOptions,
} from './routes/health.js';
import { createKeysRouter, type KeysRouterOptions } from './routes/keys.js';
import { createObjectsRouter, type ObjectsRouterOptions } from './routes/objects.js';
import { createProblemPagesRouter } from './routes/problem-pages.js';
import { createPublicRouter, type PublicRouterOptions } from './routes/public.js';
import { createTrustRouter, type TrustRouterOptions } from './routes/trust-files.js';
import { createWebhookRouter, type WebhookRouterOptions } from './routes/webhook.js';
import helmet from 'helmet';

/** Options for `createApp`: those of every request and those of each router. */
export type AppOptions = {
  readonly requests: RequestContextOptions;
  readonly files: FilesOptions;
  readonly health: HealthRouterOptions;
  /** For the routes about accounts. */
  readonly account: AccountRouterOptions &
    KeysRouterOptions &
    EntitlementsRouterOptions &
    CheckoutRouterOptions &
    WebhookRouterOptions;
  /** Absent with an S3 store, which serves its objects itself. */
  readonly objects: ObjectsRouterOptions | undefined;
  readonly publicFiles: TrustRouterOptions;
  /** Absent without the built texts of the page. */
  readonly accountPage: AccountPageRouterOptions | undefined;
  /** Absent without the built texts of the page. */
  readonly dayPages: DayPagesRouterOptions | undefined;
  /** Absent without the built texts of the page: browsers then get problem documents too. */
  readonly errorPage: ErrorPage | undefined;
};

/**
 * Returns the application of the public port. It has the subscriber files too, although the fast lane answers
 * them: a test compares the two.
 */
export function createApp(options: AppOptions): Express {
  const files = createRouter();
  files.all(`${FILES_PREFIX}{*path}`, ...createFilesHandlers(options.files));
  const routers = [
    files,
    createHealthRouter(options.health),
    createAccountRouter(options.account),
    createKeysRouter(options.account),
    createEntitlementsRouter(options.account),
    createCheckoutRouter(options.account),
    createWebhookRouter(options.account),
    ...(options.objects === undefined ? [] : [createObjectsRouter(options.objects)]),
    ...(options.accountPage === undefined ? [] : [createAccountPageRouter(options.accountPage)]),
    ...(options.dayPages === undefined ? [] : [createDayPagesRouter(options.dayPages)]),
    createTrustRouter(options.publicFiles),
    createPublicRouter(options.publicFiles),
    createProblemPagesRouter(),
  ];
  routers.push(createRouter().use(limitUnknown(options.publicFiles)));
  return assemble(options.requests, routers, options.errorPage);
}

/** Paths of the operator's port, which the answer to any other names. */
const OPERATOR_PATHS = joinWords([
  ENDPOINTS.health,
  ENDPOINTS.readiness,
  ENDPOINTS.freshness,
  ENDPOINTS.metrics,
]);

/** Returns the application of the operator's port: health, freshness and metrics. */
export function createOperatorApp(
  requests: RequestContextOptions,
  health: FreshnessRouterOptions & HealthRouterOptions,
): Express {
  const routers = [
    createHealthRouter(health),
    createFreshnessRouter(health),
    createMetricsRouter(requests),
    createRouter().use(() => {
      throw new GatewayError('not-found', {
        detail: `This is the operator's port. Its paths are ${OPERATOR_PATHS}.`,
      });
    }),
  ];
  return assemble(requests, routers);
}

/**
 * Returns `app` behind a fast lane: the same handlers answer requests for subscriber files without Express, which would
 * take more time than the handlers (DECISIONS.md has the figures).
 */
export function createFastLane(
  { requests, files, errorPage }: Pick<AppOptions, 'requests' | 'files' | 'errorPage'>,
  app: RequestListener,
): RequestListener {
  const handlers = [
    createRequestContext(requests),
    securityHeaders,
    guardPath,
    ...createFilesHandlers(files),
  ];
  const answerFile = runMiddleware(handlers, createProblemHandler(requests.log, errorPage));
  return (req, res) => {
    const answer = req.url?.startsWith(FILES_PREFIX) === true ? answerFile : app;
    answer(req, res);
  };
}

/** Counts requests that no route has taken: the search for similar paths takes time. */
function limitUnknown({ authentication }: PublicRouterOptions): RequestHandler {
  return (req, res, next) => {
    authentication.limitAddress(req, res);
    next();
  };
}

function assemble(
  requests: RequestContextOptions,
  routers: readonly Router[],
  errorPage?: ErrorPage,
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.use(createRequestContext(requests), securityHeaders, guardPath);
  app.use(...routers);
  app.use(notFound);
  const sendProblem = createProblemHandler(requests.log, errorPage);
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => sendProblem(error, res));
  return app;
}

/** Tells browsers that responses are data: nothing in them may run, load or be framed. Pages send their own policy. */
const securityHeaders = helmet({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: { defaultSrc: ["'none'"], frameAncestors: ["'none'"] },
  },
  crossOriginResourcePolicy: { policy: 'cross-origin' },
  crossOriginOpenerPolicy: false,
  originAgentCluster: false,
  referrerPolicy: { policy: 'no-referrer' },
  strictTransportSecurity: { maxAge: 31_536_000 },
  xContentTypeOptions: true,
  xDnsPrefetchControl: false,
  xDownloadOptions: false,
  xFrameOptions: false,
  xPermittedCrossDomainPolicies: false,
  xPoweredBy: false,
  xXssProtection: false,
});
