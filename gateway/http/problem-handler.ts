import type { ServerResponse } from 'node:http';
import { StoreError } from '../../infra/store/object-store.js';
import { GatewayError, PROBLEMS, toProblem } from '../core/problems.js';
import type { RequestLog } from '../io/operation/request-log.js';
import { contextOf } from './request-context.js';

/** Value of Retry-After for a 503 for which no better time is known, in seconds. */
export const RETRY_SECONDS = '10';

/** Answers an error with its problem document. */
export type ProblemHandler = (error: unknown, res: ServerResponse) => void;

/** Returns the handler of all errors. It logs bugs: all but problems, outages and rejections by Express. */
export function createProblemHandler(log: RequestLog): ProblemHandler {
  return (error, res) => {
    const problem = toGatewayError(error);
    if (problem.code === 'internal') log.unexpectedError(contextOf(res).id, error);
    if (res.headersSent)
      res.destroy(); // the client has part of another response: only a broken connection is unambiguous
    else sendProblem(res, problem);
  };
}

function sendProblem(res: ServerResponse, problem: GatewayError): void {
  const context = contextOf(res);
  context.decision = problem.code;
  const { status } = PROBLEMS[problem.code];
  const body = Buffer.from(JSON.stringify(toProblem(problem, context.id)));
  const canRetry = status === 503 && problem.code !== 'billing-not-configured';
  res.writeHead(status, {
    'Content-Type': 'application/problem+json',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    ...(canRetry ? { 'Retry-After': RETRY_SECONDS } : {}),
    ...problem.headers,
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
