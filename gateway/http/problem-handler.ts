import type { ServerResponse } from 'node:http';
import { StoreError } from '../../infra/store/object-store.js';
import { GatewayError, PROBLEMS, toProblem, type ProblemCode } from '../core/problems.js';
import type { RequestLog } from '../io/operation/request-log.js';
import { contextOf } from './request-context.js';

/** Value of Retry-After where waiting helps and no better time is known, in seconds. */
export const RETRY_SECONDS = '10';

/** Problem codes for the errors of Express's body parsers, by their `type`. */
const BODY_PARSER_PROBLEMS: Readonly<Record<string, ProblemCode>> = {
  'entity.too.large': 'payload-too-large',
  'encoding.unsupported': 'unsupported-media-type',
  'charset.unsupported': 'unsupported-media-type',
  'entity.parse.failed': 'request-malformed',
  'entity.verify.failed': 'request-malformed',
  'request.size.invalid': 'request-malformed',
  'request.aborted': 'request-malformed',
};

/** Answers an error with its problem document. */
export type ProblemHandler = (error: unknown, res: ServerResponse) => void;

/** Returns the handler of all errors. Errors that are neither problems nor outages are bugs, and it logs them. */
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
  const { type, status } = describeForeignError(error);
  const isClientError = status !== undefined && status < 500;
  const code = BODY_PARSER_PROBLEMS[type] ?? (isClientError ? 'request-malformed' : 'internal');
  return new GatewayError(code, { cause: error });
}

/** Returns the `type` and `status` that Express and its body parsers give their errors. */
function describeForeignError(error: unknown): { type: string; status: number | undefined } {
  if (typeof error !== 'object' || error === null) return { type: '', status: undefined };
  const { type, status } = error as { type?: unknown; status?: unknown };
  return {
    type: typeof type === 'string' ? type : '',
    status: typeof status === 'number' ? status : undefined,
  };
}
