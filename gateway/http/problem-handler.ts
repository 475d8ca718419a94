import type { ServerResponse, IncomingMessage } from 'node:http';
import { StoreError } from '../../infra/store/object-store.js';
import { ERROR_POLICY, type ErrorFacts } from '../core/http/error-page.js';
import { GatewayError, PROBLEMS, toProblem } from '../core/problems.js';
import type { RequestLog } from '../io/operation/request-log.js';
import { contextOf } from './request-context.js';
import { varyBy } from './vary.js';
import accepts from 'accepts';

/** Value of Retry-After for a 503 for which no better time is known, in seconds. */
export const RETRY_SECONDS = '10';

const PAGE_HEADERS = {
  'Content-Type': 'text/html; charset=utf-8',
  'Content-Security-Policy': ERROR_POLICY,
};

/** A function that responds to an error with its problem: a document or, for a browser, a page. */
type ProblemHandler = (error: unknown, res: ServerResponse) => void;

/** A function that renders the HTML page of a problem. */
export type ErrorPage = (facts: Pick<ErrorFacts, 'problem' | 'path' | 'query' | 'canRetry'>) => string;

/**
 * Returns the handler of all errors. It logs unexpected errors: all except problems, store outages and rejections by
 * Express. With `page`, a client that prefers HTML gets the page of the problem instead of the document.
 */
export function createProblemHandler(log: RequestLog, page?: ErrorPage): ProblemHandler {
  return (error, res) => {
    const problem = toGatewayError(error);
    if (problem.code === 'internal') log.unexpectedError(contextOf(res).id, error);
    if (res.headersSent)
      res.destroy(); // the client has part of another response: only a broken connection is unambiguous
    else sendProblem(res, problem, page);
  };
}

function sendProblem(res: ServerResponse, error: GatewayError, page: ErrorPage | undefined): void {
  const context = contextOf(res);
  context.decision = error.code;
  const { status } = PROBLEMS[error.code];
  const problem = toProblem(error, context.id);
  const canRetry = status === 503 && error.code !== 'billing-not-configured';
  if (page !== undefined) varyBy(res, 'Accept');
  const isPage = page !== undefined && prefersHtml(res.req);
  const facts = { problem, path: context.path, query: context.query, canRetry: canRetry || status === 429 };
  const body = Buffer.from(isPage ? page(facts) : JSON.stringify(problem));
  res.writeHead(status, {
    ...(isPage ? PAGE_HEADERS : { 'Content-Type': 'application/problem+json' }),
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    ...(canRetry ? { 'Retry-After': RETRY_SECONDS } : {}),
    ...error.headers,
  });
  res.end(body);
}

function toGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof StoreError) return new GatewayError('store-unavailable', { cause: error });
  return new GatewayError(isRejection(error) ? 'request-malformed' : 'internal', { cause: error });
}

/** Returns whether Express rejected the request: its errors then have a 4xx `status`. */
function isRejection(error: unknown): boolean {
  if (typeof error !== 'object' || error === null) return false;
  const { status } = error as { status?: unknown };
  return typeof status === 'number' && status < 500;
}

/** Media types of a problem. Of those that a wildcard accepts equally, a client gets the first. */
const FORMS = ['application/problem+json', 'application/json', 'text/html'];

/**
 * Returns whether `Accept` prefers HTML to JSON, as that of a browser that opens an address does. A request with a key or a
 * session comes from a program: some HTTP libraries ask for HTML first by default.
 */
export function prefersHtml(req: IncomingMessage): boolean {
  if (req.headers['x-api-key'] !== undefined || req.headers.authorization !== undefined) return false;
  return accepts(req).type(FORMS) === 'text/html';
}
