import express, { type Express } from 'express';
import { createDispatcher } from './routes/dispatcher.js';
import type { Endpoint } from './routes/endpoint.js';
import { entitlementsEndpoint, type EntitlementsTerms } from './routes/entitlements.js';
import { filesEndpoint, type FilesTerms } from './routes/files.js';
import { healthEndpoint, metricsEndpoint, readinessEndpoint, type HealthTerms } from './routes/health.js';
import { keysEndpoint, type KeysTerms } from './routes/keys.js';
import { objectsEndpoint, type ObjectsTerms } from './routes/objects.js';
import { createObserver, type ObserverTerms } from './routes/observer.js';
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
  return assemble(terms, [
    filesEndpoint(terms),
    healthEndpoint(),
    readinessEndpoint(terms),
    keysEndpoint(terms),
    entitlementsEndpoint(terms),
    ...(terms.directory === undefined ? [] : [objectsEndpoint({ ...terms, ...terms.directory })]),
    publicEndpoint(terms),
    problemPagesEndpoint(),
  ]);
}

/** The application of the operator's port: health and metrics, for this machine and its monitor. */
export function createOperatorApp(terms: ObserverTerms & HealthTerms): Express {
  const endpoints = [healthEndpoint(), readinessEndpoint(terms), metricsEndpoint(terms)];
  return assemble({ ...terms, trustProxy: false }, endpoints);
}

function assemble(
  terms: ObserverTerms & Pick<AppTerms, 'trustProxy'>,
  endpoints: readonly Endpoint[],
): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  app.set('trust proxy', terms.trustProxy);
  app.use(createObserver(terms));
  app.use(createDispatcher(endpoints));
  app.use(createProblemAnswer(terms.log));
  return app;
}
