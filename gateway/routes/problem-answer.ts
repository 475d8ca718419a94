import type { ServerResponse } from 'node:http';
import { StoreError } from '../../infra/store/object-store.js';
import { GatewayError, PROBLEMS, toProblem, type ProblemCode } from '../core/problems.js';
import type { RequestLog } from '../io/request-log.js';
import { exchangeOf } from './exchange.js';
import { reply } from './reply.js';

/** Seconds after which a caller may try again, where waiting helps and nothing better is known. */
export const RETRY_SECONDS = '10';

/** What body parsers and routers say of a request, by the mark of their errors. */
const FOREIGN: Readonly<Record<string, ProblemCode>> = {
  'entity.too.large': 'payload-too-large',
  'encoding.unsupported': 'unsupported-media-type',
  'charset.unsupported': 'unsupported-media-type',
  'entity.parse.failed': 'request-malformed',
  'entity.verify.failed': 'request-malformed',
  'request.size.invalid': 'request-malformed',
  'request.aborted': 'request-malformed',
};

/** Answers a failure. */
export type ProblemAnswer = (error: unknown, res: ServerResponse) => void;

/** Answers every failure with its problem; what is not known is a fault of ours, and is put into the log. */
export function createProblemAnswer(log: RequestLog): ProblemAnswer {
  return (error, res) => {
    const problem = toGatewayError(error);
    if (problem.code === 'internal') log.fault(exchangeOf(res).id, error);
    if (res.headersSent)
      res.destroy(); // only breaking off tells the caller now
    else sendProblem(res, problem);
  };
}

/** Sends a problem. */
export function sendProblem(res: ServerResponse, problem: GatewayError): void {
  const exchange = exchangeOf(res);
  exchange.decision = problem.code;
  const { status } = PROBLEMS[problem.code];
  const body = Buffer.from(JSON.stringify(toProblem(problem, exchange.id)));
  const headers = {
    'Content-Type': 'application/problem+json',
    'Content-Length': body.length,
    'Cache-Control': 'no-store',
    ...(status === 503 && problem.code !== 'billing-not-configured' ? { 'Retry-After': RETRY_SECONDS } : {}),
    ...problem.headers,
  };
  reply(res, status, headers, body);
}

function toGatewayError(error: unknown): GatewayError {
  if (error instanceof GatewayError) return error;
  if (error instanceof StoreError) return new GatewayError('store-unavailable', { cause: error });
  const { type, status } = marksOf(error);
  const code = FOREIGN[type] ?? (status !== undefined && status < 500 ? 'request-malformed' : 'internal');
  return new GatewayError(code, { cause: error });
}

function marksOf(error: unknown): { type: string; status: number | undefined } {
  if (typeof error !== 'object' || error === null) return { type: '', status: undefined };
  const { type, status } = error as { type?: unknown; status?: unknown };
  return {
    type: typeof type === 'string' ? type : '',
    status: typeof status === 'number' ? status : undefined,
  };
}
