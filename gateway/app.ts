import express, { type Express } from 'express';
import helmet from 'helmet';
import { GatewayError } from './core/problems.js';
import { serve } from './routes/endpoint.js';
import { entitlementsEndpoint, type EntitlementsTerms } from './routes/entitlements.js';
import { filesEndpoint, type FilesTerms } from './routes/files.js';
import { healthEndpoint, metricsEndpoint, readinessEndpoint, type HealthTerms } from './routes/health.js';
import { keysEndpoint, type KeysTerms } from './routes/keys.js';
import { objectsEndpoint, type ObjectsTerms } from './routes/objects.js';
import { createObserver, type ObserverTerms } from './routes/observer.js';
import { createPathGuard } from './routes/path-guard.js';
import { createProblemAnswer } from './routes/problem-answer.js';
import { problemPagesEndpoint } from './routes/problem-pages.js';
import { publicEndpoint, type PublicTerms } from './routes/public.js';

/** What the application is made of. Without `links` and `objects` there are no directory links. */
export type AppTerms = ObserverTerms &
  FilesTerms &
  HealthTerms &
  KeysTerms &
  EntitlementsTerms &
  PublicTerms & {
    readonly directory: Pick<ObjectsTerms, 'links' | 'objects'> | undefined;
    /** As Express takes it: a number of hops, addresses, or false. */
    readonly trustProxy: number | readonly string[] | false;
  };

/** The application, apart from listening. The files come first: they are what is asked for all day. */
export function createApp(terms: AppTerms): Express {
  const app = createBareApp(terms);
  const endpoints = [
    filesEndpoint(terms),
    healthEndpoint(),
    readinessEndpoint(terms),
    keysEndpoint(terms),
    entitlementsEndpoint(terms),
    ...(terms.directory === undefined ? [] : [objectsEndpoint({ ...terms, ...terms.directory })]),
    publicEndpoint(terms),
    problemPagesEndpoint(),
  ];
  for (const endpoint of endpoints) app.use(serve(endpoint));
  return endApp(app, terms);
}

/** The application of the operator's port: health and metrics, for this machine and its monitor. */
export function createOperatorApp(terms: ObserverTerms & HealthTerms): Express {
  const app = createBareApp({ ...terms, trustProxy: false });
  const endpoints = [healthEndpoint(), readinessEndpoint(terms), metricsEndpoint(terms)];
  for (const endpoint of endpoints) app.use(serve(endpoint));
  return endApp(app, terms);
}

function createBareApp(terms: ObserverTerms & Pick<AppTerms, 'trustProxy'>): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('trust proxy', terms.trustProxy);
  app.use(createObserver(terms));
  app.use(helmet(SECURITY_HEADERS));
  app.use(createPathGuard());
  return app;
}

function endApp(app: Express, { log }: ObserverTerms): Express {
  app.use(() => {
    throw new GatewayError('not-found');
  });
  app.use(createProblemAnswer(log));
  return app;
}

/** What a browser may make of our answers: nothing but data. The rest of what the library sends is for pages. */
const SECURITY_HEADERS = {
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
} as const;
