import type { RequestListener } from 'node:http';
import express, { type Express, type NextFunction, type Request, type Response } from 'express';
import { checkoutEndpoint, portalEndpoint, type CheckoutTerms } from './routes/checkout.js';
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
import { pagesEndpoint, publicEndpoint, type PublicTerms } from './routes/public.js';
import { webhookEndpoint, type WebhookTerms } from './routes/webhook.js';

/** What the application is made of. Without `links` and `objects` there are no directory links. */
export type AppTerms = ObserverTerms &
  FilesTerms &
  HealthTerms &
  KeysTerms &
  EntitlementsTerms &
  CheckoutTerms &
  WebhookTerms &
  PublicTerms & { readonly directory: Pick<ObjectsTerms, 'links' | 'objects'> | undefined };

/** The application, apart from listening. */
export function createApp(terms: AppTerms): Express {
  return assemble(terms, [
    filesEndpoint(terms),
    healthEndpoint(),
    readinessEndpoint(terms),
    keysEndpoint(terms),
    entitlementsEndpoint(terms),
    checkoutEndpoint(terms),
    portalEndpoint(terms),
    webhookEndpoint(terms),
    ...(terms.directory === undefined ? [] : [objectsEndpoint({ ...terms, ...terms.directory })]),
    publicEndpoint(terms),
    pagesEndpoint(terms),
    problemPagesEndpoint(),
  ]);
}

/** The application of the operator's port: health and metrics, for this machine and its monitor. */
export function createOperatorApp(terms: ObserverTerms & HealthTerms): Express {
  const endpoints = [healthEndpoint(), readinessEndpoint(terms), metricsEndpoint(terms)];
  return assemble(terms, endpoints);
}

/**
 * The way past Express for the files, which are asked for all day: the same endpoint, observer and problems. What Express
 * does around an endpoint takes four times as long as all that an answer needs.
 */
export function createFastLane(terms: ObserverTerms & FilesTerms, app: RequestListener): RequestListener {
  const endpoint = filesEndpoint(terms);
  const observe = createObserver(terms);
  const dispatch = createDispatcher([endpoint]);
  const fail = createProblemAnswer(terms.log);
  return (req, res) => {
    if (!endpoint.has(req.url ?? '')) {
      app(req, res);
      return;
    }
    observe(req, res);
    try {
      dispatch(req, res)?.catch((error: unknown) => fail(error, res));
    } catch (error) {
      fail(error, res);
    }
  };
}

function assemble(terms: ObserverTerms, endpoints: readonly Endpoint[]): Express {
  const app = express();
  app.disable('x-powered-by');
  app.disable('etag');
  app.set('query parser', false);
  const observe = createObserver(terms);
  const dispatch = createDispatcher(endpoints);
  const fail = createProblemAnswer(terms.log);
  app.use((req, res, next) => {
    observe(req, res);
    next();
  });
  app.use((req, res) => dispatch(req, res));
  app.use((error: unknown, _req: Request, res: Response, _next: NextFunction) => fail(error, res));
  return app;
}
