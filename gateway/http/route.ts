import cors from 'cors';
import express, { type Router } from 'express';
import { GatewayError } from '../core/problems.js';
import type { Middleware } from './middleware.js';
import { contextOf } from './request-context.js';

/** Options for `beginRoute`. */
export type RouteOptions = {
  /** Name of the route in log and metrics. */
  readonly template: string;
  /** Methods that the route has. GET includes HEAD. */
  readonly methods: readonly ('GET' | 'POST' | 'DELETE')[];
  /** Origins whose pages may read the responses. */
  readonly origins: '*' | readonly string[];
  /** Request headers that pages of these origins may send. */
  readonly requestHeaders?: readonly string[];
  /** Request headers, apart from the origin, that the response depends on. */
  readonly vary?: readonly string[];
};

const EXPOSED_HEADERS = [
  'ETag',
  'Retry-After',
  'RateLimit',
  'RateLimit-Policy',
  'X-Published-Revision',
  'X-Content-SHA256',
  'X-Url-Expires-In',
];
const PREFLIGHT_SECONDS = 600;

/** Returns a router for exact paths: letter case and a trailing slash make a different path. */
export function createRouter(): Router {
  return express.Router({ caseSensitive: true, strict: true });
}

/**
 * Returns the middleware that every route begins with: it names the route for log and metrics, sets the CORS headers,
 * answers OPTIONS, and rejects methods that the route does not have.
 */
export function beginRoute(options: RouteOptions): Middleware[] {
  const methods = options.methods.flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method]));
  const nameRoute: Middleware = (_req, res, next) => {
    contextOf(res).route = options.template;
    next();
  };
  return [nameRoute, createCrossOrigin(options, methods), createMethodGuard(methods)];
}

function createCrossOrigin(
  { origins, requestHeaders = [], vary = [] }: RouteOptions,
  methods: string[],
): Middleware {
  const setHeaders = cors({
    origin: origins === '*' ? '*' : [...origins],
    methods,
    allowedHeaders: [...requestHeaders],
    exposedHeaders: EXPOSED_HEADERS,
    maxAge: PREFLIGHT_SECONDS,
    preflightContinue: true, // the method guard answers OPTIONS
  });
  if (origins === '*') return setHeaders;
  const varyHeader = [...vary, 'Origin'].join(', ');
  return (req, res, next) => {
    res.setHeader('Vary', varyHeader);
    if (req.headers.origin === undefined) next();
    else setHeaders(req, res, next);
  };
}

function createMethodGuard(methods: readonly string[]): Middleware {
  const allow = [...methods, 'OPTIONS'].join(', ');
  return ({ method = '' }, res, next) => {
    if (method === 'OPTIONS') {
      contextOf(res).decision = 'options';
      res.writeHead(204, { Allow: allow }).end();
    } else if (methods.includes(method)) {
      next();
    } else {
      const headers = { Allow: allow };
      throw new GatewayError('method-not-allowed', { detail: `This path allows ${allow}.`, headers });
    }
  };
}
