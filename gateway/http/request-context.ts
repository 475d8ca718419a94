import type { ServerResponse } from 'node:http';
import type { Metrics } from '../io/operation/metrics.js';
import type { RequestLog } from '../io/operation/request-log.js';
import type { Middleware } from './middleware.js';

/** Facts about one request. The log and the metrics see the route's template and the decision, never the path. */
type RequestContext = {
  /** Identifies the request in the log, in problems and in the header X-Request-Id. */
  readonly id: string;
  /** The path as the client sent it. */
  readonly path: string;
  /** The query as the client sent it, without the question mark. */
  readonly query: string;
  /** Template of the route that answers the request. */
  route: string;
  /** Outcome of the request: a problem code, or a word for what was sent. */
  decision: string;
  /** Id of the API key, once it is authenticated. */
  keyId: string | undefined;
  /** Account of the API key or session, once it is authenticated. */
  account: string | undefined;
};

/** Options for `createRequestContext`. */
export type RequestContextOptions = {
  readonly log: RequestLog;
  readonly metrics: Metrics;
  /** Monotonic clock in milliseconds. */
  readonly clock: () => number;
  readonly newId: () => string;
};

/** Status in log and metrics of a response that was not sent completely: the client left, or the gateway broke it off. */
const CLIENT_CLOSED_REQUEST = 499;

/** A response with `locals`, Express's place for values of one request. Without Express, the middleware creates it. */
type WithLocals = ServerResponse & { locals?: { context?: RequestContext } };

/** Returns the middleware that creates the context of each request, and logs and counts the request when it ends. */
export function createRequestContext({ log, metrics, clock, newId }: RequestContextOptions): Middleware {
  return (req, res, next) => {
    const startedMs = clock();
    const { url = '', method = '' } = req;
    const [path, query] = splitTarget(url);
    const context: RequestContext = {
      id: newId(),
      path,
      query,
      route: 'none',
      decision: 'none',
      keyId: undefined,
      account: undefined,
    };
    (res as WithLocals).locals = { context };
    res.setHeader('X-Request-Id', context.id);
    res.once('close', () => {
      const ms = clock() - startedMs;
      const status = res.writableFinished ? res.statusCode : CLIENT_CLOSED_REQUEST;
      metrics.count(context.route, context.decision, status, ms / 1000);
      log.request(context, method, status, ms);
    });
    next();
  };
}

/**
 * Returns the context of the request that `res` answers.
 * @throws TypeError when the middleware of `createRequestContext` has not run.
 */
export function contextOf(res: ServerResponse): RequestContext {
  const context = (res as WithLocals).locals?.context;
  if (context === undefined) throw new TypeError('the request has no context');
  return context;
}

/**
 * Returns the account of the API key or session that authenticated the request.
 * @throws TypeError on a route that does not require either.
 */
export function accountOf(res: ServerResponse): string {
  const { account } = contextOf(res);
  if (account === undefined) throw new TypeError('the request is not authenticated');
  return account;
}

function splitTarget(url: string): readonly [path: string, query: string] {
  const at = url.indexOf('?');
  return at < 0 ? [url, ''] : [url.slice(0, at), url.slice(at + 1)];
}
